# SPDX-License-Identifier: GPL-3.0-or-later
"""Export and import of a character's settings, for the command line and for other characters."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...core import InputError
from ...core.storage import whole_file
from ...files.named_file import file_to_write
from ...generation.recipe import ENDING, read_settings, settings_text
from ...requests.presets import take_settings
from ...requests.request_values import panel_request
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator


class GENMM_OT_export_settings(CharacterOperator, Operator):
    bl_idname = "genmm.export_settings"
    bl_label = "Export Settings"
    bl_description = "Write all values of the panel to a file, for the command line or for another character"
    bl_options = {"REGISTER"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the file."""
        character, _ = character_or_reason(context)
        if not self.filepath:
            self.filepath = bpy.path.clean_name(character.name) + ENDING
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: Context, character: Object) -> None:
        """Write the file."""
        path = file_to_write(self.filepath, ENDING)
        request, _ = panel_request(character, context.scene)
        try:
            with whole_file(path) as unfinished:
                unfinished.write_text(settings_text(request), encoding="utf-8")
        except OSError as error:
            raise InputError(f'"{path}" could not be written: {error.strerror}.') from error
        self.report({"INFO"}, f"Settings written to {path}")


class GENMM_OT_import_settings(CharacterOperator, Operator):
    bl_idname = "genmm.import_settings"
    bl_label = "Import Settings"
    bl_description = "Set the panel from a settings file; the examples stay as they are"

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: Context, character: Object) -> None:
        """Read the file, and set the panel."""
        path = Path(bpy.path.abspath(self.filepath))
        take_settings(read_settings(path), character, context.scene)
        self.report({"INFO"}, f"Settings read from {path}")
