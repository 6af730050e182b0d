# SPDX-License-Identifier: GPL-3.0-or-later
"""Written BVH files: in the input's or the requested axes, with every joint where Blender shows it."""

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from bvh_files import FRAMES, walker
from commands import run, saved_character
from hypothesis import given
from hypothesis import strategies as st
from interface import new_character
from numpy.typing import NDArray
from rigs import MOTIONS, make_rig

from genmm_addon.core.motion import euler_angles
from genmm_addon.files.bvh_writing import write_bvh
from genmm_addon.files.import_file import Y_UP, Z_UP

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Read:
    """A BVH file, read by the definition of its format. points: `(T, J, 3)` of the joints."""

    names: list[str]
    offsets: Array
    points: Array
    channels: list[list[str]]


def about(axis: str, degrees: Array) -> Array:
    """Return rotation matrices `(T, 3, 3)` about one axis."""
    angle, number = np.radians(degrees), "XYZ".index(axis)
    one, two = (number + 1) % 3, (number + 2) % 3
    result = np.zeros((len(angle), 3, 3))
    result[:, number, number] = 1
    result[:, one, one] = result[:, two, two] = np.cos(angle)
    result[:, two, one], result[:, one, two] = np.sin(angle), -np.sin(angle)
    return result


def read(path: Path) -> Read:
    """Return a BVH file read by the format's definition (offsets, channels, forward kinematics), as an oracle."""
    head, _, motion = path.read_text().partition("MOTION")
    names: list[str] = []
    channels: list[list[str]] = []
    parents: list[int] = []
    stack: list[int] = []
    offsets: list[list[float]] = []
    for line in head.splitlines():
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]):
            parents.append(next((number for number in reversed(stack) if number >= 0), -1))
            stack.append(len(names))
            names.append(words[1])
        elif words[:1] == ["End"]:
            stack.append(-1)
        elif words[:1] == ["OFFSET"] and stack[-1] >= 0:
            offsets.append([float(word) for word in words[1:]])
        elif words[:1] == ["CHANNELS"]:
            channels.append(words[2:])
        elif words == ["}"]:
            stack.pop()
    values = np.array([[float(word) for word in row.split()] for row in motion.splitlines()[3:]])
    points = np.zeros((len(values), len(names), 3))
    turns = np.zeros((len(values), len(names), 3, 3))
    column = 0
    for joint, parent in enumerate(parents):
        place, turn = np.tile(offsets[joint], (len(values), 1)), np.tile(np.eye(3), (len(values), 1, 1))
        for channel in channels[joint]:
            if channel.endswith("position"):
                place[:, "XYZ".index(channel[0])] = values[:, column]
            else:
                turn = turn @ about(channel[0], values[:, column])
            column += 1
        if parent >= 0:
            place = points[:, parent] + np.einsum("tij,tj->ti", turns[:, parent], place)
            turn = turns[:, parent] @ turn
        points[:, joint], turns[:, joint] = place, turn
    assert column == values.shape[1]
    return Read(names, np.array(offsets), points, channels)


def shown(armature: Object, names: list[str], frames: range) -> Array:
    """Return the world positions of the bones' heads in Blender, `(T, J, 3)`."""
    points = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        rig = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points.append([rig.matrix_world @ rig.pose.bones[name].head for name in names])
    return np.array(points)


def check_written(path: Path, armature: Object, frames: range, axes: Array = Y_UP) -> Read:
    write_bvh(path, armature, bpy.context.scene, np.array(frames, np.float64), axes)
    found = read(path)
    names = [name for name in found.names if not name.startswith("__")]
    expected = shown(armature, names, frames) @ axes.T
    joints = [found.names.index(name) for name in names]
    size = np.ptp(expected, axis=(0, 1)).max()
    np.testing.assert_allclose(found.points[:, joints], expected, atol=1e-4 * size)
    return found


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_the_axes_and_offsets_of_a_bvh_stay_and_every_joint_is_where_it_was_made(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None, up: str
) -> None:
    (tmp_path / "in.bvh").write_text(walker(up))
    words = ("generate", tmp_path / "in.bvh", "--frames", 50, "-o")
    assert run(capfd, *words, tmp_path / "out.bvh").status == 0
    assert run(capfd, *words, tmp_path / "out.blend").status == 0
    given, made = read(tmp_path / "in.bvh"), read(tmp_path / "out.bvh")
    assert made.names == given.names and made.channels == given.channels
    np.testing.assert_allclose(made.offsets, given.offsets, atol=1e-5)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    first = bpy.context.scene.frame_start
    expected = shown(armature, made.names, range(first, first + 50)) @ (Y_UP if up == "Y" else Z_UP).T
    np.testing.assert_allclose(made.points, expected, atol=1e-4)
    heads = made.points[:, made.names.index("Head")]
    assert heads[:, "XYZ".index(up)].mean() > 1.5


def test_up_chooses_the_axes(tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None) -> None:
    (tmp_path / "in.bvh").write_text(walker("Y"))
    words = ("generate", tmp_path / "in.bvh", "--frames", 30, "-o")
    assert run(capfd, *words, tmp_path / "y.bvh").status == 0
    assert run(capfd, *words, tmp_path / "z.bvh", "--up", "Z").status == 0
    one, other = read(tmp_path / "y.bvh"), read(tmp_path / "z.bvh")
    np.testing.assert_allclose(other.points @ Y_UP.T, one.points, atol=1e-5)
    np.testing.assert_allclose(other.offsets @ Y_UP.T, one.offsets, atol=1e-5)


