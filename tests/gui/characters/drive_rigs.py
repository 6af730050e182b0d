# SPDX-License-Identifier: GPL-3.0-or-later
"""Places, trajectories and hands by mouse on a Mixamo-like and a Rigify character, canceled, taken, undone."""

import math
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
from mathutils import Vector
from shown_rigs import (
    BONES,
    FIRST,
    begin,
    entry,
    feet_names,
    from_handle,
    generate,
    generate_as_step,
    head,
    heads,
    hero,
    look,
    lowest,
    made_by,
    mode,
    note,
    part,
    place_handle,
    select,
    set_up,
)
from window import DONE, Crop, Step, ask, context, key, picture, undo, until, view

from genmm_addon.animation import actions
from genmm_addon.interface.trajectories.operators import OfferedTrajectories, on_screen

PLACES = ((1, 0.0, 0.0), (60, 0.4, -2.0), (120, 1.6, -3.2))
"""Waypoints: their frames and positions."""
PICTURES = {
    "Mixamo": ("rigs_mixamo_trajectories", "rigs_mixamo_reach", "rigs_mixamo_waypoints", "rigs_mixamo_stairs"),
    "Rigify": ("rigs_rigify_trajectories", "rigs_rigify_reach", "rigs_rigify_waypoints", "rigs_rigify_stairs"),
}

offered = window.latest(OfferedTrajectories)


