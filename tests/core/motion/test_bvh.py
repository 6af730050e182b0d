# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files written and read by the core alone, and paths to files as scripts give them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import InputError, Motion, load_bvh, load_motion, save_bvh, save_motion
from genmm_addon.core.library import load_library
from genmm_addon.core.motion import Skeleton


def joints_of(motion: Motion) -> dict[str, np.ndarray]:
    return {name: motion.pose()[1][:, number] for number, name in enumerate(motion.skeleton.names)}


def test_a_saved_motion_moves_the_same_when_it_is_read(tmp_path: Path) -> None:
    motion = walker(60)
    save_bvh(tmp_path / "walk.bvh", motion)
    read = load_bvh(tmp_path / "walk.bvh")
    there, here = joints_of(read), joints_of(motion)
    assert read.frames_per_second == motion.frames_per_second and here.keys() == there.keys()
    for name, places in here.items():
        np.testing.assert_allclose(there[name], places, atol=1e-5)
    save_bvh(tmp_path / "again.bvh", read)
    np.testing.assert_allclose(load_bvh(tmp_path / "again.bvh").pose()[1], read.pose()[1], atol=1e-5)


def test_a_motion_with_y_up_and_several_roots_is_upright_in_its_file(tmp_path: Path) -> None:
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    rest = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 1.7, 0.0]])
    # Its joints are not in the order of a file: the second root stands between the first and its child.
    skeleton = Skeleton(("a", "b", "a.top"), np.array([-1, -1, 0]), identity, rest, up=(0.0, 1.0, 0.0))
    motion = Motion(skeleton, 24.0, np.tile(identity, (5, 1, 1)).astype(np.float32))
    save_bvh(tmp_path / "two.bvh", motion)
    read = joints_of(load_bvh(tmp_path / "two.bvh"))
    np.testing.assert_allclose(read["a.top"][0] - read["a"][0], [0.0, 0.0, 1.7], atol=1e-6)
    np.testing.assert_allclose(read["b"][0] - read["a"][0], [0.3, 0.0, 0.0], atol=1e-6)


def test_a_scaled_motion_has_its_joints_at_their_scaled_places(tmp_path: Path) -> None:
    motion = walker(60)
    scales = np.full((motion.frames, 1, 3), 1.5, np.float32)
    scaled = replace(motion, scaled=np.array([0]), scales=scales)
    save_bvh(tmp_path / "scaled.bvh", scaled)
    for name, places in joints_of(load_bvh(tmp_path / "scaled.bvh")).items():
        np.testing.assert_allclose(places, joints_of(scaled)[name], atol=1e-4)


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_are_texts_or_paths(tmp_path: Path, kind: type) -> None:
    motion = walker(60)
    save_bvh(kind(tmp_path / "a.bvh"), motion)
    save_motion(kind(tmp_path / "a.npz"), motion)
    assert load_bvh(kind(tmp_path / "a.bvh")).frames == load_motion(kind(tmp_path / "a.npz")).frames == motion.frames
    for load, name in ((load_bvh, "no.bvh"), (load_motion, "no.npz")):
        with pytest.raises(InputError, match="No such file"):
            load(kind(tmp_path / name))
        with pytest.raises(InputError):
            load(kind(tmp_path))
    with pytest.raises(InputError, match="no library"):
        load_library(kind(tmp_path / "no.npz"))


def test_a_file_with_no_frames_says_so_and_is_not_called_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "none.bvh"
    save_bvh(path, walker())
    head, motion = path.read_text().split("Frames:")
    time = next(line for line in motion.splitlines() if line.startswith("Frame Time"))
    path.write_text(f"{head}Frames: 0\n{time}\n")
    with pytest.raises(InputError, match=r'^"none\.bvh" has no frames; export it again with motion in it\.$'):
        load_bvh(path)
