# SPDX-License-Identifier: GPL-3.0-or-later
"""Application of a variation: its motion is given to the original character, and the copies are removed."""

from contextlib import ExitStack
from dataclasses import dataclass, replace

import bpy
from bpy.types import Context, Object

from ...animation.actions import armature_slots, assign, assigned
from ...character import tags
from ...character.tags import tag_of, tagged
from ...core import InputError
from ...generation.meshes.playing import mesh_actions_of, show_on_meshes
from ...generation.outputs import check_output, mute_pose_makers, protect
from ...generation.recipe import character_of_recipe, recipe_of, store
from ...generation.request import Output
from ...generation.results import Variation, remove_of_batch, select_alone


@dataclass(frozen=True, eq=False)
class Applied:
    """An applied variation. removed: the number of characters removed; remarks: sentences on side effects."""

    original: Object
    removed: int
    remarks: tuple[str, ...]


def original_of(variation: Variation) -> Object:
    """Return the character that a variation was made from. Raises InputError where that cannot take the motion."""
    if variation.output is not Output.NEW_CHARACTER:
        raise InputError(f'"{variation.object.name}" already has the variation; keep it with Keep Only This.')
    if variation.action is None:
        raise InputError(f'"{variation.object.name}" no longer plays its motion; choose another variation.')
    recipe = recipe_of(variation.action)
    if recipe is None:
        raise InputError(f'"{variation.action.name}" has lost its recipe; generate it again.')
    original = character_of_recipe(recipe)
    check_output(original, Output.NEW_ACTION)
    return original


def apply_variation(context: Context, chosen: Variation) -> Applied:
    """Have the original play the variation's action, keep the action it had, and remove the batch's characters.

    Raises InputError, and changes nothing, where the original cannot take it.
    """
    original = original_of(chosen)
    action, batch = chosen.action, chosen.batch
    assert action is not None
    recipe = recipe_of(action)
    assert recipe is not None
    before = assigned(original)
    with ExitStack() as undoing:
        assign(original, action, armature_slots(action)[0])
        remarks = protect(before[0], undoing) if before is not None else ()
        muted = mute_pose_makers(original, undoing) if recipe.visual else 0
        show_on_meshes(original, context.scene, action, before[0] if before is not None else None)
        undoing.pop_all()
    if muted:
        remarks += (f'Constraints and drivers of "{original.name}" were muted ({muted}): the keys hold their pose.',)
    mark = tag_of(action)
    kept = [action, *mesh_actions_of(action)]
    for kept_action in kept if mark is not None else ():
        tags.mark(kept_action, replace(tag_of(kept_action) or mark, output=Output.NEW_ACTION.value))
    store(action, replace(recipe, output=Output.NEW_ACTION))
    objects = [thing for thing, _ in tagged(bpy.data.objects, batch)]
    rigs = sum(thing.type == "ARMATURE" for thing in objects)
    if original.visible_get(view_layer=context.view_layer):
        select_alone(context, original)
    others = [other for other, _ in tagged(bpy.data.actions, batch) if other not in kept]
    remove_of_batch(context, batch, objects, others)
    return Applied(original, rigs, remarks)
