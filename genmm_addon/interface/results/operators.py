# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on variations: show one, keep one, apply one to the original character, and select that character."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...animation.actions import armature_slots, assign, assigned
from ...character import tags
from ...character.tags import tag_of, tagged
from ...core import InputError
from ...generation.meshes import mesh_actions_of, show_on_meshes
from ...generation.outputs import check_output, mute_pose_makers, protect
from ...generation.recipe import character_of_recipe, recipe_of, request_from_recipe, store
from ...generation.request import Output
from ...generation.results import Variation, keep_variation, remove_of_batch, select_alone, show_variation
from ...state.exploring_properties import select_row
from ...state.pins_editing import leave_editing
from ...state.selection import character_of
from ..common.blender_bases import Outcome, reports_refusal
from ..common.character_operator import CharacterOperator
from ..common.draw_handlers import redraw
from ..timeline.stretch_operator import last_frame_played
from .shown import current_of, last_frame, shown_variations

NONE_HERE = "No variations were generated from or for the selected character"


def play_row(context: Context, number: int) -> None:
    """Have the ghost of a variation play once, from now on."""
    select_row("variations", number)
    redraw(context, regions=("WINDOW",))


class VariationOperator(CharacterOperator):
    """Base of operators on one of the variations in the panel, by its number."""

    number: IntProperty(
        name="Variation",
        description="The number of the variation, from 1; 0 is the selected one, or the only one",
        min=0,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there are no variations; "" where there are."""
        return "" if shown_variations(character, context.scene) else NONE_HERE

    @classmethod
    def description(cls, context: Context, properties: Any) -> str:
        """Play the variation under the mouse, and return its tooltip: Blender asks for it when the mouse rests."""
        if properties.number:
            play_row(context, properties.number)
        return cls.bl_description

    def chosen(self, context: Context, character: Object) -> Variation:
        """Return the variation with the number. Raises InputError where it is gone, and where none is selected."""
        variations = shown_variations(character, context.scene)
        if not self.number:
            current = current_of(variations, character)
            if current is not None or len(variations) == 1:
                return current or variations[0]
            raise InputError(f"None of the {len(variations)} variations is selected; select one in Results first.")
        for variation in variations:
            if variation.number == self.number:
                return variation
        raise InputError(f"Variation {self.number} no longer exists; choose another.")


class GENMM_OT_show_variation(VariationOperator, Operator):
    bl_idname = "genmm.show_variation"
    bl_label = "Show Variation"
    bl_description = (
        "Select this variation's character, or have the character play it; "
        "while the mouse rests here, a ghost plays it once over the original"
    )

    def act(self, context: Context, character: Object) -> None:
        """Show the variation, and play it over the character that it was made from."""
        chosen = self.chosen(context, character)
        show_variation(context, chosen)
        play_row(context, chosen.number)


class GENMM_OT_keep_variation(VariationOperator, Operator):
    bl_idname = "genmm.keep_variation"
    bl_label = "Keep Only This"
    bl_description = "Keep this variation, and remove the others of the same batch with their characters and actions"

    def act(self, context: Context, character: Object) -> None:
        """Keep the variation and remove the others."""
        chosen = self.chosen(context, character)
        removed = keep_variation(context, chosen)
        self.report({"INFO"}, f"Variation {chosen.number} kept, {removed:,} removed.")


class GENMM_OT_apply_variation(VariationOperator, Operator):
    bl_idname = "genmm.apply_variation"
    bl_label = "Apply to My Character"
    bl_description = (
        "Give this variation to the original character, and remove the generated characters; "
        "the original's former action is kept in the file"
    )

    def act(self, context: Context, character: Object) -> None:
        """Give the motion to the original."""
        chosen = self.chosen(context, character)
        leave_editing(original_of(chosen))
        applied = apply_variation(context, chosen)
        characters = "1 character" if applied.removed == 1 else f"{applied.removed} characters"
        summary = f'"{applied.original.name}" plays variation {chosen.number}; {characters} removed.'
        self.report({"INFO"}, " ".join((summary, *applied.remarks)))


class GENMM_OT_extend_playback(CharacterOperator, Operator):
    bl_idname = "genmm.extend_playback"
    bl_label = "Extend Playback"
    bl_description = "Move the scene's end so that the whole motion plays"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where no motion ends after the scene's end, or the scene is linked; else ""."""
        if context.scene.library is not None:
            return f"{context.scene.name} is linked and cannot be changed"
        ends_later = _last_frame(context, character) > context.scene.frame_end
        return "" if ends_later else "The whole motion already plays"

    def act(self, context: Context, character: Object) -> None:
        """Move the scene's end, and the preview range's end where that is used."""
        last = _last_frame(context, character)
        context.scene.frame_end = last
        if context.scene.use_preview_range:
            context.scene.frame_preview_end = max(context.scene.frame_preview_end, last)


def _last_frame(context: Context, character: Object) -> int:
    """Return the last frame of a character's variations, and of what it plays itself."""
    return max(last_frame(shown_variations(character, context.scene)), last_frame_played(character))


class GENMM_OT_select_source(CharacterOperator, Operator):
    bl_idname = "genmm.select_source"
    bl_label = "Select Source"
    bl_description = "Select the character that this one was generated from"

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Make the recipe's character the active object."""
        source = _source(character_of(context))
        if source.name not in context.view_layer.objects:
            self.report({"ERROR"}, f"{source.name} is not in this view layer; show its collection.")
            return {"CANCELLED"}
        for selected in context.view_layer.objects.selected[:]:
            selected.select_set(False)
        context.view_layer.objects.active = source
        source.select_set(True)
        return {"FINISHED"}


def _source(character: Object | None) -> Object:
    recipe = None if character is None else recipe_of(character)
    if recipe is None:
        raise InputError("The selected character was not generated; select one that was.")
    return request_from_recipe(recipe).armature


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
