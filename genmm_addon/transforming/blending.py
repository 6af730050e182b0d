# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend: the action that a character plays mixed with another one of the same action, registered in time."""

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ..animation.actions import values_of_property
from ..core import InputError
from ..core.memory import memory_errors_told
from ..core.registration import blend_motions
from ..filling.examples import ExampleChoice
from .content import read_content
from .record import BLEND, Recipe
from .restyling import Transformed
from .writing import write_transformed

SHARE_PATH = "genmm.blend_share"
"""The slider of the character, which may have keys."""


@memory_errors_told()
def blend_action(
    character: Object, scene: Scene, action: Action, slot: str, choice: ExampleChoice, share: float
) -> Transformed:
    """Return a new action that the character plays: between an action and another one of the same kind.

    share: of the other one, 0 to 1; where the action has keys for the character's slider, those count over time.
    Raises InputError, with nothing changed, as `restyle_action` does.
    """
    content = read_content(character, scene, action, slot, choice)
    keyed = values_of_property(character, SHARE_PATH, content.frames)
    weights: NDArray[np.float64] | float = share if keyed is None else np.clip(keyed, 0.0, 1.0)
    made = blend_motions(content.motion, content.examples, weights)
    if choice.library is None and not content.names:
        raise InputError("There is no other action to blend with; choose one.")
    recipe = Recipe(
        BLEND,
        action.name,
        example="" if choice.library else content.names[0],
        library=choice.library.files[0] if choice.library else "",
        tags=choice.library.tags if choice.library else "",
        share=share if keyed is None else -1.0,
        clips=content.names,
    )
    new = write_transformed(character, action, slot, content, made.motion, recipe, f"{action.name} Blended")
    amount = f"{share:.0%}" if keyed is None else "over time, as its slider is keyed,"
    return Transformed(new, f'"{new.name}" has {amount} of {content.example}.', content.notes)
