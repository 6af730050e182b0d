# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here, from an armature of the file, from motion files, or from a library."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator, OperatorFileListElement

from ...animation.actions import assign
from ...animation.fitting import fitting_actions
from ...animation.keys.simplification import KeySpacing, simplification
from ...animation.pins.action import is_own
from ...animation.stretches.linked import is_linked
from ...core import InputError, counted
from ...editing.bringing.bringing import SPACINGS, BringOptions, bring_each, gathered_notes
from ...editing.bringing.incoming import Incoming, action_coming, clip_coming, file_coming
from ...files.import_file import ENDINGS
from ...libraries.choosing import LibraryChoice, clip_names
from ...requests.direction_values import bone_names_of
from ...requests.library_values import library_files
from ...state.pins_editing import own_assignment
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome, report_done
from ..common.character_operator import why_not_now
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.drawing import in_columns
from ..common.progress_display import busy
from ..mixing.other_skeletons import other_characters
from ..refining.simplify_operator import max_angle, max_offset
from ..timeline.stretch_operator import play_all

FIELDS = ("in_place", "root_motion", "path_scale", "spacing")
ERRORS = ("degrees", "percent")
Coming = Callable[[], Sequence[Incoming]]


def _bring(
    operator: Any, context: Context, character: Object, settings: GENMM_PG_character, sources: Sequence[Coming]
) -> Outcome:
    """Bring the motions of each source; one that cannot be brought is reported, and the others still are."""
    keys = simplification(KeySpacing[operator.spacing], operator.degrees, operator.percent)
    options = BringOptions(
        in_place=operator.in_place,
        path_scale=operator.path_scale,
        root_motion=settings.root_motion_bone if operator.root_motion else "",
        keys=keys,
        bone_names=bone_names_of(settings),
        keep_contacts=settings.keep_contacts,
    )
    with busy(context):
        brought, refused = bring_each(character, context.scene, sources, options)
    if not brought:
        raise InputError(" ".join(gathered_notes((), refused)) or "There is nothing to bring; choose a file.")
    assign(character, brought[0].action, brought[0].slot)
    names = f'"{brought[0].action.name}"' if len(brought) == 1 else counted(len(brought), "action")
    shown = play_all(context, character, brought[0].last)
    report_done(operator, gathered_notes(brought, refused), f"{names} brought to {character.name}.{shown}")
    return {"FINISHED"}


