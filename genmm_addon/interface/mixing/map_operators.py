# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator of the table of bone names: matching, picking in the viewport, maps saved and loaded."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.rig import read_skeleton
from ...core import counted
from ...core.transfer import BoneMap, read_bone_map, write_bone_map
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.draw_handlers import redraw
from .other_skeletons import learns_from_others, match_bones, moving_skeletons, other_characters, other_skeletons

ENDING = ".json"
WITH_FILE = ("LOAD", "SAVE")


def _why_no_other(context: Context, character: Object) -> str:
    """Return a sentence where there is no other character whose bones could be matched; "" where there is one."""
    settings = readable_settings(character, context.scene)
    if learns_from_others(settings) or other_characters(context, character):
        return ""
    return "Add an example of another character first, or select one as well"


def _why_empty(context: Context, character: Object) -> str:
    return (
        "" if readable_settings(character, context.scene).bone_names else "The table is empty; choose Match Bones first"
    )


def _why_no_bone(context: Context, character: Object) -> str:
    if character.data.bones.active is None:
        return f"Select a bone of {character.name} in Pose Mode first"
    return _why_empty(context, character)


def _match(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Match all bones but those that the user set."""
    match_bones(settings, character, moving_skeletons(context, character, settings))
    matched = sum(bool(row.name and row.target) for row in settings.bone_names)
    doubtful = sum(row.shown_certainty == "DOUBTFUL" for row in settings.bone_names)
    names = counted(len(settings.bone_names), "bone")
    redraw(context)
    operator.report({"INFO"}, f"{matched} of {names} with a counterpart, of which {doubtful} doubtful.")


def _pick(_operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Make the active bone the counterpart in the selected row."""
    active: Any = character.data.bones.active
    chosen = min(settings.active_bone_name, len(settings.bone_names) - 1)
    for number, row in enumerate(settings.bone_names):
        if number == chosen:
            row.target, row.certainty = active.name, "SET"
        elif row.target == active.name:
            row.target = ""
    redraw(context)


def _save(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Write the table to the file."""
    path = Path(bpy.path.ensure_ext(bpy.path.abspath(operator.filepath), ENDING))
    pairs = tuple((row.name, row.target) for row in settings.bone_names if row.name or row.target)
    others = other_skeletons(context, character, settings)
    write_bone_map(path, BoneMap(pairs, path.stem, bpy.path.basename(next(iter(others), "")), character.name))
    operator.report({"INFO"}, f"Map written to {path}")


def _load(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Read the file, and set the table by it for the first other skeleton that it fits."""
    own, bone_map = read_skeleton(character), read_bone_map(Path(bpy.path.abspath(operator.filepath)))
    others = moving_skeletons(context, character, settings)
    pairs = bone_map.fitting([skeleton for skeleton, _ in others], own)
    settings.bone_names.clear()
    for name, target in pairs:
        row = settings.bone_names.add()
        row.name, row.target = name, target
    match_bones(settings, character, others)
    redraw(context)
    operator.report({"INFO"}, f"{counted(len(pairs), 'pair')} read from {operator.filepath}")


CHOICES = {
    "MATCH": Operation(
        "Match Bones",
        "Fill the table with the bones of the other characters or libraries, and with their likely counterparts on "
        "this character; pairs that you set stay",
        _match,
        _why_no_other,
    ),
    "PICK": Operation(
        "Pick Active Bone",
        "Make the active bone the counterpart in the selected row; a row that had it before has none",
        _pick,
        _why_no_bone,
    ),
    "LOAD": Operation(
        "Load Map",
        "Set the table from a map, in either direction; other bones are matched by shape",
        _load,
        _why_no_other,
    ),
    "SAVE": Operation(
        "Save Map", "Write the table to a file, for other characters and for the command line", _save, _why_empty
    ),
}


class GENMM_OT_edit_bone_names(ChoiceOperator, Operator):
    bl_idname = "genmm.edit_bone_names"
    bl_label = "Edit Bone Names"
    bl_description = "Fill the table of bone names, correct it, load it or save it"
    choices = CHOICES
    chosen_by = "what"

    what: one_of(CHOICES, "What", "What to do with the table")
    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Ask for the file of a map; do anything else at once."""
        what = self._fixed() or (self.what if self._has_choice() else "")
        if what not in WITH_FILE:
            return super().invoke(context, event)
        character, _ = character_or_reason(context)
        self.check_existing = what == "SAVE"
        if what == "SAVE" and not self.filepath:
            self.filepath = bpy.path.clean_name(character.name) + ENDING
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}
