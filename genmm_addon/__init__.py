# SPDX-License-Identifier: GPL-3.0-or-later
"""GenMM for Blender: new character motion from one or a few example actions."""

import atexit
import importlib
import sys
from types import ModuleType

# In the order of their dependencies: settings before what shows them, operators before the panels with their buttons.
MODULES = (
    "state.bone_lists",
    "state.direction_properties",
    "state.crowd_properties",
    "state.library_properties",
    "state.edit_properties",
    "state.steering_properties",
    "state.properties",
    "state.exploring_properties",
    "requests.length",
    "state.settings_versions",
    "interface.presets.operators",
    "state.renamed_bones",
    "interface.library.operators",
    "libraries.build_process",
    "generation.job",
    "interface.generate.operators",
    "interface.feet.operators",
    "interface.examples.operators",
    "interface.results.operators",
    "interface.results.compare_operators",
    "interface.generate.sample_operator",
    "interface.results.source_operator",
    "state.pins_editing",
    "interface.parts.partition_operators",
    "interface.parts.operators",
    "interface.mixing.operators",
    "interface.mixing.map_drawing",
    "interface.pins.operators",
    "interface.parts.paint_operator",
    "interface.parts.paint_tool",
    "interface.timeline.menus",
    "interface.timeline.unchanged_keys",
    "interface.timeline.layer_operator",
    "interface.timeline.fill_operators",
    "interface.trajectories.operators",
    "interface.trajectories.trails",
    "interface.refining.simplify_operator",
    "interface.results.asset_operator",
    "interface.exploring.drawing",
    "interface.exploring.operators",
    "interface.exploring.pictures",
    "interface.exploring.cluster_operators",
    "interface.exploring.filing_operator",
    "interface.reach.operators",
    "interface.follow.operators",
    "interface.crowd.operators",
    "interface.presets.settings_file",
    "interface.help.operators",
    "interface.help.tip",
    "interface.feet.bone_lists",
    "interface.generate.panels",
    "interface.examples.panels",
    "interface.parts.panels",
    "interface.mixing.panels",
    "interface.generate.direction_panels",
    "interface.bringing.panels",
    "interface.ground.panels",
    "interface.labels.panels",
    "interface.reach.panels",
    "interface.follow.panels",
    "interface.waypoints.panels",
    "interface.pins.panels",
    "interface.crowd.panels",
    "interface.exploring.panels",
    "interface.library.panels",
    "interface.results.panels",
    "interface.timeline.panels",
    "interface.ribbon.drawing",
    "interface.follow.drawing",
    "interface.timeline.duration_bars",
    "interface.bringing.operators",
    "interface.ground.operators",
    "interface.timeline.continuing",
    "interface.refining.operators",
    "interface.transform.operators",
    "interface.transform.panels",
    "interface.repair.operators",
    "interface.repair.panels",
    "interface.feet.panels",
    "interface.repair.marks",
    "interface.repair.weight_drawing",
    "interface.live.drawing",
    "interface.steer.ending",
    "interface.steer.operators",
    "interface.steer.polish_operator",
    "interface.steer.panels",
    "interface.live.running",
    "interface.live.operators",
    "interface.stretches.operators",
    "interface.stretches.choosing",
    "interface.parts.overlay",
    "interface.pins.drawing",
    "interface.pins.sign",
    "interface.pins.ghosts",
    "interface.exploring.preview",
    "interface.live.preview_drawing",
    "interface.waypoints.drawing",
    "interface.handles.gizmos",
    "interface.handles.range_ends",
    "interface.lists.operators",
    "interface.lists.going",
    "interface.lists.closing",
    "interface.lists.former_ids",
    "command_line.command",
)


def _modules() -> list[ModuleType]:
    # Only here, so that importing the package needs no Blender.
    return [importlib.import_module(f".{name}", __package__) for name in MODULES]


def register() -> None:
    """Add everything to Blender."""
    import bpy

    from .state.registration import register_module

    for module in _modules():
        register_module(module)
    if not bpy.app.binary_path:
        # A mere Python module: as such Blender 4.2 crashes and 4.5 hangs at exit while an operator is registered.
        atexit.register(unregister)


def unregister() -> None:
    """Take everything out again, last come first."""
    from .state.registration import unregister_module

    atexit.unregister(unregister)
    for module in reversed(_modules()):
        unregister_module(module)


def _let_go_of_blender() -> None:
    """Drop all references to the module bpy, where it is a mere Python module.

    Blender then ends when that module is freed. Python's own caches keep some of our functions to the last, and
    with them the bpy of their modules: freed only after Python, 4.2 crashes with all work done.
    """
    bpy = sys.modules.get("bpy")
    if bpy is not None and not bpy.app.binary_path:
        for name, module in list(sys.modules.items()):
            if name.startswith(f"{__name__}."):
                vars(module).pop("bpy", None)


# Registered first, so that it comes last, after what else is done at the end.
atexit.register(_let_go_of_blender)
