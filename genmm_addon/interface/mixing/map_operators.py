# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the table of bone names: guessed, picked in the viewport, saved as a map, and read from one."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.rig import read_skeleton
from ...core import counted
from ...core.transfer import BoneMap, read_bone_map, write_bone_map
from ...state.properties import ensure_settings, readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.refusals import reports_refusal
from .other_skeletons import guess, learns_from_others, other_characters, other_skeletons

ENDING = ".json"


def why_no_other(context: Context, character: Object) -> str:
    """Return a sentence where there is no other character whose bones could be matched; "" where there is one."""
    settings = readable_settings(character, context.scene)
    if learns_from_others(settings) or other_characters(context, character):
        return ""
    return "Add an example of another character first, or select one as well"


class GENMM_OT_guess_bone_names(CharacterOperator, Operator):
    bl_idname = "genmm.guess_bone_names"
    bl_label = "Guess Names"
    bl_description = (
        "Fill the table with the bones of the other characters or libraries, and with their likely counterparts on "
        "this character; pairs that you set stay"
    )
    why_not = staticmethod(why_no_other)

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Guess all pairs but those that the user set."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        guess(settings, read_skeleton(character), other_skeletons(context, character, settings).values())
        matched = sum(bool(row.name and row.target) for row in settings.bone_names)
        doubtful = sum(row.shown_certainty == "DOUBTFUL" for row in settings.bone_names)
        names = counted(len(settings.bone_names), "bone")
        self.report({"INFO"}, f"{matched} of {names} with a counterpart, of which {doubtful} doubtful.")
        return {"FINISHED"}


class GENMM_OT_pick_counterpart(CharacterOperator, Operator):
    bl_idname = "genmm.pick_counterpart"
    bl_label = "Pick"
    bl_description = "Make the active bone the counterpart in the selected row; a row that had it before has none"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence without a row or an active bone."""
        if not readable_settings(character, context.scene).bone_names:
            return "The table is empty"
        return "" if character.data.bones.active else f"Select a bone of {character.name} in Pose Mode first"

    def execute(self, context: Context) -> Outcome:
        """Set the row's bone."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        bone, chosen = character.data.bones.active.name, min(settings.active_bone_name, len(settings.bone_names) - 1)
        for number, row in enumerate(settings.bone_names):
            if number == chosen:
                row.target, row.certainty = bone, "SET"
            elif row.target == bone:
                row.target = ""
        return {"FINISHED"}


class GENMM_OT_save_bone_map(CharacterOperator, Operator):
    bl_idname = "genmm.save_bone_map"
    bl_label = "Save Map"
    bl_description = "Write the table to a file, for other characters and for the command line"
    bl_options = {"REGISTER"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence for an empty table."""
        return "" if readable_settings(character, context.scene).bone_names else "The table is empty; guess first"

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the file."""
        character, _ = character_or_reason(context)
        if not self.filepath:
            self.filepath = bpy.path.clean_name(character.name) + ENDING
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Write the file."""
        character, _ = character_or_reason(context)
        settings = readable_settings(character, context.scene)
        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), ENDING))
        pairs = tuple((row.name, row.target) for row in settings.bone_names if row.name or row.target)
        others = other_skeletons(context, character, settings)
        write_bone_map(path, BoneMap(pairs, path.stem, bpy.path.basename(next(iter(others), "")), character.name))
        self.report({"INFO"}, f"Map written to {path}")
        return {"FINISHED"}


class GENMM_OT_load_bone_map(CharacterOperator, Operator):
    bl_idname = "genmm.load_bone_map"
    bl_label = "Load Map"
    bl_description = "Set the table from a map, in either direction; bones that are not in it are guessed"
    why_not = staticmethod(why_no_other)

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Read the file, and set the table by it for the first other skeleton that it fits."""
        character, _ = character_or_reason(context)
        own, settings = read_skeleton(character), ensure_settings(character, context.scene)
        bone_map = read_bone_map(Path(bpy.path.abspath(self.filepath)))
        others = list(other_skeletons(context, character, settings).values())
        pairs = bone_map.fitting(others, own)
        settings.bone_names.clear()
        for name, target in pairs:
            row = settings.bone_names.add()
            row.name, row.target = name, target
        guess(settings, own, others)
        self.report({"INFO"}, f"{counted(len(pairs), 'pair')} read from {self.filepath}")
        return {"FINISHED"}


CLASSES = (GENMM_OT_guess_bone_names, GENMM_OT_pick_counterpart, GENMM_OT_save_bone_map, GENMM_OT_load_bone_map)
register, unregister = registration_of(CLASSES)
