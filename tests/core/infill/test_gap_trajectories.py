# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a gap: different ones between the same poses, and names for those that stand out."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import Facing, InputError, Motion
from genmm_addon.core.infill import TrajectoryName, trajectories, trajectories_through
from genmm_addon.core.infill.seams import quickest_halves
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import Gap
from genmm_addon.core.motion.root_motion import apply_root, encode_root, plan_root

pytestmark = pytest.mark.filterwarnings("error")

FIRST, FRAMES = 90, 60
"""First frame of the gap, and its number of frames."""


def bowed(bow: float) -> Motion:
    """Return a walk that bends to one side and back, in the duration of the gap and in that before and after it."""
    motion = walker(240)
    plan = plan_root([motion], Facing.FREE, None)
    track = encode_root(motion, plan)
    ground = track.ground.copy()
    ground[:, 0] += bow * np.sin(np.pi * (np.arange(240) - FIRST) / FRAMES) ** 2
    return apply_root(motion, plan, replace(track, ground=ground))


@cache
def library() -> IndexedMotions:
    return index_motions([bowed(0.3), *(walker(240, seed) for seed in range(4))])


def gap() -> Gap:
    motion = walker(240)
    return Gap(motion.slice(FIRST - 15, FIRST + 1), motion.slice(FIRST + FRAMES, FIRST + FRAMES + 15))


def test_trajectories_that_differ_lead_from_pose_to_pose_and_the_widest_is_named() -> None:
    found = trajectories_through(library(), gap(), [FRAMES], most=9)
    assert len(found) >= 2
    target = walker(240).pose()[1][[FIRST, FIRST + FRAMES], 0]
    for trajectory in found:
        assert trajectory.filling.motion.frames == FRAMES + 1
        assert np.allclose(trajectory.ground[[0, -1], :2], target[:, :2], atol=1e-4)
    (widest,) = (trajectory for trajectory in found if TrajectoryName.WIDEST in trajectory.names)
    assert widest.width == max(trajectory.width for trajectory in found) > 0.15
    assert TrajectoryName.USUAL in found[0].names and found[0].width < 0.7 * widest.width


@pytest.mark.parametrize("rule", ["calm", "slides"])
def test_a_trajectory_that_is_rougher_is_left_out_as_long_as_another_is_left(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    every = trajectories_through(library(), gap(), [FRAMES])
    calm = [max(quickest_halves(trajectory.filling, gap())) for trajectory in every]
    assert len(every) >= 2 and max(calm) > 1.01 * min(calm)
    if rule == "calm":
        limit = (min(calm) + max(calm)) / 2
        monkeypatch.setattr(trajectories, "most_calm", lambda *_: limit)
        kept = trajectories_through(library(), gap(), [FRAMES])
        assert kept and max(max(quickest_halves(trajectory.filling, gap())) for trajectory in kept) <= limit
    refused = ("most_calm", lambda *_: 0.0) if rule == "calm" else ("_slides", lambda *_: True)
    monkeypatch.setattr(trajectories, *refused)
    assert len(trajectories_through(library(), gap(), [FRAMES])) == 1


def test_the_fastest_takes_least_time_where_durations_are_compared() -> None:
    found = trajectories_through(library(), gap(), [FRAMES, 56])
    (fastest,) = (trajectory for trajectory in found if TrajectoryName.FASTEST in trajectory.names)
    assert fastest.frames == min(trajectory.frames for trajectory in found) == 56


def test_impossible_trajectory_lengths_are_rejected() -> None:
    with pytest.raises(InputError, match="No example is as long"):
        trajectories_through(library(), gap(), [5000])
    with pytest.raises(InputError, match="at least two frames"):
        trajectories_through(library(), gap(), [1])
