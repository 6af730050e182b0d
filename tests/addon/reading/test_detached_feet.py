# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters whose feet are at the armature's root, where inverse kinematics once moved them.

Their feet are planted, and stay at their legs, as those of the same character with feet below its shins.
"""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import play, select
from numpy.typing import NDArray

from genmm_addon.animation.actions import assigned, clear_assignment, fcurves_of
from genmm_addon.animation.reading.evaluation import evaluated_poses, stage
from genmm_addon.animation.reading.example_spec import Reading
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.reading.target_motion import read_target_motion
from genmm_addon.animation.rig import read_bones, read_skeleton
from genmm_addon.animation.writing import write_action
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core.feet import find_feet
from genmm_addon.steering.proxy import make_proxy, pose_proxy, read_pose

pytestmark = pytest.mark.usefixtures("extension")
FEET = ("Foot.L", "Foot.R")
FRAMES = 120


def reading_of(rig: Object, visual: bool | None = None) -> Reading:
    playing = assigned(rig)
    assert playing is not None
    return read_examples(rig, [ExampleSpec(playing[0])], scene=bpy.context.scene, visual=visual)


def poses(rig: Object, frames: int = FRAMES) -> NDArray[np.float64]:
    """Return the poses `(T, B, 4, 4)` that Blender shows from frame 1 on."""
    with stage(rig, bpy.context.scene) as temporary:
        return evaluated_poses(rig, temporary, np.arange(1.0, frames + 1)).astype(np.float64)


def torn(rig: Object, first: int = 1, last: int = FRAMES) -> float:
    """Return the farthest that a foot is from its place at the shin, in meters."""
    shown, bones = poses(rig, last)[first - 1 :], rig.data.bones
    away = []
    for foot in FEET:
        shin = foot.replace("Foot", "Shin")
        matrices = np.linalg.inv(shown[:, bones.find(shin)]) @ shown[:, bones.find(foot)]
        at_rest = np.array(bones[shin].matrix_local.inverted() @ bones[foot].matrix_local)
        away.append(np.linalg.norm(matrices[:, :3, 3] - at_rest[:3, 3], axis=1).max())
    return float(max(away))


@pytest.fixture
def connected() -> Object:
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    walk = next(action for action in sample.actions if action.name == "GenMM Walk")
    play(sample.armature, walk)
    select(sample.armature)
    return sample.armature


@pytest.fixture
def rig(connected: Object) -> Object:
    """Return the sample with the same walk, and its feet at the root."""
    walk = reading_of(connected)
    bpy.ops.object.mode_set(mode="EDIT")
    for foot in FEET:
        connected.data.edit_bones[foot].use_connect = False
        connected.data.edit_bones[foot].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    keyed = replace(walk.keyed, locations=(*walk.keyed.locations, *FEET))
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    play(connected, write_action(walk.motions[0], keyed, connected, name="Walk").action)
    return connected


def test_keys_play_the_motion_that_was_written(connected: Object, request: pytest.FixtureRequest) -> None:
    before = {bone.name: pose for bone, pose in zip(connected.data.bones, poses(connected).swapaxes(0, 1), strict=True)}
    rig = request.getfixturevalue("rig")
    for bone, shown in zip(rig.data.bones, poses(rig).swapaxes(0, 1), strict=True):
        assert np.abs(shown - before[bone.name]).max() < 1e-4, bone.name


@pytest.mark.parametrize("visual", [False, True], ids=["keyed", "visual"])
def test_feet_are_read_as_parts_of_their_legs(rig: Object, visual: bool) -> None:
    motion = reading_of(rig, visual).motions[0]
    skeleton = motion.skeleton
    assert {skeleton.names[foot.leg[0]] for foot in find_feet([motion])} == {"Thigh.L", "Thigh.R"}
    order = np.array([rig.data.bones.find(name) for name in skeleton.names], np.int64)
    shown = poses(rig, motion.frames)[:, order]
    matrices, places = motion.pose()
    assert np.abs(places - shown[..., :3, 3]).max() < 1e-4
    assert np.abs(matrices - shown[..., :3, :3]).max() < 1e-3


def test_a_foot_with_constraints_is_a_control_that_stays_at_the_root(rig: Object) -> None:
    rig.pose.bones["Shin.L"].constraints.new("IK")
    assert read_skeleton(rig).names == read_bones(rig).names
    assert np.array_equal(read_skeleton(rig).parents, read_bones(rig).parents)


def test_a_generated_motion_keeps_feet_at_their_legs(rig: Object) -> None:
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != rig)
    assert torn(made) < 1e-3


@pytest.mark.parametrize("edit", ["fill_range", "make_natural"])
def test_an_edit_keeps_feet_at_their_legs(rig: Object, edit: str) -> None:
    times = {"range_choice": "FRAMES", "first_frame": 40, "last_frame": 80}
    assert getattr(bpy.ops.genmm, edit)(**times) == {"FINISHED"}
    assert torn(rig) < 1e-3


def test_feet_on_a_slope_stay_at_their_legs(rig: Object) -> None:
    mesh = bpy.data.meshes.new("Slope")
    mesh.from_pydata([(-99, 99, 10), (99, 99, 10), (99, -99, -10), (-99, -99, -10)], [], [(3, 2, 1, 0)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Slope", mesh))
    assert bpy.ops.genmm.put_feet_on_ground(ground="Slope") == {"FINISHED"}
    assert torn(rig) < 1e-3


def test_a_foot_that_reaches_a_place_stays_at_its_leg(rig: Object) -> None:
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    foot = rig.data.bones.find("Foot.L")
    handle.location = (poses(rig)[59, foot, :3, 3] + (0.0, 0.0, 0.1)).tolist()
    assert bpy.ops.genmm.reach_in_action(places="Foot.L at Handle 60-62") == {"FINISHED"}
    assert np.linalg.norm(poses(rig)[59, foot, :3, 3] - np.array(handle.location)) < 0.01
    assert torn(rig) < 1e-3


def test_a_motion_of_another_character_keys_the_feet(rig: Object) -> None:
    other = add_sample_character(bpy.context)
    select(rig)
    assert bpy.ops.genmm.bring_action(
        origin="ARMATURE", armature=other.armature.name, action=other.actions[0].name
    ) == {"FINISHED"}
    assert torn(rig) < 1e-3


def test_feet_of_a_strip_that_is_carried_on_go_with_the_body(rig: Object) -> None:
    playing = assigned(rig)
    assert playing is not None
    clear_assignment(rig)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, playing[0])
    track.strips.new("Again", 320, playing[0].copy())
    assert bpy.ops.genmm.blend_strip(strip="Again", blend_in=10) == {"FINISHED"}
    again = next(strip for track in rig.animation_data.nla_tracks for strip in track.strips if strip.name == "Again")
    assert torn(rig, int(again.frame_start) + 12, int(again.frame_end)) < 1e-3


def test_repaired_legs_take_their_feet_along(rig: Object) -> None:
    playing = assigned(rig)
    assert playing is not None
    bend = next(curve for curve in fcurves_of(*playing) if "Thigh.L" in curve.data_path and curve.array_index == 1)
    bend.keyframe_points[59].co.y += 0.4
    bend.update()
    assert torn(rig) > 0.05
    assert bpy.ops.genmm.repair() == {"FINISHED"}
    assert torn(rig) < 1e-3


def test_a_pinned_pose_is_read_with_its_feet(rig: Object) -> None:
    reading, playing = reading_of(rig), assigned(rig)
    assert playing is not None
    read = read_target_motion(rig, reading, *playing, np.array([10.0, 50.0]), 30.0)
    assert read.skeleton.names == reading.motions[0].skeleton.names
    assert np.array_equal(read.translated, reading.motions[0].translated)
    assert np.abs(read.pose()[1] - reading.motions[0].pose()[1][[9, 49]]).max() < 1e-4


def test_a_proxy_shows_and_returns_the_pose(rig: Object) -> None:
    motion = reading_of(rig).motions[0]
    proxy = make_proxy(rig, bpy.context.scene)
    pose_proxy(proxy, motion.slice(30, 31))
    bpy.context.view_layer.update()
    shown = np.array([proxy.pose.bones[name].head[:] for name in motion.skeleton.names])
    assert np.abs(shown - motion.pose()[1][30]).max() < 1e-4
    assert np.abs(read_pose(proxy, motion).pose()[1][0] - shown).max() < 1e-4
