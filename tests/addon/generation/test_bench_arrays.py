# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that `build.py bench --save` writes, compared with forward kinematics of the BVH file itself."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rigs import MOTIONS

from bench.motions.clip_arrays import positions_of
from bench.motions.clips import file_clips, sample_clips
from bench.speed import measure
from genmm_addon.core.motion import bvh_frames_per_second

pytestmark = pytest.mark.arrays

BVH = sorted((MOTIONS / "bvh").glob("*.bvh"))[::5]
AXES = {"X": np.array([1.0, 0, 0]), "Y": np.array([0, 1.0, 0]), "Z": np.array([0, 0, 1.0])}


@dataclass
class Joint:
    name: str
    parent: int
    offset: NDArray[np.float64]
    channels: list[str]


def parse(path: Path) -> tuple[list[Joint], NDArray[np.float64]]:
    """Return the joints of a BVH file, and its values by frame and channel."""
    hierarchy, motion = path.read_text().split("MOTION")
    joints: list[Joint] = []
    open_joints = [-1]
    end = False
    for words in map(str.split, hierarchy.splitlines()):
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            joints.append(Joint("_".join(words[1:]), open_joints[-1], np.zeros(3), []))
        elif words[0] == "End":
            end = True
        elif words[0] == "{":
            open_joints.append(open_joints[-1] if end else len(joints) - 1)
        elif words[0] == "}":
            open_joints.pop()
            end = False
        elif words[0] == "OFFSET" and not end:
            joints[-1].offset = np.array([float(word) for word in words[1:4]])
        elif words[0] == "CHANNELS":
            joints[-1].channels = words[2:]
    rows = [line.split() for line in motion.strip().splitlines()[2:] if line.strip()]
    return joints, np.array(rows, np.float64)


def turn(axis: str, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotation matrices `(F, 3, 3)` about an axis (Rodrigues)."""
    x, y, z = AXES[axis]
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)[:, None, None]
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross))


def positions_in(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Return the joints' names and their positions `(F, J, 3)`, as given by the file."""
    joints, values = parse(path)
    matrices = np.empty((len(values), len(joints), 3, 3))
    positions = np.empty((len(values), len(joints), 3))
    column = 0
    for index, joint in enumerate(joints):
        local = np.broadcast_to(np.eye(3), (len(values), 3, 3))
        place = np.tile(joint.offset, (len(values), 1))
        for channel in joint.channels:
            if channel.endswith("position"):
                place[:, "XYZ".index(channel[0])] = values[:, column]
            else:
                local = local @ turn(channel[0], values[:, column])
            column += 1
        if joint.parent < 0:
            matrices[:, index], positions[:, index] = local, place
        else:
            above = matrices[:, joint.parent]
            matrices[:, index] = above @ local
            positions[:, index] = positions[:, joint.parent] + (above @ place[..., None])[..., 0]
    return [joint.name for joint in joints], positions


@pytest.mark.parametrize("path", BVH, ids=lambda path: path.stem)
def test_saved_example_is_the_motion_of_the_file_at_30_frames_per_second(path: Path, tmp_path: Path) -> None:
    line = measure(next(file_clips(path, path.stem)), 1, tmp_path)
    saved = dict(np.load(tmp_path / f"{path.stem}_example.npz"))
    names, exact = positions_in(path)
    step = (bvh_frames_per_second(path) or 30.0) / 30.0
    at = np.minimum(np.arange(len(saved["root"])) * step, len(exact) - 1)
    exact = exact[:, [names.index(name) for name in saved["names"]]]
    before, share = np.floor(at + 1e-6).astype(int), (at - np.floor(at + 1e-6))[:, None, None]
    expected = exact[before] * (1 - share) + exact[np.minimum(before + 1, len(exact) - 1)] * share
    size = np.ptp(expected, axis=1).max()
    assert len(at) == line["example_frames"]
    # Between the file's frames, joints move along arcs, and the expected ones along their chords.
    whole = np.abs(share.ravel()) < 1e-3
    np.testing.assert_allclose(positions_of(saved)[whole], expected[whole], atol=1e-3 * size)
    np.testing.assert_allclose(positions_of(saved), expected, atol=5e-3 * size)


@pytest.mark.parametrize("path", BVH[:1], ids=lambda path: path.stem)
def test_variations_are_saved_on_the_examples_skeleton_at_twice_its_length(path: Path, tmp_path: Path) -> None:
    (clip,) = file_clips(path, "clip")
    measure(clip, 2, tmp_path)
    example = np.load(tmp_path / "clip_example.npz")
    for seed in (0, 1):
        saved = np.load(tmp_path / f"clip_seed{seed:03d}.npz")
        assert len(saved["rotations"]) == len(saved["root"]) == 2 * len(example["root"])
        assert saved["fps"] == 30
        np.testing.assert_allclose(np.linalg.norm(saved["rotations"], axis=-1), 1.0, atol=1e-5)
        for name in ("names", "parents", "offsets"):
            np.testing.assert_array_equal(saved[name], example[name])


def test_the_sample_character_is_measured_with_every_action() -> None:
    lines = [measure(clip, 1, None) for clip in sample_clips()]
    assert len({line["clip"] for line in lines}) == len(lines) >= 2
    for line in lines:
        assert line["frames"] == 2 * line["example_frames"]
        assert line["total_s"] == pytest.approx(line["read_s"] + line["synthesis_s"] + line["write_s"], abs=2e-4)
