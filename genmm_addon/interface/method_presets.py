# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the method's parameters, in Blender's own preset menu; three come with the extension."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel
from bpy.props import StringProperty
from bpy.types import Context, Operator, Panel

from ..core import InputError
from ..core.setting import preset_names
from ..generation.request import RECORDS
from .character_operator import CharacterOperator
from .properties import GENMM_PG_character, ensure_settings, readable_settings
from .selection import character_or_reason

SUBFOLDER = "genmm/method"
# Blender looks for a folder named "presets" in here; it keeps an extension's own presets from being removed.
SHIPPED = str(Path(__file__).parent)

LONGEST_FILE = 2**16
LONGEST_VALUE = 60
NAMES = preset_names(*RECORDS)
"""What presets hold; bones by name stay out, as root, foot or with a weight: they belong to one character."""


def write_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Write the method's parameters, one `name = value` a line."""
    lines = [f"{name} = {_rounded(getattr(settings, name))!r}\n" for name in NAMES]
    path.write_text("".join(lines), encoding="utf-8")


def _rounded(value: object) -> object:
    # Blender keeps single precision: 0.01 would be written 0.009999999776482582.
    return float(f"{value:.6g}") if isinstance(value, float) else value


def read_preset(path: Path) -> dict[str, object]:
    """The values in a preset file, which is read and never run; raises InputError where it is none."""
    try:
        if path.stat().st_size > LONGEST_FILE:
            raise ValueError
        lines = path.read_text(encoding="utf-8").splitlines()
        with warnings.catch_warnings():
            # Of a broken text Python's parser warns on the console; the sentence below is enough.
            warnings.simplefilter("ignore")
            values = {name: ast.literal_eval(value) for name, value in _assignments(lines)}
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"The preset {path.stem!r} cannot be read; save it again.") from error
    return values


def _assignments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line `name = value` with one of our names. Raises ValueError for a value longer than any of ours."""
    for line in lines:
        name, _, value = (piece.strip() for piece in line.partition("="))
        if name in NAMES:
            # Nested deeply enough a text can bring down Python's parser.
            if len(value) > LONGEST_VALUE:
                raise ValueError
            yield name, value


def apply_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Set the method's parameters from a preset file; raises InputError where a value does not fit."""
    for name, value in read_preset(path).items():
        try:
            setattr(settings, name, value)
        except TypeError as error:
            raise InputError(f"The preset {path.stem!r} has no fit value for {name}; save it again.") from error


class GENMM_OT_load_method_preset(CharacterOperator, Operator):
    bl_idname = "genmm.load_method_preset"
    bl_label = "Load Preset"
    bl_description = "Set the method's parameters to those of this preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    def execute(self, context: Context) -> set[str]:
        character, _ = character_or_reason(context)
        try:
            apply_preset(ensure_settings(character, context.scene), Path(self.filepath))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class GENMM_OT_add_method_preset(CharacterOperator, AddPresetBase, Operator):
    bl_idname = "genmm.add_method_preset"
    bl_label = "Add Preset"
    bl_description = "Save the method's parameters as a preset, or remove one"
    bl_options = {"REGISTER", "INTERNAL"}
    preset_menu = "GENMM_PT_method_presets"
    preset_subdir = SUBFOLDER

    def add(self, context: Context, filepath: str) -> None:
        """Called by AddPresetBase in place of its own writing, which knows no settings of linked characters."""
        character, _ = character_or_reason(context)
        write_preset(readable_settings(character, context.scene), Path(filepath))


class GENMM_PT_method_presets(PresetPanel, Panel):
    bl_label = "Presets"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    preset_subdir = SUBFOLDER
    preset_operator = "genmm.load_method_preset"
    preset_add_operator = "genmm.add_method_preset"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Whether there is a character to set."""
        return character_or_reason(context)[0] is not None


CLASSES = (GENMM_OT_load_method_preset, GENMM_OT_add_method_preset, GENMM_PT_method_presets)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    """Register the menu, and let Blender find the presets that come with the extension."""
    _register_classes()
    bpy.utils.register_preset_path(SHIPPED)


def unregister() -> None:
    """Undo what register did."""
    bpy.utils.unregister_preset_path(SHIPPED)
    _unregister_classes()
