# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of bone names in a real window: filled from its menu, corrected with the active bone, undone.

Both skeletons are drawn while the table is open.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import sidebar
import window
from window import OUTPUT, choose_tab, context, facts, open_sidebar, picture, push_start, undo, until, view

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.mixing import map_drawing

MAP = OUTPUT / "map.json"


def hero() -> Any:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open("GENMM_PT_generate", "GENMM_PT_bone_names")
    window.only_sample()
    other = add_sample_character(bpy.context).armature
    for bone in other.data.bones:
        bone.name = f"mixamorig:{bone.name} there"
    item = hero().genmm.examples.add()
    item.action, item.armature = other.animation_data.action, other
    other.hide_set(True)
    with context():
        for thing in bpy.context.view_layer.objects:
            thing.select_set(thing == hero())
        bpy.context.view_layer.objects.active = hero()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.zoom(delta=-3)
        view()[0].spaces.active.region_3d.view_location.x += 1.0


def edit(what: str, **values: str) -> Any:
    def press() -> None:
        with context():
            bpy.ops.genmm.edit_bone_names("EXEC_DEFAULT", True, what=what, **values)

    press.__name__ = f"edit_{what}"
    return press


def pick() -> None:
    hero().genmm.active_bone_name = [row.name for row in hero().genmm.bone_names].index("mixamorig:Neck there")
    hero().data.bones.active = hero().data.bones["Head"]
    edit("PICK")()


def note(name: str) -> Any:
    def write() -> None:
        facts[name] = {row.name: [row.target, row.shown_certainty] for row in hero().genmm.bone_names}

    write.__name__ = f"note_{name}"
    return write


def other_tab() -> None:
    view()[1].active_panel_category = "View"


def draws(wanted: bool) -> Any:
    """Return a step that waits until both skeletons are drawn, or no longer, and notes whether they are."""

    def is_so() -> bool:
        with context():
            return map_drawing.shows_table(bpy.context) == wanted

    return until(is_so)


def note_drawn(name: str) -> Any:
    def write() -> None:
        with context():
            facts[f"drawn {name}"] = map_drawing.shows_table(bpy.context)

    write.__name__ = f"note_drawn_{name}"
    return write


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (edit("MATCH"), 1.0),
        (note("matched"), 0.0),
        (edit("SAVE", filepath=str(MAP)), 0.5),
        (other_tab, 0.5),
        (draws(False), 2.0),
        (note_drawn("beside another tab"), 0.0),
        (picture("bone_map_hidden", window.viewport), 1.0),
        (choose_tab, 0.0),
        (draws(True), 2.0),
        (note_drawn("while open"), 0.0),
        (picture("bone_map_shown", window.viewport), 1.0),
        (sidebar.press(12.0, 0.3), 0.5),
        (draws(False), 0.5),
        (note_drawn("while New Motion is closed"), 0.0),
        (sidebar.press(12.0, 0.3), 0.5),
        (draws(True), 0.5),
        (note_drawn("open again"), 0.0),
        (pick, 1.0),
        (note("picked"), 0.0),
        (picture("bone_map_picked", window.viewport), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (pick, 1.0),
        (edit("LOAD", filepath=str(MAP)), 1.0),
        (note("loaded"), 0.0),
        (undo, 0.0),
        (note("unloaded"), 0.0),
    ]
)
