# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add examples of other characters, and edit the table of bone names."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.actions import assigned
from ...animation.reading.other_characters import check_fits
from ...animation.reading.usual_pose import seen_moments
from ...animation.rig import read_skeleton
from ...core import InputError, counted
from ...core.transfer import BoneMap, match_joints, read_bone_map, write_bone_map
from ...files.named_file import file_to_write
from ...requests.choices import add_example_of, add_played_example
from ...requests.direction_values import bone_names_of
from ...state.pins_editing import own_assignment
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.draw_handlers import redraw
from ..parts.operators import active_part, why_no_part
from .other_skeletons import learns_from_others, match_bones, moving_skeletons, other_characters, other_skeletons

ENDING = ".json"
WITH_FILE = ("LOAD", "SAVE")


class GENMM_OT_add_other_character(CharacterOperator, Operator):
    bl_idname = "genmm.add_other_character"
    bl_label = "Add from Other Character"
    bl_description = "Learn from what the other selected characters play; the active object is this character"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence unless another character is selected that plays an action."""
        others = other_characters(context, character)
        if not others:
            return f"Select another character first, and {character.name} after it with Shift"
        if not any(own_assignment(other) for other in others):
            return f"{others[0].name} plays no action; give it one"
        return ""

    def act(self, context: Context, character: Object) -> None:
        """Append a row for each other character; an empty list first gets the character's own action."""
        settings = ensure_settings(character, context.scene)
        added = []
        for other in other_characters(context, character):
            active = own_assignment(other)
            if active is None:
                continue
            _check_fits(other, character, settings)
            if not settings.examples and assigned(character) is not None:
                add_played_example(character, settings, context.scene)
            add_example_of(other, settings, active, context.scene)
            added.append(other.name)
        self.report({"INFO"}, f"Learning from {', '.join(added)} as well.")


def _check_fits(other: Object, character: Object, settings: GENMM_PG_character) -> None:
    skeletons = read_skeleton(other), read_skeleton(character)
    seen, own_seen = (
        seen_moments(armature, skeleton, own_assignment(armature))
        for armature, skeleton in zip((other, character), skeletons, strict=True)
    )
    match = match_joints(*skeletons, motions=seen, target_motions=own_seen, given=bone_names_of(settings))
    check_fits(match, other.name, character.name)


class GENMM_OT_toggle_part_example(CharacterOperator, Operator):
    bl_idname = "genmm.toggle_part_example"
    bl_label = "Draw from This Example"
    bl_description = "Choose whether the part draws from this example"
    why_not = staticmethod(why_no_part)

    number: IntProperty(
        name="Example", description="The row of the list of examples", default=0, min=0, options={"SKIP_SAVE"}
    )

    def act(self, context: Context, character: Object) -> None:
        """Exclude the example, or include it again."""
        settings = ensure_settings(character, context.scene)
        part: Any = active_part(settings)
        if self.number >= len(settings.examples):
            raise InputError(f"Example {self.number + 1} is not in the list; choose another.")
        part.use_examples = True
        excluded = {row.number for row in part.excluded} ^ {self.number}
        part.excluded.clear()
        for number in sorted(excluded):
            part.excluded.add().number = number


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
    path = file_to_write(operator.filepath, ENDING)
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
