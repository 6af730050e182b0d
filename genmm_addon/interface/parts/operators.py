# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the list of parts: add, remove, move, choose, mirror and grow a part, and assign selected bones."""

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...animation.rig import read_skeleton
from ...core import InputError
from ...core.features import grown
from ...requests.part_values import add_part, bones_of, free_name, part_named, set_bones
from ...state.direction_properties import GENMM_PG_part
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.selection import keeps_selection
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.choice_operator import ChoiceOperator, Operation, one_of

PAINTED = "PAINTED"
NO_PART = "There is no part yet; add one first"


def active_part(settings: GENMM_PG_character) -> GENMM_PG_part | None:
    """Return the part selected in the list; None without one."""
    parts: Sequence[GENMM_PG_part] = settings.part_list
    number: int = settings.active_part
    return parts[min(max(number, 0), len(parts) - 1)] if len(parts) else None


def selected_bones(context: Context, character: Object) -> list[str]:
    """Return the character's selected bones, in Pose Mode."""
    if context.mode != "POSE":
        return []
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == character]


def add_painted_part(_operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Append a part of the selected bones, and make it active."""
    add_part(settings, "Part", selected_bones(context, character))
    settings.parts = PAINTED


def _assign(_operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    part = active_part(settings)
    set_bones(part, (*bones_of(part), *selected_bones(context, character)))


def _remove(_operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    part, gone = active_part(settings), set(selected_bones(context, character))
    set_bones(part, (name for name in bones_of(part) if name not in gone))


def _select(_operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> None:
    bpy.ops.pose.select_all(action="DESELECT")
    inside = set(bones_of(active_part(settings)))
    for bone in character.pose.bones:
        if bone.name in inside:
            keeps_selection(bone).select = True


def _mirror(operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> Outcome | None:
    """Add the mirrored part, or give its bones to the part that has its name."""
    part = active_part(settings)
    bones = bones_of(part)
    mirrored = [bpy.utils.flip_name(name) for name in bones]
    counterparts = [name for name in mirrored if name in character.data.bones]
    missing = [name for name in mirrored if name not in character.data.bones]
    remark = _why_no_mirror(part.name, bones, mirrored, counterparts)
    if remark:
        operator.report({"INFO"}, remark)
        return {"CANCELLED"}
    name = bpy.utils.flip_name(part.name)
    other = part_named(settings, name) if name != part.name else _part_of(settings, counterparts)
    if other is not None:
        set_bones(other, counterparts)
    else:
        add_part(settings, free_name(settings, name), counterparts)
    if missing:
        count = "1 bone has" if len(missing) == 1 else f"{len(missing)} bones have"
        operator.report({"WARNING"}, f"{count} no counterpart; the first is {missing[0]}.")
    return None


def _why_no_mirror(name: str, bones: Sequence[str], mirrored: Sequence[str], counterparts: Sequence[str]) -> str:
    if not bones:
        return f"{name} has no bones to mirror."
    if set(mirrored) == set(bones):
        return f"{name} is the same on both sides."
    return "" if counterparts else f"No bone of {name} has a counterpart, such as {mirrored[0]}."


def _part_of(settings: GENMM_PG_character, bones: Sequence[str]) -> GENMM_PG_part | None:
    same: GENMM_PG_part | None = next((part for part in settings.part_list if set(bones_of(part)) == set(bones)), None)
    return same


def _grow(operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> Outcome | None:
    """Add parents and children."""
    part, skeleton = active_part(settings), read_skeleton(character)
    places = {name: number for number, name in enumerate(skeleton.names)}
    inside = [places[name] for name in bones_of(part) if name in places]
    larger = grown(inside, skeleton)
    if len(larger) == len(inside):
        operator.report({"INFO"}, f"{part.name} has no more neighbors.")
        return {"CANCELLED"}
    set_bones(part, (skeleton.names[number] for number in larger))
    return None


def why_no_part(context: Context, character: Object) -> str:
    """Return a sentence where the list of parts is empty; "" where it is not."""
    return "" if readable_settings(character, context.scene).part_list else NO_PART


def _why_no_selection(context: Context, character: Object) -> str:
    selected = selected_bones(context, character)
    return why_no_part(context, character) or ("" if selected else "Go to Pose Mode and select bones first")


def _why_not_posing(context: Context, character: Object) -> str:
    return why_no_part(context, character) or ("" if context.mode == "POSE" else "Go to Pose Mode first")


EDITS = {
    "ASSIGN": Operation("Assign", "Put the selected bones into the part", _assign, _why_no_selection),
    "REMOVE": Operation("Remove", "Remove the selected bones from the part", _remove, _why_no_selection),
    "SELECT": Operation("Select", "Select the bones of the part, in Pose Mode", _select, _why_not_posing),
    "MIRROR": Operation(
        "Mirror Part",
        "Make the part of the other side, found by left and right in the bones' names",
        _mirror,
        why_no_part,
    ),
    "GROW": Operation(
        "Grow Part",
        "Add the neighbors of the part's bones, so that it overlaps other parts by one more bone",
        _grow,
        why_no_part,
    ),
}


class GENMM_OT_edit_part(ChoiceOperator, Operator):
    bl_idname = "genmm.edit_part"
    bl_label = "Edit Part"
    bl_description = "Change the bones of the selected part, or mirror it"
    choices = EDITS
    chosen_by = "action"

    action: one_of(EDITS, "Action", "The change of the selected part")


class GENMM_OT_choose_part(CharacterOperator, Operator):
    bl_idname = "genmm.choose_part"
    bl_label = "Choose Part"
    bl_description = "Paint this part from now on"

    part: IntProperty(name="Part", description="The row of the part in the list", min=0)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there are no parts; "" where there are."""
        return "" if readable_settings(character, context.scene).part_list else "There are no parts yet; paint one"

    def act(self, context: Context, character: Object) -> None:
        """Make the part active."""
        settings = ensure_settings(character, context.scene)
        if self.part >= len(settings.part_list):
            raise InputError(f"Part {self.part + 1} is not in the list; choose another.")
        settings.active_part = self.part
