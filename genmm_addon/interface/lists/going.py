# SPDX-License-Identifier: GPL-3.0-or-later
"""Go to Frame: the buttons that show the frame of a pin, a waypoint, a cut or a flaw."""

from typing import Any

from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...core import InputError
from ...state.properties import GENMM_PG_character, readable_settings, scene_properties
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..pins.operators import pin_of, why_no_pins
from .rows import numbered_row


def _to_pin(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    context.scene.frame_set(pin_of(operator, context, character).frame)


def _to_waypoint(operator: Any, context: Context, _character: Object, settings: GENMM_PG_character) -> None:
    context.scene.frame_set(numbered_row(operator, settings.waypoints).frame)


def _to_listed_flaw(operator: Any, context: Context, _character: Object, _settings: GENMM_PG_character) -> None:
    listed = scene_properties(context.scene).repair
    first = numbered_row(operator, listed.flaws).first
    listed.active_flaw = operator.number
    context.scene.frame_set(round(first))


def _to_frame(operator: Any, context: Context, _character: Object, _settings: GENMM_PG_character) -> None:
    if not operator.properties.is_property_set("frame"):
        raise InputError("Give the frame, or press one of the buttons in the Results panel.")
    context.scene.frame_set(operator.frame)


SHOWN = {
    "pins": Operation("Go to Pin", "Show the frame of this pin", _to_pin, why_no_pins),
    "waypoints": Operation("Go to Waypoint", "Go to the frame at which the character passes it", _to_waypoint),
    "cuts": Operation(
        "Go to Cut",
        "Go to a frame at which the motion changes from one moment of the examples to another, "
        "with poses that differ from theirs by more than other takes of the same movement do",
        _to_frame,
    ),
    "leg_flaws": Operation(
        "Go to Leg Flaw",
        "Go to a frame with a flaw that the examples do not have: "
        "a knee pops, a foot stops dead, slides or is dragged, or the body floats without a planted foot",
        _to_frame,
    ),
    "flaws": Operation("Go to Flaw", "Go to the first frame of this flaw", _to_listed_flaw),
}


class GENMM_OT_go_to_frame(ChoiceOperator, Operator):
    bl_idname = "genmm.go_to_frame"
    bl_label = "Go to Frame"
    bl_description = "Go to the frame of a pin, a waypoint, a cut or a flaw"
    bl_options = {"UNDO_GROUPED"}
    bl_undo_group = "Frame Change"
    choices = SHOWN
    settings_of = staticmethod(readable_settings)

    rows: one_of(SHOWN, "List", "The list to show")
    number: IntProperty(
        name="Number", description="The waypoint or flaw in its list, from 0", min=0, options={"SKIP_SAVE"}
    )
    frame: IntProperty(
        name="Frame",
        description="The frame of the pin, the cut or the flaw; for a pin the current one if not set",
        options={"SKIP_SAVE"},
    )
