# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the rows of all lists of a character: add, remove, move and clear."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...animation.foot_locks import KINDS
from ...animation.labels import TagStretch
from ...animation.row_lists import RowList
from ...animation.signals.follows import DRIVEN
from ...animation.signals.follows import SOURCES as FOLLOWED_SOURCES
from ...core import Follow, InputError
from ...core.fields import settings_in
from ...generation.request import Request
from ...state.bone_lists import feet_of
from ...state.properties import GENMM_PG_character
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.draw_handlers import redraw
from ..common.drawing import in_columns
from ..common.new_rows import bone_names_with, filled_row, prepare_row
from ..follow.rows import new_signal, parts_with, prepare_signal, signals_with, unused_values
from ..labels.rows import prepare_label, tag_items, why_no_label
from ..parts.operators import NO_PART, add_painted_part
from ..pins.operators import BONES, clear_pins, remove_pin, why_no_pins
from ..reach.rows import new_place, objects_with, prepare_place
from ..waypoints.rows import SOURCES, add_waypoints
from .rows import AS_TEXT, SELECTED, insert_stretch, move_selected, remove_numbered, remove_selected, why_fewer


def _add_bone(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Append a row and select it: in Pose Mode with the active bone, else an empty one."""
    rows = getattr(settings, operator.rows)
    bone = context.active_pose_bone if context.mode == "POSE" else None
    row = rows.add()
    if bone is not None and bone.id_data == character and bone.name not in feet_of(rows):
        row.name = bone.name
    setattr(settings, SELECTED[operator.rows], len(rows) - 1)


def _add_bone_name(_operator: Any, _context: Context, _character: Object, settings: GENMM_PG_character) -> None:
    settings.bone_names.add()
    settings.active_bone_name = len(settings.bone_names) - 1


def _clear_bone_names(_operator: Any, _context: Context, _character: Object, settings: GENMM_PG_character) -> None:
    settings.bone_names.clear()


def _adding(new_row: Callable[[Any, Context, Object], Any]) -> Callable[..., None]:
    """Return the function that inserts what `new_row` returns."""

    def add(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
        if operator.first > operator.last:
            raise InputError("The last frame lies before the first; give a later one.")
        insert_stretch(operator, settings, new_row(operator, context, character))
        redraw(context)

    return add


def _appending(new_row: Callable[[Any, Context, Object], Any]) -> Callable[..., None]:
    """Return the function that appends what `new_row` returns, in a list whose rows have no frames."""

    def add(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
        rows, text = AS_TEXT[operator.rows], getattr(settings, operator.rows)
        setattr(settings, operator.rows, rows.text([*rows.parse(text), new_row(operator, context, character)]))
        redraw(context)

    return add


def _add_listed(name: str, rows: RowList[Any]) -> Operation:
    """Return the choice that adds a row of a list over frames, with the values that its dataclass has."""
    fields = tuple(field.name for field in dataclasses.fields(rows.row))
    tooltip, act = settings_in(Request)[name].properties[0].tooltip, _adding(partial(filled_row, rows.row, fields))
    return Operation(f"Add {rows.name.title()}", tooltip, act, fields=fields, prepare=prepare_row)


STRETCH = ("first", "last")
ADD_BONE = "Add a row to the list: in Pose Mode for the active bone, else an empty one"
EMPTY = "The list is empty"
NO_NAMES = why_fewer("bone_names", "The table is empty")
ADDED = {
    **{name: _add_listed(name, rows) for name, rows in AS_TEXT.items()},
    "feet": Operation("Add Foot", ADD_BONE, _add_bone),
    "joint_weights": Operation("Add Weight", ADD_BONE, _add_bone),
    "part_list": Operation(
        "Add Part", "Add a part: with the selected bones in Pose Mode, else an empty one to paint", add_painted_part
    ),
    "bone_names": Operation("Add Bone Name", "Add an empty row to the table", _add_bone_name),
    "labels": Operation(
        "Add Label",
        "Show examples with a tag from one frame to another",
        _adding(partial(filled_row, TagStretch, ("tag", *STRETCH))),
        why_no_label,
        ("tag", *STRETCH),
        prepare_label,
    ),
    "reaches": Operation(
        "Hold Hand or Foot",
        "Keep a bone at an object from one frame to another; without an object, an empty is added where the bone is",
        _adding(new_place),
        fields=("bone", "object", *STRETCH, "turned"),
        prepare=prepare_place,
    ),
    "follows": Operation(
        "Follow Signal",
        "Let the motion follow a sound, an animated property, a stroke or another character",
        _appending(new_signal),
        fields=("signal", "named", "detail", "driven", "bone", "part", "strength"),
        prepare=prepare_signal,
        unused=unused_values,
    ),
    "waypoints": Operation(
        "Add Waypoints", "Add empties that the character passes at their frames when Generate runs", add_waypoints
    ),
}
REMOVE = "Remove the selected row from the list"
REMOVED = {
    **{
        name: Operation(f"Remove {rows.name.title()}", f"Remove this {rows.name} from the list", remove_numbered)
        for name, rows in AS_TEXT.items()
    },
    "feet": Operation("Remove Foot", REMOVE, remove_selected, why_fewer("feet", EMPTY)),
    "joint_weights": Operation("Remove Weight", REMOVE, remove_selected, why_fewer("joint_weights", EMPTY)),
    "examples": Operation(
        "Remove Example",
        "Remove the selected action from the list; the action itself stays in the file",
        remove_selected,
        why_fewer("examples", "The list is empty; the active action is the example"),
    ),
    "part_list": Operation(
        "Remove Part",
        "Remove the selected part from the list; its bones stay as they are",
        remove_selected,
        why_fewer("part_list", NO_PART),
    ),
    "bone_names": Operation("Remove Bone Name", "Remove the selected row from the table", remove_selected, NO_NAMES),
    "reaches": Operation("Remove Place", "Remove this place from the list; its object stays", remove_numbered),
    "waypoints": Operation("Remove Waypoint", "Remove the waypoint from the list; its empty stays", remove_numbered),
    "library_files": Operation(
        "Remove Library",
        "Remove this library from the list; its file stays",
        remove_numbered,
        why_fewer("library_files", "There is no library in the list"),
    ),
    "pins": Operation("Remove Pin", "Remove the pin at this frame by deleting its keys", remove_pin, why_no_pins),
}
MOVED = {
    "examples": Operation(
        "Move Example",
        "Move the selected action up or down in the list",
        move_selected,
        why_fewer("examples", "The list needs two examples to reorder", 2),
    ),
    "part_list": Operation(
        "Move Part", "Move the selected part up or down in the list", move_selected, why_fewer("part_list", NO_PART)
    ),
}
CLEARED = {
    "pins": Operation(
        "Clear Pins",
        "Remove all pins from the character; an action of your own used as pins stays in the file",
        clear_pins,
        why_no_pins,
    ),
    "bone_names": Operation(
        "Clear Bone Names", "Empty the table, so that all bones are matched automatically", _clear_bone_names, NO_NAMES
    ),
}


class GENMM_OT_add_row(ChoiceOperator, Operator):
    bl_idname = "genmm.add_row"
    bl_label = "Add to List"
    bl_description = "Add a row to one of the character's lists"
    choices = ADDED

    rows: one_of(ADDED, "List", "The list to add to")
    source: EnumProperty(name="From", description="The source of waypoints", items=SOURCES, options={"SKIP_SAVE"})
    tag: EnumProperty(name="Tag", description="The tag of the examples to show", items=tag_items, options={"SKIP_SAVE"})
    bone: StringProperty(
        name="Bone",
        description="The bone to move to the object, or to lock; a foot is named by any bone of its leg",
        search=lambda _, context, text: bone_names_with(context, text),
        options={"SKIP_SAVE"},
    )
    kind: EnumProperty(name="Lock", description="The kind of lock", items=KINDS, options={"SKIP_SAVE"})
    object: StringProperty(
        name="Object",
        description="The object to bring the bone to; if none is given, an empty is added where the bone is now",
        search=lambda _, context, text: objects_with(context, text),
        options={"SKIP_SAVE"},
    )
    signal: EnumProperty(
        name="Signal", description="The kind of signal to follow", items=FOLLOWED_SOURCES, options={"SKIP_SAVE"}
    )
    named: StringProperty(
        name="From",
        description="The sound strip, the object or the file to follow; empty for all that the sequencer plays",
        search=signals_with,
        search_options={"SUGGESTION"},
        options={"SKIP_SAVE"},
    )
    detail: StringProperty(
        name="Property or Bone",
        description="The data path of a property, such as location[2], or the bone of another character",
        options={"SKIP_SAVE"},
    )
    driven: EnumProperty(
        name="Drives", description="What rises and falls with the signal", items=DRIVEN, options={"SKIP_SAVE"}
    )
    part: StringProperty(
        name="Part",
        description="The only part that follows the signal; empty for the whole body",
        search=parts_with,
        search_options={"SUGGESTION"},
        options={"SKIP_SAVE"},
    )
    strength: FloatProperty(
        name="Strength",
        description="At 0.5, cuts are as smooth as without the signal; more follows it with more and rougher cuts",
        default=Follow.strength,
        min=0.05,
        max=1.0,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
    )
    first: IntProperty(name="First Frame", description="The first frame of the row", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="The last frame of the row", options={"SKIP_SAVE"})
    turned: BoolProperty(
        name="Turn as Object",
        description="Give the bone the object's rotation, axis by axis",
        default=False,
        options={"SKIP_SAVE"},
    )

    def draw(self, _context: Context) -> None:
        """Draw the values that a row of the list has."""
        layout = in_columns(self.layout)
        choice = self.choices[self.rows]
        unused = choice.unused(self)
        for name in choice.fields:
            if name not in unused:
                layout.prop(self, name)


class GENMM_OT_remove_row(ChoiceOperator, Operator):
    bl_idname = "genmm.remove_row"
    bl_label = "Remove from List"
    bl_description = "Remove a row from one of the character's lists"
    choices = REMOVED

    rows: one_of(REMOVED, "List", "The list to remove from")
    number: IntProperty(
        name="Number", description="The row from 0, in a list without a selected row", min=0, options={"SKIP_SAVE"}
    )
    frame: IntProperty(
        name="Frame", description="The frame of the pin; if not set, the current frame", options={"SKIP_SAVE"}
    )
    bones: EnumProperty(name="Bones", description="The bones to unpin", items=BONES, options={"SKIP_SAVE"})


class GENMM_OT_move_row(ChoiceOperator, Operator):
    bl_idname = "genmm.move_row"
    bl_label = "Move in List"
    bl_description = "Move the selected row of one of the character's lists up or down"
    choices = MOVED

    rows: one_of(MOVED, "List", "The list to reorder")
    direction: EnumProperty(
        name="Direction",
        description="The direction in which the selected row moves",
        items=(("UP", "Up", "Towards the start of the list"), ("DOWN", "Down", "Towards the end of the list")),
        options={"SKIP_SAVE"},
    )


class GENMM_OT_clear_rows(ChoiceOperator, Operator):
    bl_idname = "genmm.clear_rows"
    bl_label = "Clear List"
    bl_description = "Remove all rows from one of the character's lists"
    choices = CLEARED

    rows: one_of(CLEARED, "List", "The list to empty")
