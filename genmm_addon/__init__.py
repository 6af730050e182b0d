# SPDX-License-Identifier: GPL-3.0-or-later
"""GenMM for Blender: new character motion from one or a few example actions."""

import atexit
import importlib
from types import ModuleType

# In the order of their dependencies: settings before what shows them, operators before the panels with their buttons.
MODULES = (
    "properties",
    "method_presets",
    "operator_generate",
    "operator_bones",
    "operator_examples",
    "operator_results",
    "operator_sample",
    "operator_source",
    "panels_bones",
    "panels_generate",
    "panels_results",
    "ribbon_drawing",
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
