# SPDX-License-Identifier: GPL-3.0-or-later
"""The complete request made from a character's panel."""

from dataclasses import replace

from bpy.types import Object, Scene

from ..generation.request import PartMode, Request
from ..state.properties import readable_settings
from .choices import ChosenExample, chosen_examples
from .direction_values import with_direction
from .length import shown_length
from .library_values import library_choice
from .request_values import with_values


def panel_request(character: Object, scene: Scene) -> tuple[Request, list[ChosenExample]]:
    """Return the request of Generate for this character, with the panel's seed, and the choices of its examples.

    Raises InputError where Generate is impossible.
    """
    settings = readable_settings(character, scene)
    library = library_choice(settings)
    choices = [] if library is not None else chosen_examples(character, settings.examples)
    length = shown_length(settings, character, scene)
    plain = Request(character, tuple(choice.spec for choice in choices), length, library=library)
    from_panel = with_direction(plain, settings, painted=settings.parts == PartMode.PAINTED.value)
    request = replace(with_values(from_panel, settings), frames=length)
    if settings.start_at == "PLAYHEAD":
        request = replace(request, frame_start=float(scene.frame_current))
    return request, choices
