# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions: their channels, frames taken from them, and other frame rates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import RATE, walker, with_channel, with_scales_and_scalars

from genmm_addon.core import InputError, Motion, rotations
from genmm_addon.core.motion.motion import resample, sample, with_repeated_poses

few = settings(max_examples=20, deadline=None)


def test_a_motion_without_moved_joints_has_empty_channels() -> None:
    still = Motion(walker().skeleton, RATE, walker().rotations)
    assert still.frames == walker().frames
    assert {name: values.shape[1:] for name, values in still.channels().items() if name != "rotations"} == {
        "translations": (0, 3),
        "scales": (0, 3),
        "scalars": (0,),
    }


@pytest.mark.parametrize("channel", ["rotations", "translations", "scales", "scalars"])
def test_a_channel_of_another_shape_is_refused_by_name(channel: str) -> None:
    motion = with_scales_and_scalars()
    with pytest.raises(InputError, match=channel):
        with_channel(motion, channel, motion.channels()[channel][:, :0])


@pytest.mark.parametrize("rate", [0.0, -24.0, float("nan")])
def test_invalid_frame_rate_is_rejected(rate: float) -> None:
    with pytest.raises(InputError, match="frames per second"):
        replace(walker(), frames_per_second=rate)


@pytest.mark.parametrize("channel", ["rotations", "translations", "scales", "scalars"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_value_is_reported_with_its_channel_and_frame(channel: str, value: float) -> None:
    motion = with_scales_and_scalars()
    broken = motion.channels()[channel].copy()
    broken[17].flat[-1] = value
    with pytest.raises(InputError, match=rf"Wave has a {channel[:-1]} .* frame 17\b"):
        with_channel(motion, channel, broken).check_values("Wave")


def test_finite_values_pass() -> None:
    with_scales_and_scalars().check_values("Wave")


@few
@given(frames=st.lists(st.integers(0, 239), min_size=1, max_size=10))
def test_taken_frames_are_those_of_the_motion_in_the_given_order(frames: list[int]) -> None:
    motion = with_scales_and_scalars()
    taken = motion.take(np.array(frames))
    for name, values in taken.channels().items():
        assert np.array_equal(values, motion.channels()[name][frames])


def test_a_slice_is_the_frames_between() -> None:
    motion = with_scales_and_scalars()
    assert np.array_equal(motion.slice(5, 9).pose()[1], motion.pose()[1][5:9])


def test_a_pose_shows_scales_and_moves() -> None:
    motion = with_scales_and_scalars()
    head = motion.skeleton.names.index("head")
    matrices, positions = motion.pose()
    assert np.linalg.norm(matrices[:, head], axis=-2) == pytest.approx(motion.scales[:, 0], rel=1e-4)
    moved = np.linalg.norm(positions[:, 0] - motion.skeleton.rest_translations[0], axis=-1)
    assert moved == pytest.approx(np.linalg.norm(motion.translations[:, 0], axis=-1), abs=1e-5)


def test_the_same_rate_gives_the_motion_itself() -> None:
    same, positions = resample(walker(), RATE)
    assert same is walker()
    assert np.array_equal(positions, np.arange(walker().frames))


@few
@given(rate=st.floats(5, 200))
def test_another_rate_keeps_the_duration_and_stays_within_the_frames(rate: float) -> None:
    motion = walker()
    other, positions = resample(motion, rate)
    assert other.frames == len(positions)
    assert positions[0] == 0
    assert np.all((positions >= 0) & (positions <= motion.frames - 1))
    lost = (motion.frames - 1 - positions[-1]) / motion.frames_per_second
    assert 0 <= lost < 1 / other.frames_per_second + 1e-6


def test_at_a_multiple_of_the_rate_the_old_frames_are_still_there() -> None:
    motion = with_scales_and_scalars()
    double, positions = resample(motion, 2 * RATE)
    assert np.array_equal(positions[::2], np.arange(motion.frames))
    for name, values in double.channels().items():
        assert values[::2] == pytest.approx(motion.channels()[name], abs=1e-6)
    again, _ = resample(double, RATE)
    assert again.rotations == pytest.approx(motion.rotations, abs=1e-6)


def test_between_two_frames_joints_turn_the_short_way_half_way() -> None:
    motion = walker()
    flipped = replace(motion, rotations=motion.rotations * np.where(np.arange(240) % 2, -1, 1)[:, None, None])
    between = sample(flipped, np.array([30.5]), RATE)
    angles = rotations.angle_between(between.rotations[0].astype(float), motion.rotations[30].astype(float))
    whole = rotations.angle_between(motion.rotations[31].astype(float), motion.rotations[30].astype(float))
    assert angles == pytest.approx(whole / 2, abs=1e-4)


def test_one_frame_at_another_rate_is_that_frame() -> None:
    single, positions = resample(walker().slice(3, 4), 24.0)
    assert single.frames == 1
    assert positions.tolist() == [0]
    assert single.rotations == pytest.approx(walker().rotations[3:4])


@pytest.mark.parametrize("rate", [12.0, 24.0, 25.0, 48.0, 60.0])
@pytest.mark.parametrize("held", [2, 3])
def test_a_stepped_motion_holds_its_poses_at_any_rate(held: int, rate: float) -> None:
    motion = with_repeated_poses(walker(240), np.arange(240) % held > 0)
    resampled, positions = resample(motion, rate)
    poses = {pose.tobytes() for pose in motion.rotations}
    assert all(pose.tobytes() in poses for pose in resampled.rotations)
    begins = (np.floor(positions + 1e-6).astype(int) // held) * held
    np.testing.assert_array_equal(resampled.rotations, motion.rotations[begins])
    np.testing.assert_array_equal(resampled.translations, motion.translations[begins])