def test_a_blend_is_written_with_z_up_unless_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None
) -> None:
    hero, _ = saved_character(tmp_path)
    for words, axis in (((), 2), (("--up", "y"), 1)):
        assert run(capfd, "generate", hero, "--frames", 20, *words, "-o", tmp_path / f"{axis}.bvh").status == 0
        extent = np.ptp(read(tmp_path / f"{axis}.bvh").points[0], axis=0)
        assert np.argmax(extent) == axis


def test_the_motion_place_and_scale_of_the_object_go_into_the_root(tmp_path: Path, extension: None) -> None:
    rig = new_character()
    rig.rotation_mode, rig.scale = "XYZ", (0.01, 0.01, 0.01)
    rig.rotation_euler[0] = -np.pi / 2
    for frame, place, turn in ((1, (1, 2, 0), 0.0), (20, (4, -3, 1), 4.0)):
        rig.location, rig.rotation_euler[2] = place, turn
        rig.keyframe_insert("location", frame=frame)
        rig.keyframe_insert("rotation_euler", frame=frame)
    found = check_written(tmp_path / "a.bvh", rig, range(1, 21))
    assert np.ptp(found.points[:, 0], axis=0).max() > 2
    assert [len(channels) for channels in found.channels] == [6] + [3] * (len(found.names) - 1)


def test_scaled_and_moved_joints_are_placed_where_blender_shows_them(tmp_path: Path) -> None:
    rig = make_rig()
    random = np.random.default_rng(1)
    for bone in rig.pose.bones:
        bone.rotation_mode = "ZXY"
        for frame in range(1, 13, 3):
            bone.rotation_euler = random.normal(size=3).tolist()
            bone.scale = np.exp(0.3 * random.normal(size=3)).tolist()
            bone.location = (0.2 * random.normal(size=3)).tolist()
            for path in ("rotation_euler", "scale", "location"):
                bone.keyframe_insert(path, frame=frame)
    # Some readers do not take names with spaces for one word.
    for rest in rig.data.bones:
        rest.name = rest.name.replace(" ", "_")
    check_written(tmp_path / "a.bvh", rig, range(1, 13))
    check_written(tmp_path / "b.bvh", rig, range(1, 13), Z_UP)
    write_bvh(tmp_path / "c.bvh", rig, bpy.context.scene, np.arange(1.0, 13.0), Z_UP)
    assert (tmp_path / "b.bvh").read_bytes() == (tmp_path / "c.bvh").read_bytes()


def test_several_roots_hang_from_one_that_blender_reads_again(tmp_path: Path) -> None:
    rig = make_rig(("one", "two", "three"))
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["two"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("one", "two"):
        for frame, angle in ((1, 0.1), (10, 1.0)):
            rig.pose.bones[name].location = (angle, 0, angle)
            rig.pose.bones[name].keyframe_insert("location", frame=frame)
    found = check_written(tmp_path / "a.bvh", rig, range(1, 11))
    assert found.names[0] == "__0"
    bpy.ops.import_anim.bvh(filepath=str(tmp_path / "a.bvh"))
    assert len(bpy.context.object.data.bones) == 4


@given(
    st.permutations("XYZ"),
    st.lists(st.tuples(*[st.floats(-np.pi, np.pi)] * 3), min_size=1, max_size=8),
    st.sampled_from([None, np.pi / 2, -np.pi / 2]),
)
def test_euler_angles_are_those_of_the_rotation_even_at_their_poles(
    axes: list[str], angles: list[tuple[float, float, float]], pole: float | None
) -> None:
    told = np.degrees(np.array(angles))
    if pole is not None:
        told[:, 1] = np.degrees(pole)

    def turned(values: Array) -> Array:
        return about(axes[0], values[:, 0]) @ about(axes[1], values[:, 1]) @ about(axes[2], values[:, 2])

    found = np.degrees(euler_angles(turned(told), "".join(axes)))
    np.testing.assert_allclose(turned(found), turned(told), atol=1e-6)


def test_angles_continue_past_a_half_turn_without_a_jump() -> None:
    told = np.zeros((200, 3))
    told[:, 0], told[:, 1] = np.linspace(0, 900, 200), np.linspace(-60, 60, 200)
    turned = about("Z", told[:, 0]) @ about("X", told[:, 1]) @ about("Y", told[:, 2])
    np.testing.assert_allclose(np.degrees(euler_angles(turned, "ZXY")), told, atol=1e-6)


RECORDING = MOTIONS / "bvh" / "cmu_05_01_walk_60fps_100joints.bvh"


@pytest.mark.skipif(not RECORDING.is_file(), reason="no shared motions")
def test_a_recording_keeps_its_axes_and_offsets(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None
) -> None:
    assert run(capfd, "generate", RECORDING, "--frames", FRAMES, "-o", tmp_path / "out.bvh").status == 0
    given, made = read(RECORDING), read(tmp_path / "out.bvh")
    assert made.names == given.names
    size = np.abs(given.offsets).max()
    np.testing.assert_allclose(made.offsets[1:], given.offsets[1:], atol=1e-5 * size)