def _from_armature(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> Outcome:
    armature: Object | None = bpy.data.objects.get(operator.armature)
    action: Action | None = bpy.data.actions.get(operator.action)
    if armature is None or armature.type != "ARMATURE" or armature == character:
        raise InputError("Choose another armature of the file, which plays the action to bring.")
    if action is None:
        raise InputError(f'Action "{operator.action}" was not found; choose one of "{armature.name}".')
    return _bring(operator, context, character, settings, [lambda: [action_coming(armature, action, context.scene)]])


def _from_files(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> Outcome:
    folder = Path(bpy.path.abspath(operator.directory))
    paths = [folder / item.name for item in operator.files if item.name]
    if not paths and operator.filepath:
        paths = [Path(bpy.path.abspath(operator.filepath))]

    def coming_of(path: Path) -> Coming:
        return lambda: file_coming(path)

    return _bring(operator, context, character, settings, [coming_of(path) for path in paths])


def _from_library(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> Outcome:
    choice = LibraryChoice(library_files(settings))
    if not operator.clip:
        raise InputError("Choose the clip to bring.")
    return _bring(operator, context, character, settings, [lambda: [clip_coming(choice, operator.clip)]])


def _other_armatures(context: Context, character: Object | None) -> list[Object]:
    return [thing for thing in context.scene.objects if thing.type == "ARMATURE" and thing != character]


def _why_no_armature(context: Context, character: Object) -> str:
    if _other_armatures(context, character):
        return ""
    return "The scene has no other armature; append one, or bring the action from a file"


def _why_no_library(context: Context, character: Object) -> str:
    if library_files(readable_settings(character, context.scene)):
        return ""
    return "Add a library to learn from first"


def _suggest_armature(operator: Any, context: Context, character: Object) -> None:
    """Set the selected other armature, or the only one, and the action that it plays."""
    if operator.armature:
        return
    other = next(iter(other_characters(context, character) or _other_armatures(context, character)), None)
    if other is not None:
        playing = own_assignment(other)
        actions = [playing[0]] if playing else _actions_of(other)[:1]
        operator.armature, operator.action = other.name, actions[0].name if actions else ""


ORIGINS = {
    "ARMATURE": Operation(
        "From Armature",
        "Choose an action of another armature in the file, and make it an action of this character: feet stand where "
        "and when they do there, and hands touch the body",
        _from_armature,
        _why_no_armature,
        fields=("armature", "action", *FIELDS),
        prepare=_suggest_armature,
    ),
    "FILES": Operation(
        "From Files",
        "Choose one or several BVH, FBX, glTF or .blend files, and make each of their actions an action of this "
        "character: feet stand where and when they do there, and hands touch the body",
        _from_files,
    ),
    "LIBRARY": Operation(
        "From Library",
        "Choose a clip of this character's libraries, and make it an action of this character",
        _from_library,
        _why_no_library,
        fields=("clip", *FIELDS),
    ),
}


def _actions_of(armature: Object) -> list[Action]:
    return [action for action in fitting_actions(armature) if not is_own(action)]


def _armature_names(_operator: Any, context: Context, text: str) -> list[str]:
    rigs = _other_armatures(context, character_or_reason(context)[0])
    return [rig.name for rig in rigs if text.lower() in rig.name.lower()]


def _action_names(operator: Any, _context: Context, text: str) -> list[str]:
    armature: Object | None = bpy.data.objects.get(operator.armature)
    actions = _actions_of(armature) if armature is not None and armature.type == "ARMATURE" else []
    return [action.name for action in actions if text.lower() in action.name.lower()]


def _clip_names(_operator: Any, context: Context, text: str) -> list[str]:
    character = character_or_reason(context)[0]
    if character is None:
        return []
    try:
        names = clip_names(LibraryChoice(library_files(readable_settings(character, context.scene))))
    except InputError:
        return []
    return [name for name in names if text.lower() in name.lower()]


class GENMM_OT_bring_action(ChoiceOperator, Operator):
    bl_idname = "genmm.bring_action"
    bl_label = "Bring Action Here"
    bl_description = "Make an action of another skeleton an action of this character"

    choices = ORIGINS
    chosen_by = "origin"
    settings_of = staticmethod(readable_settings)

    origin: one_of(ORIGINS, "From", "Where the action comes from")
    armature: StringProperty(name="Armature", description="The armature that plays the action", search=_armature_names)
    action: StringProperty(name="Action", description="The action to bring", search=_action_names)
    clip: StringProperty(name="Clip", description="The clip to bring", search=_clip_names)
    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE", "HIDDEN"})
    files: CollectionProperty(type=OperatorFileListElement, options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=";".join(f"*{ending}" for ending in ENDINGS), options={"HIDDEN"})
    in_place: BoolProperty(
        name="In Place", description="Leave out the travel over the ground: the character moves on the spot"
    )
    root_motion: BoolProperty(
        name="Root Motion",
        description="Move the travel to the bone at the top of the skeleton, as game engines expect it",
    )
    path_scale: FloatProperty(
        name="Path Scale",
        description="Factor on the travel, which already follows the length of the legs; feet still stand",
        default=1.0,
        min=0.01,
        soft_min=0.5,
        soft_max=2.0,
        max=100.0,
    )
    spacing: EnumProperty(
        name="Keys",
        description="The frames that get keys",
        items=[(choice.identifier, choice.label, choice.tooltip) for choice in SPACINGS],
    )
    degrees: max_angle()
    percent: max_offset()

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why no action can be brought; else ""."""
        reason = why_not_now(context)
        if reason:
            return reason
        if is_linked(character):
            return f"{character.name} is linked and cannot be given an action; make an editable library override"
        return super().why_not(context, character)

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Ask for files in the file browser, and for the others in a dialog."""
        if self._has_choice() and self.origin == "FILES" and not self.filepath:
            context.window_manager.fileselect_add(self)
            return {"RUNNING_MODAL"}
        return super().invoke(context, event)

    def draw(self, _context: Context) -> None:
        """Draw the fields of the chosen origin, and the options."""
        layout = in_columns(self.layout)
        for name in ORIGINS[self.origin].fields or FIELDS:
            layout.prop(self, name)
        if self.spacing != "EVERY_FRAME":
            for name in ERRORS:
                layout.prop(self, name)
