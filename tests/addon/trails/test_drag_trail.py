# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag Motion Trail: the bone is at its place in the world, keys beyond the reach stay, and feet stay planted."""

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import sample_on_own_walk
from mathutils import Euler
from numpy.typing import NDArray
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.layers.edit_layer import layer_of
from genmm_addon.control_rigs.drag_in_action import Drag, find_trails

pytestmark = pytest.mark.usefixtures("extension")

FRAME, REACH = 60, 15
SAME = 1e-3
"""Meters."""


@pytest.fixture
def hero() -> Object:
    """Return the sample, which plays its own copy of its walk, in Pose Mode."""
    sample, _, _ = sample_on_own_walk()
    return sample.armature


def heads(rig: Object, bone: str, frames: Iterable[int]) -> NDArray[np.float64]:
    """Return the places of a bone in the world, as Blender evaluates them."""
    places = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        places.append(rig.matrix_world @ rig.pose.bones[bone].head)
    return np.array(places, np.float64)


def every_bone(rig: Object, frames: Iterable[int]) -> NDArray[np.float64]:
    poses = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses.append([bone.matrix for bone in rig.pose.bones])
    return np.array(poses, np.float64)


def drag(bone: str, offset: tuple[float, float, float], **values: object) -> set[str]:
    return set(bpy.ops.genmm.drag_trail(bone=bone, frame=FRAME, offset=offset, reach=REACH, **values))


@pytest.mark.parametrize("placed", [False, True])
def test_the_bone_is_at_its_place_in_the_world_and_frames_beyond_the_reach_are_as_they_were(
    hero: Object, placed: bool
) -> None:
    if placed:
        hero.location, hero.rotation_euler, hero.scale = (3.0, -2.0, 0.5), Euler((0.3, 0.1, 2.0)), (2.0, 2.0, 2.0)
        bpy.context.view_layer.update()
    outside = [*range(1, FRAME - REACH), *range(FRAME + REACH + 1, 100)]
    before, start = every_bone(hero, outside), heads(hero, "Hand.L", [FRAME])[0]
    assert drag("Hand.L", (0.05, 0.04, 0.1)) == {"FINISHED"}
    assert np.linalg.norm(heads(hero, "Hand.L", [FRAME])[0] - start - (0.05, 0.04, 0.1)) < SAME
    assert np.abs(every_bone(hero, outside) - before).max() < 1e-5


def test_keys_beyond_the_reach_are_not_touched(hero: Object) -> None:
    def keys() -> dict[tuple[str, int], list[tuple[float, ...]]]:
        return {
            (curve.data_path, curve.array_index): [
                (*point.co[:], *point.handle_left[:], *point.handle_right[:])
                for point in curve.keyframe_points
                if abs(point.co[0] - FRAME) > REACH + 1
            ]
            for curve in actions.fcurves_of(*_playing(hero))
        }

    before = keys()
    drag("Hips", (0.03, 0.0, -0.05))
    assert keys() == before


def _playing(rig: Object) -> tuple[bpy.types.Action, str]:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing


def test_planted_feet_stay_where_the_hips_are_dragged(hero: Object) -> None:
    action, slot = _playing(hero)
    trails = find_trails(hero, bpy.context.scene, action, slot, ["Hips"], (1, 120))
    task, frames = trails.draggable("Hips"), range(FRAME - REACH, FRAME + REACH + 1)
    names = trails.motion.skeleton.names
    feet = {names[foot.joint]: task.contacts[:, number] for number, foot in enumerate(task.body.feet)}
    assert len(feet) == 2
    before = {name: heads(hero, name, frames) for name in feet}
    drag("Hips", (0.04, 0.0, -0.06))
    moved = 0.0
    for name, contacts in feet.items():
        stands = [bool(contacts[int(frame - trails.frames[0])]) for frame in frames]
        assert any(stands)
        away = np.linalg.norm(heads(hero, name, frames) - before[name], axis=1)
        assert away[stands].max() < 2 * SAME
        moved = max(moved, float(away.max()))
    assert moved > 0.01  # Feet in flight follow.


