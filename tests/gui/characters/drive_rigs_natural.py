# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys with an edit, Make Natural and assets on a Mixamo-like and a Rigify character; with pictures."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))
sys.path.insert(3, str(Path(__file__).resolve().parent))

import bpy
import window
from mathutils import Quaternion
from shown_rigs import AT, BONES, FIRST, LAST, begin, entry, head, hero, look, mode, note, part, set_up
from window import OUTPUT, Crop, Step, ask, context, key, picture, view

from genmm_addon.animation import actions
from genmm_addon.files.asset_catalogs import catalogs_of

ARMS = {"Mixamo": "mixamorig:RightArm", "Rigify": "upper_arm_fk.R"}
"""The bone that is rotated at a coarse key, by character."""
FEET = {"Mixamo": "mixamorig:RightFoot", "Rigify": "DEF-foot.R"}
"""The bone whose motion shows the steps, by character."""
PICTURES = {
    "Mixamo": ("rigs_mixamo_coarse", "rigs_mixamo_full", "rigs_mixamo_rough", "rigs_mixamo_natural"),
    "Rigify": ("rigs_rigify_coarse", "rigs_rigify_full", "rigs_rigify_rough", "rigs_rigify_natural"),
}
EDITED = 61
"""The frame of the edited key."""
EVERY = 12
"""Interval of the keys of a rough motion, in frames."""
FRAMES = range(FIRST, LAST + 1, 2)


def place(name: str, bone: str, frame: int) -> list[float]:
    """Return the world position of a bone in meters."""
    there = head(hero(name), bone, frame)
    return [there.x, there.y, there.z]


def places(name: str, bone: str) -> list[list[float]]:
    """Return the positions of a bone over the range, `(T, 3)`."""
    return [place(name, bone, frame) for frame in FRAMES]


def show_way(name: str, bone: str) -> Callable[[], None]:
    """Return a step that draws the motion path of a bone over the range, with its keys, in Pose Mode."""

    def show() -> None:
        rig = hero(name)
        for one in rig.pose.bones:
            chosen = one if hasattr(one, "select") else one.bone
            chosen.select = one.name == bone
        shown = rig.pose.animation_visualization.motion_path
        shown.frame_start, shown.frame_end = FIRST, LAST
        with context():
            bpy.ops.pose.paths_clear(only_selected=False)
            bpy.ops.pose.paths_calculate(range="MANUAL")
        shown.show_frame_numbers = shown.show_keyframe_numbers = False
        shown.show_keyframe_highlight = True
        middle = head(rig, BONES[name][0], AT)
        look((middle.x, middle.y, 0.5 * middle.z + 0.5 * head(rig, bone, AT).z), 3.0, (1.35, 0.0, 1.75))

    return show


def edit(name: str) -> Callable[[], None]:
    """Return a step that rotates the arm at a coarse key, as an animator does with R."""

    def turn() -> None:
        bpy.context.scene.frame_set(EDITED)
        bone = hero(name).pose.bones[ARMS[name]]
        assert bone.rotation_mode == "QUATERNION"
        bone.rotation_quaternion = bone.rotation_quaternion @ Quaternion((1.0, 0.0, 0.0), 0.5)
        bone.keyframe_insert("rotation_quaternion")

    return turn


def make_rough(name: str) -> Callable[[], None]:
    """Return a step that makes the character play its walk with straight lines between keys in the range."""

    def make() -> None:
        rig = hero(name)
        walk, slot = actions.assigned(rig)
        rough = walk.copy()
        rough.name = f"{name} Rough"
        for curve in actions.fcurves_of(rough, slot):
            for point in reversed(list(curve.keyframe_points)):
                if FIRST < point.co.x < LAST and (round(point.co.x) - FIRST) % EVERY:
                    curve.keyframe_points.remove(point, fast=True)
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
            curve.update()
        actions.assign(rig, rough, slot)
        with context():
            bpy.ops.ed.undo_push(message="Rough")

    return make


