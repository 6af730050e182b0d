# SPDX-License-Identifier: GPL-3.0-or-later
"""The complete request made from a character's panel."""

from dataclasses import replace

from bpy.types import Object, Scene

from ..generation.request import PartMode, Request
from ..state.properties import GENMM_PG_character, readable_settings
from .choices import ChosenExample, chosen_examples
from .direction_values import with_direction
from .length import shown_length
from .library_values import library_choice
from .request_values import with_values


def plain_request(character: Object, settings: GENMM_PG_character, frames: int) -> tuple[Request, list[ChosenExample]]:
    """Return a request with nothing but what the character learns from, and the choices of its examples.

    Raises InputError without an example or a library.
    """
    library = library_choice(settings)
    choices = [] if library is not None else chosen_examples(character, settings.examples)
    return Request(character, tuple(choice.spec for choice in choices), frames, library=library), choices


def panel_request(character: Object, scene: Scene) -> tuple[Request, list[ChosenExample]]:
    """Return the request of Generate for this character, with the panel's seed, and the choices of its examples.

    Raises InputError where Generate is impossible.
    """
    settings = readable_settings(character, scene)
    length = shown_length(settings, character, scene)
    plain, choices = plain_request(character, settings, length)
    from_panel = with_direction(plain, settings, painted=settings.parts == PartMode.PAINTED.value)
    request = replace(with_values(from_panel, settings), frames=length)
    if settings.start_at == "PLAYHEAD":
        request = replace(request, frame_start=float(scene.frame_current))
    return request, choices