def test_the_trail_is_where_blender_shows_the_bone(hero: Object) -> None:
    hero.location, hero.scale = (1.0, 2.0, 0.0), (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    action, slot = _playing(hero)
    trails = find_trails(hero, bpy.context.scene, action, slot, ["Hand.L", "Head"], (20, 50))
    for bone in ("Hand.L", "Head"):
        assert np.abs(trails.paths[bone][trails.shown] - heads(hero, bone, range(20, 51))).max() < SAME
    dragged = Drag("Hand.L", 30.0, (0.0, 0.1, 0.0), 8)
    path = trails.path_of("Hand.L", trails.dragged(dragged)) - trails.paths["Hand.L"]
    assert np.abs(path[trails.row_of(dragged)] - (0.0, 0.1, 0.0)).max() < SAME
    bpy.ops.genmm.drag_trail(bone="Hand.L", frame=30, offset=(0.0, 0.1, 0.0), reach=8)
    assert (
        np.abs(
            trails.path_of("Hand.L", trails.dragged(dragged))[trails.shown] - heads(hero, "Hand.L", range(20, 51))
        ).max()
        < SAME
    )


def test_on_a_layer_the_action_below_stays_as_it_was(hero: Object) -> None:
    action, slot = _playing(hero)
    before = [
        (point.co[:], curve.data_path) for curve in actions.fcurves_of(action, slot) for point in curve.keyframe_points
    ]
    start = heads(hero, "Hand.L", [FRAME])[0]
    bpy.context.scene.genmm.filling.edits = "LAYER"
    try:
        for times in (1, 2):
            assert drag("Hand.L", (0.05, 0.0, 0.05)) == {"FINISHED"}
            assert layer_of(hero) is not None
            assert (
                np.linalg.norm(heads(hero, "Hand.L", [FRAME])[0] - start - times * np.array((0.05, 0.0, 0.05)))
                < 2 * SAME
            )
    finally:
        bpy.context.scene.genmm.filling.edits = "ACTION"
    now = [
        (point.co[:], curve.data_path) for curve in actions.fcurves_of(action, slot) for point in curve.keyframe_points
    ]
    assert now == before


def test_motion_of_nla_tracks_below_is_in_the_trail_and_the_bone_is_at_its_place(hero: Object) -> None:
    hero.animation_data.nla_tracks.new().strips.new("Walk", 1, _playing(hero)[0])
    arm, slot = actions.new_action("Arm", hero)
    for bone in ("UpperArm.L", "Forearm.L"):
        for axis, value in enumerate((0.9, 0.4, 0.1, 0.1)):
            key(arm, slot, f'pose.bones["{bone}"].rotation_quaternion', axis, [(1.0, value), (100.0, value)])
    actions.assign(hero, arm, slot)
    trails = find_trails(hero, bpy.context.scene, arm, slot, ["Hand.L"], (20, 80))
    assert np.abs(trails.paths["Hand.L"][trails.shown] - heads(hero, "Hand.L", range(20, 81))).max() < SAME
    start, hips = heads(hero, "Hand.L", [FRAME])[0], heads(hero, "Hips", [FRAME])
    assert drag("Hand.L", (0.05, 0.04, 0.1)) == {"FINISHED"}
    assert np.linalg.norm(heads(hero, "Hand.L", [FRAME])[0] - start - (0.05, 0.04, 0.1)) < 2 * SAME
    assert np.abs(heads(hero, "Hips", [FRAME]) - hips).max() < SAME


def test_make_natural_follows_if_it_is_asked_for(hero: Object) -> None:
    drag("Hand.L", (0.1, 0.0, 0.15))
    plain = every_bone(hero, range(FRAME - 5, FRAME + 6))
    bpy.ops.ed.undo_push(message="Dragged")
    hero.animation_data.action = next(a for a in bpy.data.actions if a.name.endswith("Walk")).copy()
    assert drag("Hand.L", (0.1, 0.0, 0.15), natural=True) == {"FINISHED"}
    assert np.abs(every_bone(hero, range(FRAME - 5, FRAME + 6)) - plain).max() > SAME


def test_what_cannot_be_dragged_is_refused_in_a_sentence(hero: Object, tmp_path: Path) -> None:
    for values, sentence in (
        ({"bone": "Tail", "frame": 5}, 'has no bone "Tail"'),
        ({"bone": "", "frame": 5}, 'has no bone ""'),
        ({"bone": "Hand.L", "frame": 5000}, "has no trail at frame 5000"),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            bpy.ops.genmm.drag_trail(**values)
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FRAME + 5, FRAME + 15
    with pytest.raises(RuntimeError, match="no trail at frame 60; choose a frame from 65 to 75"):
        drag("Hand.L", (0.0, 0.0, 0.1))
    scene.use_preview_range = False
    file = tmp_path / "library.blend"
    bpy.data.libraries.write(str(file), {_playing(hero)[0]})
    with bpy.data.libraries.load(str(file), link=True) as (there, here):
        here.actions = there.actions
    hero.animation_data.action = here.actions[0]
    with pytest.raises(RuntimeError, match="is linked; make it local"):
        drag("Hand.L", (0.0, 0.0, 0.1))
    assert not bpy.ops.genmm.drag_trail.poll()
