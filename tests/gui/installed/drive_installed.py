# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed extension, without this repository: enabled, used, disabled."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import addon_utils
import bpy
import window
from sidebar import press_button
from window import DONE, context, facts, picture

MODULE = "bl_ext.user_default.genmm"


def state() -> dict[str, Any]:
    """Return everything that an extension may have added to Blender."""
    handlers = [name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list)]
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    return {
        "types": sorted(name for name in dir(bpy.types) if "genmm" in name.lower()),
        "properties": [hasattr(bpy.types.Object, "genmm"), hasattr(bpy.types.Scene, "genmm")],
        "handlers": {name: len(getattr(bpy.app.handlers, name)) for name in handlers},
        "operators": sorted(dir(bpy.ops.genmm)),
        "keymap_items": {keymap.name: len(keymap.keymap_items) for keymap in keymaps if len(keymap.keymap_items)},
        "tools": sorted(_tools()),
        "presets": bpy.utils.preset_paths("genmm/method"),
        "modules": sorted(name for name in sys.modules if name.startswith(MODULE)),
        "timers": len([timer for timer in dir(bpy.app.timers) if "genmm" in timer]),
    }


def _tools() -> list[str]:
    from bl_ui.space_toolsystem_common import ToolSelectPanelHelper

    toolbar = ToolSelectPanelHelper._tool_class_from_space_type("VIEW_3D")
    every = [tool for tools in toolbar._tools.values() for tool in ToolSelectPanelHelper._tools_flatten(tools)]
    return [tool.idname for tool in every if tool is not None and "genmm" in tool.idname]


def before() -> None:
    facts["before"] = state()
    # Enabled and disabled once before, since Blender keeps a menu's list of drawing functions after the first entry.
    addon_utils.enable(MODULE)
    addon_utils.disable(MODULE)
    facts["once"] = state()


def enable() -> None:
    bpy.ops.preferences.addon_enable(module=MODULE)
    facts["enabled"] = state()


def add() -> None:
    window.only_sample()
    with context():
        bpy.ops.ed.undo_push(message="Added")


def used() -> None:
    facts["rigs"] = sorted(thing.name for thing in bpy.data.objects if thing.type == "ARMATURE")
    with context():
        bpy.ops.wm.tool_set_by_id(name="genmm.paint_parts", space_type="VIEW_3D")


def leave_tool() -> None:
    with context():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box", space_type="VIEW_3D")


def disable() -> None:
    bpy.ops.preferences.addon_disable(module=MODULE)
    facts["after"] = state()


window.run(
    [
        (before, 0.5),
        (enable, 0.5),
        (add, 0.5),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("generate_motion()"), DONE),
        (used, 1.0),
        (leave_tool, 0.5),
        (picture("installed"), 0.0),
        (disable, 1.0),
        (picture("disabled"), 0.0),
    ]
)
