# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion on a Mixamo-like character without a root bone, and on Rigify's human with one; with pictures."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))
sys.path.insert(3, str(Path(__file__).resolve().parent))

import bpy
import window
from mathutils import Vector
from shown_rigs import AT, BONES, begin, entry, head, hero, look, mode, part, set_up
from window import Step, context, picture


def show_ways(name: str) -> Callable[[], None]:
    """Return a step that draws the motion paths of the root bone and of the body above it, in Pose Mode."""

    def show() -> None:
        rig = hero(name)
        mode("POSE")
        with context():
            bpy.ops.pose.select_all(action="DESELECT")
            for bone in ("root", BONES[name][0]):
                chosen = rig.pose.bones[bone] if hasattr(rig.pose.bones[bone], "select") else rig.data.bones[bone]
                chosen.select = True
            shown = rig.pose.animation_visualization.motion_path
            shown.frame_start, shown.frame_end = 1, 150
            bpy.ops.pose.paths_calculate(range="MANUAL")
            for what in ("show_frame_numbers", "show_keyframe_highlight", "show_keyframe_numbers"):
                setattr(shown, what, False)
        for collection in rig.data.collections_all:
            collection.is_visible |= collection.name == "Root"
        rig.show_in_front = True
        look(head(rig, BONES[name][0], AT) - Vector((0.0, 0.0, 0.5)), 5.0, (1.0, 0.0, 2.3))

    return show


def rooted(name: str, shown: str) -> list[Step]:
    return [
        (begin(name), 1.0),
        *entry("Root Motion"),
        (show_ways(name), 1.0),
        (picture(shown, part), 0.0),
        (lambda: mode("OBJECT"), 0.5),
    ]


window.run([(set_up, 0.0), *rooted("Mixamo", "rigs_mixamo_root"), *rooted("Rigify", "rigs_rigify_root")])
