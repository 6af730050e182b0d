# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions in files: what is saved is restored, and other files are refused."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from motions import walker as walking

from genmm_addon.core import InputError, Motion, synthesize
from genmm_addon.core.motion.npz import add_arrays, load_motion, save_arrays, save_motion, stream_array
from genmm_addon.core.synthesis.result import synthesis_arrays


def assert_same(one: Motion, other: Motion) -> None:
    assert one.skeleton.names == other.skeleton.names
    assert one.skeleton.up == other.skeleton.up
    assert one.frames_per_second == other.frames_per_second
    assert one.scalar_names == other.scalar_names
    for name, values in one.channels().items():
        assert np.array_equal(values, other.channels()[name])
    for name in ("parents", "rest_rotations", "rest_translations"):
        assert np.array_equal(getattr(one.skeleton, name), getattr(other.skeleton, name))
    assert np.array_equal(one.pose()[1], other.pose()[1])


def test_saved_motion_is_loaded_unchanged(tmp_path: Path) -> None:
    motion = walking(30)
    save_motion(tmp_path / "walk.npz", motion)
    assert_same(load_motion(tmp_path / "walk.npz"), motion)


def test_a_synthesis_is_a_motion_with_its_seed_and_sources(tmp_path: Path) -> None:
    made = synthesize([walking(60)], 40, seed=7)
    with (tmp_path / "made.npz").open("wb") as file:
        save_arrays(file, synthesis_arrays(made, 7))
    assert_same(load_motion(tmp_path / "made.npz"), made.motion)
    with np.load(tmp_path / "made.npz", allow_pickle=False) as arrays:
        assert arrays["seed"] == 7
        assert np.array_equal(arrays["source_frames"], made.source_frames)


def test_the_same_motion_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        save_motion(tmp_path / name, walking(20))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused_by_name(tmp_path: Path, share: float) -> None:
    save_motion(tmp_path / "whole.npz", walking(20))
    data = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError, match=r"cut\.npz"):
        load_motion(tmp_path / "cut.npz")


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "evil.npz", format=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match=r"evil\.npz"):
        load_motion(tmp_path / "evil.npz")


def test_arrays_that_come_one_by_one_are_one_array(tmp_path: Path) -> None:
    pieces = [np.full((3, 2), number, np.float32) for number in range(5)]
    with zipfile.ZipFile(tmp_path / "many.npz", "w") as archive:
        stream_array(archive, "many", iter(pieces), len(pieces))
        add_arrays(archive, {"more": np.arange(3)})
    with np.load(tmp_path / "many.npz") as arrays:
        assert np.array_equal(arrays["many"], np.stack(pieces))
        assert np.array_equal(arrays["more"], np.arange(3))
