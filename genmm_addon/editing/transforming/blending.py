# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend: a new action between the one that a character plays and another of the same kind, matched in time."""

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ...animation.actions import values_of_property
from ...core import InputError, Progress, part_of_progress
from ...core.examples import memory_errors_told
from ...core.manner import Restyled, blend_motions
from ...libraries.indexed_examples import ExampleChoice
from .content import Content, fitted, read_content
from .record import BLEND, EditRecipe
from .restyling import FITTING, READING, Transformed
from .work import Work
from .writing import NewActionPlace, write_transformed

SHARE_PATH = "genmm.blend_share"
"""Path of the character's slider Share, which may have keys."""


def share_is_keyed(character: Object) -> bool:
    """Return whether the action that a character plays has keys for the slider Share, which then set the share."""
    return values_of_property(character, SHARE_PATH, np.zeros(1)) is not None


@memory_errors_told()
def blend_action(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    share: float,
    progress: Progress | None = None,
) -> Transformed:
    """Have the character play a new action between an action and another one of the same kind, and return it.

    share: of the other one, 0 to 1; keys of the action for the character's slider take precedence. Raises InputError,
    with nothing changed, as `restyle_action` does.
    """
    reading, computing = (part_of_progress(progress, *part) for part in ((0.0, READING), (READING, 1.0)))
    return blend_work(character, scene, action, slot, choice, share, reading).done(computing)


@memory_errors_told()
def blend_work(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    share: float,
    progress: Progress | None = None,
) -> Work[tuple[Content, Restyled], Transformed]:
    """Return the work of `blend_action`, with everything read; progress: of the reading. Raises as it does."""
    content = read_content(character, scene, action, slot, choice, progress)
    if choice.library is None and not content.names:
        raise InputError("There is no other action to blend with; choose one.")
    keyed = values_of_property(character, SHARE_PATH, content.frames)
    weights: NDArray[np.float64] | float = share if keyed is None else np.clip(keyed, 0.0, 1.0)

    @memory_errors_told()
    def compute(progress: Progress | None) -> tuple[Content, Restyled]:
        chosen = fitted(content, part_of_progress(progress, 0.0, FITTING))
        return chosen, blend_motions(chosen.motion, chosen.examples, weights, part_of_progress(progress, FITTING, 1.0))

    def write(made: tuple[Content, Restyled]) -> Transformed:
        return _written(
            NewActionPlace(character, scene, action, slot), choice, None if keyed is not None else share, *made
        )

    return Work(compute, write)


def _written(
    place: NewActionPlace, choice: ExampleChoice, share: float | None, content: Content, made: Restyled
) -> Transformed:
    """Write the blend; share: None where the slider's keys set it."""
    action = place.action
    recipe = EditRecipe(
        BLEND,
        action.name,
        example="" if choice.library else content.names[0],
        library=choice.library.files[0] if choice.library else "",
        tags=choice.library.tags if choice.library else "",
        share=-1.0 if share is None else share,
        clips=content.names,
    )
    new, notes = write_transformed(place, content, made.motion, made.positions, recipe, f"{action.name} Blended")
    amount = "over time, as its slider is keyed," if share is None else f"{share:.0%}"
    return Transformed(new, f'"{new.name}" has {amount} of {content.example}.', (*content.notes, *notes))
