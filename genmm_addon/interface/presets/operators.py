# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the method's parameters, in Blender's preset menu; three come with the extension."""

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel
from bpy.props import StringProperty
from bpy.types import Context, Object, Operator, Panel

from ...requests.presets import SHIPPED, SUBFOLDER, apply_preset, write_preset
from ...state.properties import ensure_settings, readable_settings
from ...state.selection import character_or_reason
from ..common.character_operator import CharacterOperator


class GENMM_OT_load_method_preset(CharacterOperator, Operator):
    bl_idname = "genmm.load_method_preset"
    bl_label = "Load Preset"
    bl_description = "Set the method's parameters to those of this preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    def act(self, context: Context, character: Object) -> None:
        apply_preset(ensure_settings(character, context.scene), Path(self.filepath))


class GENMM_OT_add_method_preset(CharacterOperator, AddPresetBase, Operator):
    bl_idname = "genmm.add_method_preset"
    bl_label = "Add Preset"
    bl_description = "Save the method's parameters as a preset, or remove one"
    bl_options = {"REGISTER", "INTERNAL"}
    preset_menu = "GENMM_PT_method_presets"
    preset_subdir = SUBFOLDER
    execute = AddPresetBase.execute

    def add(self, context: Context, filepath: str) -> None:
        """Write the preset; the base class cannot find the settings of linked characters."""
        character, _ = character_or_reason(context)
        try:
            write_preset(readable_settings(character, context.scene), Path(filepath))
        except OSError as error:
            self.report({"ERROR"}, f'The preset "{filepath}" could not be written: {error.strerror}.')

    def remove(self, _context: Context, filepath: str) -> None:
        """Remove the preset, unless it is a part of the extension, which Blender would delete from it for good."""
        if Path(SHIPPED) in Path(filepath).parents:
            self.report({"ERROR"}, f'The preset "{Path(filepath).stem}" comes with GenMM and cannot be removed.')
        else:
            Path(filepath).unlink()


class GENMM_PT_method_presets(PresetPanel, Panel):
    bl_label = "Presets"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    preset_subdir = SUBFOLDER
    preset_operator = "genmm.load_method_preset"
    preset_add_operator = "genmm.add_method_preset"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is a character to set."""
        return character_or_reason(context)[0] is not None


def register() -> None:
    """Add the extension's presets to Blender's preset paths."""
    bpy.utils.register_preset_path(SHIPPED)


def unregister() -> None:
    """Remove the preset path."""
    bpy.utils.unregister_preset_path(SHIPPED)