def to_way() -> None:
    area, _ = view()
    region = window.content(area)
    points = on_screen(offered[0].trajectories, region, area.spaces.active.region_3d)[-1]
    x, y = points[len(points) // 2]
    window.move_mouse(*window.point_in_window(region, x, y))


def played(name: str) -> Callable[[], list[Any]]:
    """Return a function for a fingerprint of the character's action, with the action's name and number of keys."""

    def told() -> list[Any]:
        action = hero(name).animation_data.action
        curves = actions.fcurves_of(action)
        inside = sum(curve.evaluate(frame) for curve in curves for frame in (50, 60, 70, 80, 90))
        return [action.name, sum(len(curve.keyframe_points) for curve in curves), round(float(inside), 3)]

    return told


def add_waypoints(name: str) -> Callable[[], None]:
    def add() -> None:
        settings = hero(name).genmm
        settings.frames, settings.seed, settings.new_seed = 120, 3, False
        for frame, x, y in PLACES:
            bpy.context.scene.frame_set(frame)
            bpy.context.scene.cursor.location = (x, y, 0.0)
            with context():
                bpy.ops.genmm.add_row(rows="waypoints", source="CURSOR")
        look((0.8, -1.8, 0.6), 6.5, (0.85, 0.0, 0.9))
        # From now on only the empty is selected, as for a user who moves it.
        select(settings.waypoints[1].empty)
        crop = Crop.of(view()[0])
        window.move_mouse(crop.left + crop.width // 2, crop.top + crop.height // 2)

    return add


def drag(*keys: str) -> Callable[[], None]:
    return lambda: ask("xdotool", "key", "--delay", "150", "g", "x", *keys)


def missed(name: str) -> float:
    """Return the largest distance of the new character from a waypoint, along the ground, in meters."""
    made = made_by(name)
    rows = hero(name).genmm.waypoints
    return float(
        max((head(made, BONES[name][0], row.frame).xy - row.empty.matrix_world.translation.xy).length for row in rows)
    )


STAIR = 0.15, 0.3
"""Height and depth of a stair in meters; the walk goes along -Y."""
CLIMBING = 125
"""The frame of the picture on the stairs."""


def place_stairs(name: str) -> Callable[[], None]:
    def place() -> None:
        start = head(hero(name), BONES[name][0], FIRST).y - 0.5
        height, depth = STAIR
        corners, faces = [(-9.0, 9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, start, 0.0), (9.0, start, 0.0)], [(1, 0, 2, 3)]
        for number in range(40):
            first, y = len(corners), start - number * depth
            for back, z in ((0.0, number), (0.0, number + 1), (depth, number + 1)):
                corners += [(-9.0, y - back, z * height), (9.0, y - back, z * height)]
            faces += [(first, first + 1, first + 3, first + 2), (first + 3, first + 2, first + 4, first + 5)]
        mesh = bpy.data.meshes.new("Stairs")
        mesh.from_pydata(corners, [], faces)
        stairs = bpy.data.objects.new(f"{name} Stairs", mesh)
        bpy.context.scene.collection.objects.link(stairs)
        hero(name).genmm.ground_object = stairs
        select(hero(name))
        hips = head(hero(name), BONES[name][0], CLIMBING)
        look(hips + Vector((0.0, 0.0, 0.4)), 5.0, (1.35, 0.0, 1.2))
        with context():
            bpy.ops.ed.undo_push(message="Stairs")

    return place


def leave_stairs(name: str) -> Callable[[], None]:
    def leave() -> None:
        hero(name).genmm.ground_object = None
        bpy.data.objects[f"{name} Stairs"].hide_set(True)
        select(hero(name))

    return leave


def ask_for_new(name: str) -> Callable[[], None]:
    def ask_for() -> None:
        settings = hero(name).genmm
        settings.use_ground, settings.frames, settings.seed, settings.new_seed = True, 120, 3, False
        select(hero(name))

    return ask_for


def in_stairs(name: str, shown: str = "", frames: range = range(1, 150, 2)) -> Callable[[], list[float]]:
    """Return a function for the largest depth in meters of each joint of the feet below the treads.

    shown: the name of the result to measure.
    """

    def told() -> list[float]:
        stairs = hero(name).genmm.ground_object
        start, (height, depth) = stairs.data.vertices[2].co.y, STAIR
        rig, feet = hero(shown or name), feet_names(name)
        depths = [
            [height * max(0, math.floor((start - one.y) / depth) + 1) - one.z for one in heads(rig, feet, frame)]
            for frame in frames
        ]
        bpy.context.scene.frame_set(CLIMBING)
        return [max(of_joint) for of_joint in zip(*depths, strict=True)]

    return told


def lows(name: str) -> Callable[[], list[float]]:
    return lambda: lowest(name, range(1, 150, 2))


def rooted(name: str) -> Callable[[], list[float]]:
    """Return a function for the positions of root bone and body near the end of the walk; empty without a root bone."""

    def told() -> list[float]:
        rig = hero(name)
        if "root" not in rig.data.bones:
            return []
        root, hips = (head(rig, bone, 140) for bone in ("root", BONES[name][0]))
        return [root.x, root.y, root.z, hips.x, hips.y, hips.z]

    return told


def is_asset(name: str) -> Callable[[], bool]:
    def told() -> bool:
        action = hero(name).animation_data.action
        return action.asset_data is not None and action.preview is not None and any(action.preview.image_size)

    return told


def tried(name: str) -> list[Step]:
    ways, reach, waypoints, stairs = PICTURES[name]
    return [
        (begin(name), 1.0),
        (note(name, "start", played(name)), 0.0),
        # Trajectories: canceled by Esc, then chosen by a click, and undone.
        (offered.clear, 0.1),
        *entry("Choose Traj", 0.0),
        (until(lambda: bool(offered)), 0.5),
        (lambda: key("Escape"), DONE),
        (note(name, "left", played(name)), 0.0),
        (offered.clear, 0.1),
        *entry("Choose Traj", 0.0),
        (until(lambda: bool(offered)), 0.5),
        (to_way, 1.0),
        (picture(ways, part), 0.0),
        (lambda: ask("xdotool", "click", "1"), DONE),
        (note(name, "clicked", played(name)), 0.0),
        (undo, 0.0),
        (note(name, "undone", played(name)), 0.0),
        # Coarse keys and back, in Pose Mode.
        (lambda: mode("POSE"), 0.5),
        *entry("Coarse Keys"),
        (note(name, "coarse", played(name)), 0.0),
        *entry("Restore Full"),
        (note(name, "full", played(name)), 0.0),
        (undo, 0.0),
        (undo, 0.0),
        (lambda: mode("OBJECT"), 0.5),
        (note(name, "uncoarse", played(name)), 0.0),
        *entry("Make Natural"),
        (note(name, "natural", played(name)), 0.0),
        (undo, 0.0),
        # Root motion, undone, and the action as an asset.
        *entry("Root Motion"),
        (note(name, "rooted", rooted(name)), 0.0),
        (undo, 0.0),
        (note(name, "unrooted", rooted(name)), 0.0),
        *entry("Mark Action"),
        (lambda: key("Return"), 2.0),
        (note(name, "asset", is_asset(name)), 0.0),
        # Feet on stairs, undone.
        (note(name, "lows", lows(name)), 0.0),
        (place_stairs(name), 0.7),
        (note(name, "through", in_stairs(name)), 0.0),
        *entry("Put Feet"),
        (note(name, "in_stairs", in_stairs(name)), 0.0),
        (picture(stairs, part), 0.0),
        (undo, 0.0),
        (note(name, "back", in_stairs(name)), 0.0),
        (ask_for_new(name), 0.1),
        (generate_as_step, DONE),
        (note(name, "new", lambda: in_stairs(name, made_by(name).name, range(1, 121, 2))()), 0.0),
        (undo, 0.0),
        (note(name, "unmade", lambda: len([one for one in bpy.data.objects if one.type == "ARMATURE"])), 0.0),
        (leave_stairs(name), 0.5),
        # A hand at a moving handle.
        (place_handle(name), 0.7),
        (note(name, "before", from_handle(name)), 0.0),
        *entry("Move Hands"),
        (note(name, "reached", from_handle(name)), 0.0),
        (picture(reach, part), 0.0),
        (undo, 0.0),
        (note(name, "let_go", from_handle(name)), 0.0),
        # Waypoints: a drag canceled by Esc, another one completed, and the walk through them.
        (add_waypoints(name), 0.7),
        (drag("1", "Escape"), 1.5),
        (drag("0", "period", "5", "Return"), 1.5),
        (note(name, "dragged", lambda: hero(name).genmm.waypoints[1].empty.location.x), 0.0),
        (lambda: setattr(hero(name).genmm, "reaches", ""), 0.1),
        (generate, DONE),
        (note(name, "missed", lambda: missed(name)), 0.0),
        (picture(waypoints, part), 0.0),
        (undo, 0.0),
    ]


window.run([(set_up, 0.0), *tried("Mixamo"), *tried("Rigify")])
