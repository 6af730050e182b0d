# SPDX-License-Identifier: GPL-3.0-or-later
"""GenMM for Blender: new character motion from one or a few example actions."""

import atexit
import importlib
from types import ModuleType

# In the order of their dependencies: settings before what shows them, operators before the panels with their buttons.
MODULES = (
    "interface.properties",
    "interface.length",
    "interface.settings_versions",
    "interface.method_presets",
    "interface.renamed_bones",
    "interface.operator_generate",
    "interface.operator_bones",
    "interface.operator_examples",
    "interface.operator_results",
    "interface.operator_compare",
    "interface.operator_sample",
    "interface.operator_source",
    "interface.pins_editing",
    "interface.operator_partitions",
    "interface.operator_parts",
    "interface.operator_mixing",
    "interface.operator_pins",
    "interface.operator_pins_edit",
    "interface.operator_paint",
    "interface.operator_brush",
    "interface.paint_tool",
    "interface.operator_crowd",
    "interface.operator_settings_file",
    "interface.operator_help",
    "interface.panels_bones",
    "interface.panels_generate",
    "interface.panels_parts",
    "interface.panels_mixing",
    "interface.panels_direction",
    "interface.panels_pins",
    "interface.panels_crowd",
    "interface.panels_results",
    "interface.ribbon_drawing",
    "interface.parts_overlay_drawing",
    "interface.pins_drawing",
    "interface.pins_sign",
    "interface.ghosts_drawing",
    "command_line.command",
)


def _modules() -> list[ModuleType]:
    # Only here, so that importing the package needs no Blender.
    return [importlib.import_module(f".{name}", __package__) for name in MODULES]


def register() -> None:
    """Add everything to Blender."""
    import bpy

    for module in _modules():
        module.register()
    if not bpy.app.binary_path:
        # A mere Python module: as such Blender 4.2 crashes and 4.5 hangs at exit while an operator is registered.
        atexit.register(unregister)


def unregister() -> None:
    """Take everything out again, last come first."""
    atexit.unregister(unregister)
    for module in reversed(_modules()):
        module.unregister()
