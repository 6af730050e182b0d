# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the list of parts: add, remove, move, mirror and grow a part, and assign selected bones."""

from collections.abc import Sequence

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...animation.rig import read_skeleton
from ...core.features import grown
from ...requests.part_values import add_part, bones_of, free_name, part_named, set_bones
from ...state.direction_properties import GENMM_PG_part
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator

PAINTED = "PAINTED"


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


class PartOperator(CharacterOperator):
    """Base of operators that need a part, and in some subclasses selected bones."""

    needs_selection = False

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there is no part, or where needed bones are not selected; else ""."""
        if active_part(readable_settings(character, context.scene)) is None:
            return "There is no part yet; add one first"
        if cls.needs_selection and not selected_bones(context, character):
            return "Go to Pose Mode and select bones first"
        return ""

    def parts(self, context: Context) -> tuple[Object, GENMM_PG_character, GENMM_PG_part]:
        """Return the character, its settings for writing, and the active part, which exist where `poll` is True."""
        character, _ = character_or_reason(context)
        assert character is not None
        settings = ensure_settings(character, context.scene)
        part = active_part(settings)
        assert part is not None
        return character, settings, part


class GENMM_OT_add_part(CharacterOperator, Operator):
    bl_idname = "genmm.add_part"
    bl_label = "Add Part"
    bl_description = "Add a part: with the selected bones in Pose Mode, else an empty one to paint"

    def execute(self, context: Context) -> Outcome:
        """Append the part and make it active."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        add_part(settings, "Part", selected_bones(context, character))
        settings.parts = PAINTED
        return {"FINISHED"}


class GENMM_OT_remove_part(PartOperator, Operator):
    bl_idname = "genmm.remove_part"
    bl_label = "Remove Part"
    bl_description = "Remove the selected part from the list; its bones stay as they are"

    def execute(self, context: Context) -> Outcome:
        """Remove the part and select the one before."""
        _, settings, _ = self.parts(context)
        settings.part_list.remove(min(settings.active_part, len(settings.part_list) - 1))
        settings.active_part = max(min(settings.active_part, len(settings.part_list) - 1), 0)
        if not settings.part_list and settings.parts == PAINTED:
            settings.parts = "WHOLE_BODY"
        return {"FINISHED"}


class GENMM_OT_move_part(PartOperator, Operator):
    bl_idname = "genmm.move_part"
    bl_label = "Move Part"
    bl_description = "Move the selected part up or down in the list"

    direction: EnumProperty(
        name="Direction",
        description="The direction in which the part moves in the list",
        items=(("UP", "Up", "Towards the first"), ("DOWN", "Down", "Towards the last")),
    )

    def execute(self, context: Context) -> Outcome:
        """Swap the part with its neighbor."""
        _, settings, _ = self.parts(context)
        goal = settings.active_part + (-1 if self.direction == "UP" else 1)
        if not 0 <= goal < len(settings.part_list):
            return {"CANCELLED"}
        settings.part_list.move(settings.active_part, goal)
        settings.active_part = goal
        return {"FINISHED"}


class GENMM_OT_add_selected_bones(PartOperator, Operator):
    bl_idname = "genmm.add_selected_bones"
    bl_label = "Assign"
    bl_description = "Put the selected bones into the part"
    needs_selection = True

    def execute(self, context: Context) -> Outcome:
        """Add the bones that the part does not have yet."""
        character, _, part = self.parts(context)
        set_bones(part, (*bones_of(part), *selected_bones(context, character)))
        return {"FINISHED"}


class GENMM_OT_remove_selected_bones(PartOperator, Operator):
    bl_idname = "genmm.remove_selected_bones"
    bl_label = "Remove"
    bl_description = "Remove the selected bones from the part"
    needs_selection = True

    def execute(self, context: Context) -> Outcome:
        """Remove the bones."""
        character, _, part = self.parts(context)
        gone = set(selected_bones(context, character))
        set_bones(part, (name for name in bones_of(part) if name not in gone))
        return {"FINISHED"}


