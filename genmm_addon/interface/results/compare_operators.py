# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that show variations: in the original's place, one alone, the next or previous one, all in view."""

from typing import Any

from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...core import InputError
from ...generation.recipe import character_of_recipe, recipe_of
from ...generation.request import Output
from ...generation.results import Variation
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.registration import Shortcut
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.framing import frame, points_of, viewport_of
from .comparing import are_overlaid, is_one_alone, overlay, show_alone, show_together, step
from .operators import VariationOperator
from .shown import current_of, shown_variations

KEYS = (("RIGHT_ARROW", "NEXT"), ("LEFT_ARROW", "PREVIOUS"))
"""Keys pressed with Alt in the 3D viewport, which Blender uses only while a text object is edited."""


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
