# SPDX-License-Identifier: GPL-3.0-or-later
"""A variation's motion on the character that it was made from, for its ghost."""

import numpy as np
from bpy.types import Object, Scene

from ...animation.actions import armature_slots
from ...animation.reading.example_spec import ExampleSpec
from ...animation.reading.examples import read_keyed
from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...core import InputError
from ...generation.recipe import character_of_recipe, recipe_of
from ...libraries.exploring.finding import LaidPlace
from ..common.motion_ghosts import placed_by_keys
from .shown import is_separate, shown_variations


def lay_variation(character: Object, scene: Scene, number: int) -> tuple[str, LaidPlace]:
    """Return the full name of the character that a listed variation was made from, and the motion there.

    It is where *Apply to My Character* would play it. character: the selected one. Raises InputError where the
    variation, its motion or that character is gone.
    """
    listed = {variation.number: variation for variation in shown_variations(character, scene)}
    action = listed[number].action if number in listed else None
    recipe = None if action is None else recipe_of(action)
    if action is None or recipe is None:
        raise InputError(f"Variation {number} has lost its motion; choose another.")
    armature = character_of_recipe(recipe) if is_separate(listed[number]) else listed[number].object
    reading = read_keyed(armature, [ExampleSpec(action, armature_slots(action)[0])], scene)
    motion, moved = reading.motions[0], frozenset((*reading.keyed.rotations, *reading.keyed.locations))
    if not recipe.visual:
        to_world = roots_to_world(armature, motion.skeleton.names[0] == OBJECT_JOINT)
        moved = placed_by_keys(motion, moved, np.array(to_world, np.float64), armature)
    return armature.name_full, LaidPlace(action.name, motion, reading.keyed, round(action.frame_range[0]), moved)
