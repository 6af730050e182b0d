# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that inherit a part of their parents' scale, or none: places of joints are those that Blender evaluates."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from numpy.typing import NDArray
from rigs import MOTIONS, make_rig

from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.core import Motion, load_motion, save_motion
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.generate import Request, generate

pytestmark = pytest.mark.processes

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


@pytest.mark.parametrize(
    ("mode", "kind", "said"), [("NONE", "fbx", 1), ("ALIGNED", "glb", 1), ("NONE", "bvh", 0), ("FULL", "glb", 0)]
)
def test_a_note_says_where_a_kind_of_file_cannot_store_the_scales(
    mode: str, kind: str, said: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None
) -> None:
    scaled_rig(mode)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    found = run(capfd, "generate", tmp_path / "rig.blend", "--frames", 30, "-o", tmp_path / f"a.{kind}")
    assert found.status == 0 and "".join(found.lines).count("cannot store") == said
