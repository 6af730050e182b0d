# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that inherit a part of their parents' scale, or none: places of joints are those that Blender evaluates."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from numpy.typing import NDArray
from rigs import MOTIONS, make_rig

from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.command_line.outputs.exports import write_played
from genmm_addon.core import Motion, load_motion, save_motion
from genmm_addon.files.import_file import Z_UP, import_file
from genmm_addon.generation.generate import Request, generate

pytestmark = pytest.mark.arrays

MODES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def scaled_rig(mode: str) -> Object:
    """Return a chain of bones of which all are scaled unevenly and turned, with keys over 24 frames."""
    rig = make_rig(("a", "b", "c", "d", "e"))
    rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new("Stretch")
    random = np.random.default_rng(1)
    for bone in rig.data.bones:
        bone.inherit_scale = mode
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame in range(1, 25, 4):
            bone.scale = random.uniform(0.5, 2.0, 3).tolist()
            bone.rotation_euler = random.uniform(-0.7, 0.7, 3).tolist()
            bone.location = random.uniform(-0.2, 0.2, 3).tolist()
            for name in ("scale", "rotation_euler", "location"):
                bone.keyframe_insert(name, frame=frame)
    return rig


def heads(rig: Object, motion: Motion) -> NDArray[np.float64]:
    """Return the heads `(T, J, 3)` that Blender evaluates at the motion's frames."""
    found: list[list[NDArray[np.float64]]] = []
    start = round(rig.animation_data.action.frame_range[0])
    for frame in range(start, start + motion.frames):
        bpy.context.scene.frame_set(frame)
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(evaluated.pose.bones[name].head) for name in motion.skeleton.names])
    return np.array(found)


