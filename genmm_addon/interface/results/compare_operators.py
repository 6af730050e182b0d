# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations compared: all in place, or one alone, and the next or previous one shown."""

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...character.placement import is_overlaid, set_overlaid
from ...character.tags import tagged
from ...core import InputError
from ...generation.recipe import character_of_recipe, recipe_of
from ...generation.request import Output
from ...generation.results import Variation, show_variation
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.registration import Shortcut
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.framing import frame, points_of, viewport_of
from .operators import VariationOperator
from .shown import current_of, shown_variations

HIDDEN_PROPERTY = "genmm_hidden"
"""Custom property of objects that are hidden because another variation is shown alone."""
KEYS = (("RIGHT_ARROW", "NEXT"), ("LEFT_ARROW", "PREVIOUS"))
"""Keys pressed with Alt in the 3D viewport, which Blender uses only while a text object is edited."""


def are_overlaid(batch: str) -> bool:
    """Return whether the batch's characters are shown in the original's place."""
    return any(is_overlaid(thing) for thing, _ in tagged(bpy.data.objects, batch))


def overlay(batch: str, *, overlaid: bool) -> int:
    """Show the batch's characters in the original's place, or each in its own; return the number of moved objects."""
    return sum(set_overlaid(thing, overlaid) for thing, _ in tagged(bpy.data.objects, batch))


def is_one_alone(batch: str) -> bool:
    """Return whether some of the batch's characters are hidden because another is shown alone."""
    return any(thing.get(HIDDEN_PROPERTY) for thing, _ in tagged(bpy.data.objects, batch))


def show_alone(context: Context, variation: Variation) -> None:
    """Hide the batch's other characters; objects that the user hid stay hidden when these are shown again."""
    show_together(context, variation.batch)
    layer = context.view_layer
    for thing, tag in tagged(bpy.data.objects, variation.batch):
        if tag.number != variation.number and _is_in(context, thing) and not thing.hide_get(view_layer=layer):
            thing[HIDDEN_PROPERTY] = True
            thing.hide_set(True, view_layer=layer)


def show_together(context: Context, batch: str) -> None:
    """Show the objects that `show_alone` hid."""
    for thing, _ in tagged(bpy.data.objects, batch):
        if thing.get(HIDDEN_PROPERTY):
            del thing[HIDDEN_PROPERTY]
            if _is_in(context, thing):
                thing.hide_set(False, view_layer=context.view_layer)


def step(context: Context, character: Object | None, variations: Sequence[Variation], by: int) -> Variation:
    """Show the next variation (`by` 1) or the previous one (-1), in a circle; alone if one was shown alone before.

    Raises InputError where it cannot be shown.
    """
    current = current_of(variations, character)
    numbers = [variation.number for variation in variations]
    if current is not None:
        chosen = variations[(numbers.index(current.number) + by) % len(variations)]
    else:
        chosen = variations[0 if by > 0 else -1]
    alone = chosen.output is Output.NEW_CHARACTER and is_one_alone(chosen.batch)
    if alone:
        show_together(context, chosen.batch)
    show_variation(context, chosen)
    if alone:
        show_alone(context, chosen)
    return chosen


def _is_in(context: Context, thing: Object) -> bool:
    return thing.name in context.view_layer.objects


def _shown(context: Context) -> list[Variation]:
    return shown_variations(character_of(context), context.scene)


class GENMM_OT_step_variation(VariationOperator, Operator):
    bl_idname = "genmm.step_variation"
    bl_label = "Step Variation"
    bl_description = "Show the next or the previous variation"

    direction: EnumProperty(
        name="Direction",
        description="The direction in which to go through the variations",
        items=(("NEXT", "Next", "The variation after the shown one"), ("PREVIOUS", "Previous", "The one before it")),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        """Return the tooltip for the direction, with its key."""
        if properties.direction == "NEXT":
            return "Show the next variation (Alt Right Arrow in the viewport)"
        return "Show the previous variation (Alt Left Arrow in the viewport)"

    def act(self, context: Context, character: Object) -> None:
        """Show the variation, and report its number and seed."""
        variations = _shown(context)
        chosen = step(context, character, variations, 1 if self.direction == "NEXT" else -1)
        self.report({"INFO"}, f"Variation {chosen.number} of {len(variations)}, seed {chosen.seed}.")


def _why_not_compared(context: Context, character: Object) -> str:
    """Return a sentence where no variations are characters of their own; else ""."""
    reason = VariationOperator.why_not(context, character)
    if reason:
        return reason
    separate = _shown(context)[0].output is Output.NEW_CHARACTER
    return "" if separate else "The variations are on the character itself; show them one by one"


def _in_place(operator: Any, context: Context, _character: Object, _settings: GENMM_PG_character) -> Outcome | None:
    """Move the variations to the original, or back."""
    batch = _shown(context)[0].batch
    if not overlay(batch, overlaid=not are_overlaid(batch)):
        operator.report({"INFO"}, "The variations already stand where the original does.")
        return {"CANCELLED"}
    return None


def _alone(_operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    """Hide the other variations, or show them all."""
    variations = _shown(context)
    if is_one_alone(variations[0].batch):
        show_together(context, variations[0].batch)
    else:
        show_alone(context, current_of(variations, character) or variations[0])


COMPARED = {
    "IN_PLACE": Operation(
        "Compare in Place",
        "Show the variations where the original stands, to compare them, or move them back to their places",
        _in_place,
        _why_not_compared,
    ),
    "ALONE": Operation(
        "Show Alone", "Hide the other variations of the same batch, or show them again", _alone, _why_not_compared
    ),
}


class GENMM_OT_compare_variations(ChoiceOperator, Operator):
    bl_idname = "genmm.compare_variations"
    bl_label = "Compare Variations"
    bl_description = "Show the variations in the same place, or one of them alone"
    choices = COMPARED
    chosen_by = "action"
    settings_of = staticmethod(readable_settings)

    action: one_of(COMPARED, "Action", "The way to compare")


class GENMM_OT_frame_results(VariationOperator, Operator):
    bl_idname = "genmm.frame_results"
    bl_label = "Frame Results"
    bl_description = "Show all variations and the character they were made from in the viewport, with all their travel"
    bl_options = {"REGISTER"}

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there are no variations or no viewport; else ""."""
        reason = super().why_not(context, character)
        return reason or ("" if viewport_of(context) is not None else "Results are framed in a 3D viewport")

    def execute(self, context: Context) -> Outcome:
        """Move the view."""
        variations = _shown(context)
        rigs = [variation.object for variation in variations]
        viewport = viewport_of(context)
        assert viewport is not None
        try:
            recipe = recipe_of(variations[0].action or rigs[0])
            rigs += [] if recipe is None else [character_of_recipe(recipe)]
        except InputError:
            pass  # The original is gone; the results can still be framed.
        frame(points_of(dict.fromkeys(rigs)), viewport)
        return {"FINISHED"}


SHORTCUTS = tuple(
    Shortcut("3D View", "VIEW_3D", GENMM_OT_step_variation.bl_idname, key, ("alt",), {"direction": direction})
    for key, direction in KEYS
)