class GENMM_OT_select_part_bones(PartOperator, Operator):
    bl_idname = "genmm.select_part_bones"
    bl_label = "Select"
    bl_description = "Select the bones of the part, in Pose Mode"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there is no part or the mode is not Pose Mode; else ""."""
        return super().why_not(context, character) or ("" if context.mode == "POSE" else "Go to Pose Mode first")

    def execute(self, context: Context) -> Outcome:
        """Select only the part's bones."""
        character, _, part = self.parts(context)
        bpy.ops.pose.select_all(action="DESELECT")
        inside = set(bones_of(part))
        for bone in character.pose.bones:
            if bone.name in inside:
                # Since Blender 5.0 selection is stored on the pose bone, before that on the armature's bone.
                (bone if hasattr(bone, "select") else bone.bone).select = True
        return {"FINISHED"}


class GENMM_OT_mirror_part(PartOperator, Operator):
    bl_idname = "genmm.mirror_part"
    bl_label = "Mirror Part"
    bl_description = "Make the part of the other side, found by left and right in the bones' names"

    def execute(self, context: Context) -> Outcome:
        """Add the mirrored part, or give its bones to the part that has its name."""
        character, settings, part = self.parts(context)
        bones = bones_of(part)
        mirrored = [bpy.utils.flip_name(name) for name in bones]
        found = [name for name in mirrored if name in character.data.bones]
        missing = [name for name in mirrored if name not in character.data.bones]
        remark = _why_no_mirror(part.name, bones, mirrored, found)
        if remark:
            self.report({"INFO"}, remark)
            return {"CANCELLED"}
        name = bpy.utils.flip_name(part.name)
        other = part_named(settings, name) if name != part.name else _part_of(settings, found)
        if other is not None:
            set_bones(other, found)
        else:
            add_part(settings, free_name(settings, name), found)
        if missing:
            count = "1 bone has" if len(missing) == 1 else f"{len(missing)} bones have"
            self.report({"WARNING"}, f"{count} no counterpart; the first is {missing[0]}.")
        return {"FINISHED"}


def _why_no_mirror(name: str, bones: Sequence[str], mirrored: Sequence[str], found: Sequence[str]) -> str:
    if not bones:
        return f"{name} has no bones to mirror."
    if set(mirrored) == set(bones):
        return f"{name} is the same on both sides."
    return "" if found else f"No bone of {name} has a counterpart; there is no {mirrored[0]}."


def _part_of(settings: GENMM_PG_character, bones: Sequence[str]) -> GENMM_PG_part | None:
    found: GENMM_PG_part | None = next((part for part in settings.part_list if set(bones_of(part)) == set(bones)), None)
    return found


class GENMM_OT_grow_part(PartOperator, Operator):
    bl_idname = "genmm.grow_part"
    bl_label = "Grow Part"
    bl_description = "Add the neighbors of the part's bones, so that it overlaps other parts by one more bone"

    def execute(self, context: Context) -> Outcome:
        """Add parents and children."""
        character, _, part = self.parts(context)
        skeleton = read_skeleton(character)
        places = {name: number for number, name in enumerate(skeleton.names)}
        inside = [places[name] for name in bones_of(part) if name in places]
        larger = grown(inside, skeleton)
        if len(larger) == len(inside):
            self.report({"INFO"}, f"{part.name} has no more neighbors.")
            return {"CANCELLED"}
        set_bones(part, (skeleton.names[number] for number in larger))
        return {"FINISHED"}


CLASSES = (
    GENMM_OT_add_part,
    GENMM_OT_remove_part,
    GENMM_OT_move_part,
    GENMM_OT_add_selected_bones,
    GENMM_OT_remove_selected_bones,
    GENMM_OT_select_part_bones,
    GENMM_OT_mirror_part,
    GENMM_OT_grow_part,
)
register, unregister = registration_of(CLASSES)