def read(rig: Object, visual: bool | None = None) -> Motion:
    specs = [ExampleSpec(rig.animation_data.action)]
    return read_examples(rig, specs, scene=bpy.context.scene, visual=visual).motions[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("visual", [False, True])
def test_joints_are_where_blender_has_them_in_every_mode(mode: str, visual: bool, tmp_path: Path) -> None:
    rig = scaled_rig(mode)
    motion = read(rig, visual)
    assert np.abs(motion.pose()[1] - heads(rig, motion)).max() < 1e-4 * motion.skeleton.size
    save_motion(tmp_path / "a.npz", motion)
    np.testing.assert_allclose(load_motion(tmp_path / "a.npz").pose()[1], motion.pose()[1], atol=1e-5)


@pytest.mark.parametrize("path", sorted((MOTIONS / "reported").glob("*.fbx")), ids=lambda path: path.stem)
def test_files_of_reports_have_their_joints_where_blender_has_them(path: Path) -> None:
    if "ascii" in path.name and "fbx_import" not in dir(bpy.ops.wm):
        pytest.skip("Blender's older importer reads no FBX files in ASCII")
    (character,) = import_file(path, bpy.context)
    rig = character.armature
    rig.animation_data.action = character.examples[0].action
    motion = read(rig)
    assert np.abs(motion.pose()[1] - heads(rig, motion)).max() < 1e-4 * motion.skeleton.size


@pytest.mark.parametrize("mode", MODES)
def test_results_play_in_blender_as_the_motion_that_was_computed(mode: str) -> None:
    rig = scaled_rig(mode)
    spec = ExampleSpec(rig.animation_data.action)
    result = generate(bpy.context, Request(rig, (spec,), frames=30))[0].object
    motion = read(result)
    assert np.abs(motion.pose()[1] - heads(result, motion)).max() < 1e-4 * motion.skeleton.size


def scales(kind: str, joint: int, frame: int, random: np.random.Generator) -> list[float]:
    """Return the scale of one of the five bones at a frame."""
    if kind == "uneven" or (kind, joint) in {("uneven root", 0), ("uneven leaf", 4)}:
        return [float(value) for value in random.uniform(0.5, 2.0, 3)]
    if kind == "even":
        return [float(random.uniform(0.5, 2.0))] * 3
    if kind == "mirrored":
        return [-1.0, 1.0, 1.0] if joint == 2 else [1.0] * 3
    if kind == "hidden":
        return [0.0 if joint == 2 and frame > 6 else 1.0] * 3
    return [1.5, 1.0, 0.7] if kind == "constant" else [1.0] * 3


KINDS = ("none", "even", "uneven", "uneven root", "uneven leaf", "constant", "mirrored", "hidden", "unturned")


def played_rig(kind: str, mode: str, skinned: str) -> Object:
    """Return a chain that is turned, moved and scaled at each of 12 frames; skinned: the bones with a skin."""
    rig = make_rig(("a", "b", "c", "d", "e"))
    rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new("Stretch")
    random = np.random.default_rng(1)
    bone: Any
    for number, bone in enumerate(rig.pose.bones):
        bone.bone.inherit_scale = mode
        bone.bone.use_inherit_rotation = kind != "unturned" or number != 2
        bone.rotation_mode = "XYZ"
        for frame in range(1, 13):
            bone.scale = scales("uneven" if kind == "unturned" else kind, number, frame, random)
            bone.rotation_euler = random.uniform(-0.7, 0.7, 3).tolist()
            bone.location = random.uniform(-0.2, 0.2, 3).tolist()
            for name in ("scale", "rotation_euler", "location"):
                bone.keyframe_insert(name, frame=frame)
    if skinned:
        mesh = bpy.data.meshes.new("Skin")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
        skin = bpy.data.objects.new("Skin", mesh)
        bpy.context.collection.objects.link(skin)
        skin.parent = rig
        skin.modifiers.new("Armature", "ARMATURE").object = rig
        for name in skinned:
            skin.vertex_groups.new(name=name).add([0, 1, 2], 1.0, "REPLACE")
    return rig


def apart(rig: Object, names: list[str], start: int) -> NDArray[np.float64]:
    """Return the distances `(T, J, J)` between joints at 12 frames, in the world, which no file's axes change."""
    found = []
    for frame in range(start, start + 12):
        bpy.context.scene.frame_set(frame)
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = np.array([evaluated.matrix_world @ evaluated.pose.bones[name].head for name in names])
        found.append(np.linalg.norm(places[:, None] - places, axis=-1))
    return np.array(found)


@pytest.mark.parametrize(
    ("suffix", "skinned"), [("fbx", ""), ("fbx", "b"), ("fbx", "abcde"), ("glb", ""), ("glb", "abcde"), ("bvh", "")]
)
@pytest.mark.parametrize("mode", ["FULL", "ALIGNED", "NONE"])
def test_joints_in_a_file_are_as_played_or_a_note_names_the_bone(
    suffix: str, mode: str, skinned: str, tmp_path: Path, extension: None
) -> None:
    off, named = {}, {}
    for kind in KINDS:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        rig = played_rig(kind, mode, skinned)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, 12
        names, size = [bone.name for bone in rig.data.bones], read_skeleton(rig).size
        played, path = apart(rig, names, 1), tmp_path / f"{kind}.{suffix}"
        scene.frame_set(5)
        notes = write_played(path, rig, np.arange(1.0, 13.0), Z_UP, "Motion")
        assert (scene.frame_current, rig.data.pose_position) == (5, "POSE")
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        (character,) = import_file(path, bpy.context)
        action = character.examples[0].action
        character.armature.animation_data.action = action
        written = apart(character.armature, names, round(action.frame_range[0]))
        off[kind] = bool(np.abs(written - played).max() > 1e-3 * size)
        named[kind] = "".join(notes).count('Bone "')
    assert off == {kind: bool(count) for kind, count in named.items()}
    assert suffix != "bvh" or not any(off.values())
    assert mode != "FULL" or not any(off[kind] for kind in KINDS if kind != "unturned")


def test_a_motion_without_a_mesh_keeps_its_rest_pose_in_fbx(tmp_path: Path, extension: None) -> None:
    rig = played_rig("none", "FULL", "")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    rest = {bone.name: np.array(bone.matrix_local) for bone in rig.data.bones}
    write_played(tmp_path / "a.fbx", rig, np.arange(1.0, 13.0), Z_UP, "Motion")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (character,) = import_file(tmp_path / "a.fbx", bpy.context)
    for bone in character.armature.data.bones:
        np.testing.assert_allclose(np.array(bone.matrix_local), rest[bone.name], atol=1e-4)


@pytest.mark.parametrize("jobs", [1, 2])
def test_command_reports_the_affected_bone_for_each_file(
    jobs: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None
) -> None:
    scaled_rig("NONE")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    output = ("--jobs", jobs, "--seeds", "0-5", "-o", tmp_path / "{seed}.fbx")
    found = run(capfd, "generate", tmp_path / "rig.blend", "--frames", 30, *output)
    assert found.status == 0 and "".join(found.told).count('Bone "b"') == 6
