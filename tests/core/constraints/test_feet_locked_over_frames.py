# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are always or never locked over frames: other frames, and other parts than the legs, are unchanged."""

from functools import cache

import numpy as np
import pytest
from motions import styled_walks

from genmm_addon.core import (
    Constraints,
    FootLock,
    FootLocks,
    InputError,
    Loop,
    Motion,
    Prepared,
    Settings,
    Synthesis,
    metrics,
    prepare,
    synthesize,
)

FRAMES = 120


@cache
def walks(*, locking: bool = True) -> Prepared:
    motions = [styled_walks()[style] for style in ("neutral", "tired")]
    return prepare(motions, settings=Settings(foot_locking=locking))


def made(*locks: FootLock, locking: bool = True, loop: Loop = Loop.OFF, seed: int = 0) -> Synthesis:
    asked = Constraints(loop=loop, others=(FootLocks(locks),) if locks else ())
    return synthesize(walks(locking=locking), FRAMES, constraints=asked, seed=seed)


def feet_of(prepared: Prepared) -> list[int]:
    return [foot.joint for foot in prepared.feet]


def level_places(motion: Motion, joint: int) -> np.ndarray:
    up = np.array(motion.skeleton.up)
    places = motion.pose()[1][:, joint].astype(np.float64)
    return np.asarray(places - (places @ up)[:, None] * up)


def slide(motion: Motion, joint: int, first: int, end: int) -> float:
    """Return the distance of a foot along the ground, in sizes of the skeleton."""
    places = level_places(motion, joint)[first:end]
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) / motion.skeleton.size


def stances(motion: Motion, joint: int) -> list[tuple[int, int]]:
    """Return the frames at which a foot stands without a lock, except at the ends of the motion."""
    steps = np.linalg.norm(np.diff(level_places(motion, joint), axis=0), axis=1) / motion.skeleton.size
    still = np.concatenate(([False], steps < 0.004, [False])).astype(np.int8)
    edges = np.flatnonzero(np.diff(still)).reshape(-1, 2)
    return [(int(first), int(end)) for first, end in edges if end - first > 6 and first > 15 and end < FRAMES - 20]


@pytest.mark.parametrize("seed", range(2))
def test_a_foot_stays_where_it_stands_for_longer_than_by_itself(seed: int) -> None:
    foot = feet_of(walks())[0]
    plain = made(seed=seed).motion
    first, end = stances(plain, foot)[0]
    last = end + 3
    assert slide(plain, foot, first, last) > 0.03
    locked = made(FootLock(foot, first, last), seed=seed).motion
    assert slide(locked, foot, first, last) < 0.006
    assert min(metrics.acceleration_ratios(locked, walk)[1] for walk in walks().motions) < 1.6


def test_frames_far_from_a_lock_and_the_plan_are_unchanged() -> None:
    foot = feet_of(walks())[0]
    plain = made()
    first, end = stances(plain.motion, foot)[0]
    locked = made(FootLock(foot, first, end + 4))
    assert np.array_equal(plain.source_frames, locked.source_frames)
    far = slice(end + 45, FRAMES)
    assert np.allclose(
        plain.motion.pose()[1][far], locked.motion.pose()[1][far], atol=2e-3 * plain.motion.skeleton.size
    )


def test_a_foot_that_is_never_locked_goes_as_in_the_examples() -> None:
    foot = feet_of(walks())[0]
    whole = FootLock(foot, 0, FRAMES, always=False)
    free, locked, plain = made(whole, seed=2).motion, made(seed=2).motion, made(locking=False, seed=2).motion

    def bend(motion: Motion) -> np.ndarray:
        return np.asarray(motion.rotations[:, list(walks().feet[0].leg)])

    away = [np.abs(np.abs(bend(one)) - np.abs(bend(plain))).mean() for one in (free, locked)]
    assert away[0] < 0.5 * away[1]


def test_with_foot_locking_off_only_the_asked_frames_are_locked() -> None:
    foot = feet_of(walks())[0]
    first, end = stances(made().motion, foot)[0]
    plain = made(locking=False).motion
    locked = made(FootLock(foot, first, end), locking=False).motion
    assert slide(locked, foot, first, end) < min(0.005, slide(plain, foot, first, end))
    other = feet_of(walks())[1]
    assert np.allclose(level_places(locked, other), level_places(plain, other), atol=0.02 * plain.skeleton.size)


def test_lock_that_the_body_walks_away_from_is_reported() -> None:
    foot = feet_of(walks())[0]
    notes = made(FootLock(foot, 20, 100, said='The foot lock "foot always 21-100"')).notes
    assert any('"foot always 21-100" cannot be kept' in note for note in notes)


def test_a_cycle_takes_locks() -> None:
    foot = feet_of(walks())[0]
    plain = made(loop=Loop.TRAVEL).motion
    first, end = stances(plain, foot)[0]
    assert slide(made(FootLock(foot, first, end + 3), loop=Loop.TRAVEL).motion, foot, first, end + 3) < 0.006


@pytest.mark.parametrize(
    ("locks", "sentence"),
    [
        ([(0, 10, 30, True)], "is not for a foot; the feet are"),
        ([(None, 100, 130, True)], "lies outside of the result"),
        ([(None, 10, 12, True)], "too short for a foot to stand"),
        ([(None, 10, 40, True), (None, 30, 60, False)], "contradicts"),
    ],
)
def test_impossible_foot_locks_are_rejected(locks: list[tuple[int | None, int, int, bool]], sentence: str) -> None:
    foot = feet_of(walks())[0]
    asked = [FootLock(foot if joint is None else joint, first, end, always) for joint, first, end, always in locks]
    with pytest.raises(InputError, match=sentence):
        made(*asked)


def test_a_bone_of_the_leg_names_the_foot() -> None:
    foot = walks().feet[0]
    one, other = (made(FootLock(joint, 30, 50)).motion for joint in (foot.joint, foot.leg[-2]))
    assert np.array_equal(one.rotations, other.rotations)