def refined(name: str) -> list[Step]:
    coarse, full, rough, natural = PICTURES[name]
    hand, foot = BONES[name][1], FEET[name]
    return [
        (begin(name), 1.0),
        (lambda: mode("POSE"), 0.5),
        *entry("Coarse Keys"),
        (edit(name), 0.5),
        (note(name, "edited", lambda: place(name, BONES[name][2], EDITED)), 0.0),
        (show_way(name, hand), 1.0),
        (picture(coarse, part), 0.0),
        *entry("Restore Full"),
        (note(name, "full", lambda: place(name, BONES[name][2], EDITED)), 0.0),
        (show_way(name, hand), 1.0),
        (picture(full, part), 0.0),
        (begin_again(name), 0.7),
        (note(name, "recorded", lambda: places(name, foot)), 0.0),
        (make_rough(name), 0.7),
        (note(name, "rough", lambda: places(name, foot)), 0.0),
        (show_way(name, foot), 1.0),
        (picture(rough, part), 0.0),
        *entry("Make Natural"),
        (note(name, "natural", lambda: places(name, foot)), 0.0),
        (show_way(name, foot), 1.0),
        (picture(natural, part), 0.0),
        (begin_again(name), 0.7),
        (lambda: mode("OBJECT"), 0.5),
    ]


walks: dict[str, tuple[Any, str]] = {}


def begin_again(name: str) -> Callable[[], None]:
    """Return a step that makes the character play its own walk again."""
    return lambda: actions.assign(hero(name), *walks[name])


def set_up_saved() -> None:
    set_up()
    view()[0].spaces.active.overlay.show_cursor = False
    for name in BONES:
        walks[name] = actions.assigned(hero(name))
    bpy.ops.wm.save_as_mainfile(filepath=str(OUTPUT / "rigs.blend"))


def type_catalog(name: str) -> Callable[[], None]:
    """Return a step that types a catalog into the first field of the dialog, which opens under the mouse."""

    def write() -> None:
        crop = Crop.of(view()[0])
        point = (str(crop.left + crop.width // 2 - 40), str(crop.top + crop.height // 2 + 8))
        ask("xdotool", "mousemove", *point, "sleep", "0.3", "click", "1", "sleep", "0.5", "type", "--delay", "40", name)

    return write


def marked(name: str) -> list[Step]:
    """Return the steps that mark the walk as an asset by the menu, in a typed catalog."""
    return [
        (begin(name), 1.0),
        *entry("Mark Action"),
        (type_catalog(f"Walks/{name}"), 0.7),
        (lambda: key("Return"), 0.7),
        (picture(f"rigs_{name.lower()}_mark"), 0.0),
        (lambda: key("Return"), 2.0),
        (note(name, "asset", lambda: asset_of(name)), 0.0),
    ]


def asset_of(name: str) -> list[Any]:
    """Return the path of the walk's catalog, and the size of its preview."""
    action = hero(name).animation_data.action
    data = action.asset_data
    catalog = catalogs_of(Path(bpy.data.filepath)).get(data.catalog_id, "") if data else ""
    return [catalog, list(action.preview.image_size)]


def browse() -> None:
    """Show this file's assets in place of the viewport."""
    view()[0].ui_type = "ASSETS"


def browser() -> Any:
    shown = bpy.context.window_manager.windows[0]
    return next(one for one in shown.screen.areas if one.ui_type == "ASSETS")


def show_local() -> None:
    browser().spaces.active.params.asset_library_reference = "LOCAL"
    browser().spaces.active.params.display_size = 192


window.run(
    [
        (set_up_saved, 0.0),
        *refined("Mixamo"),
        *refined("Rigify"),
        *marked("Mixamo"),
        *marked("Rigify"),
        (browse, 1.5),
        (show_local, 4.0),
        (picture("rigs_assets", lambda: Crop.of(browser())), 0.0),
    ]
)
