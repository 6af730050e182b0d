# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole request that a character's panel stands for."""

from bpy.types import Object, Scene

from ..generation.request import PartMode, Request
from .choices import Choice, chosen_examples
from .direction_values import directed_by
from .properties import readable_settings
from .request_values import with_values


def panel_request(character: Object, scene: Scene) -> tuple[Request, list[Choice]]:
    """What Generate would do for this character, with the panel's seed, and its examples as they are chosen.

    Raises InputError where it could not.
    """
    settings = readable_settings(character, scene)
    choices = chosen_examples(character, settings.examples)
    plain = Request(character, tuple(choice.spec for choice in choices), settings.frames)
    directed = directed_by(plain, settings, painted=settings.parts == PartMode.PAINTED.value)
    return with_values(directed, settings), choices
