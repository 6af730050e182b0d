# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples that climb, as on slopes, stairs and ladders: results climb on, and nothing jumps between two heights."""

from functools import cache

import numpy as np
import pytest

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Constraints, Loop, Motion, PoseConstraint, Prepared, RootPath, prepare, synthesize
from genmm_addon.core.examples import is_cycle
from genmm_addon.core.feet import move_root
from genmm_addon.core.infill import Surroundings, replan
from genmm_addon.core.motion import joint_accelerations
from genmm_addon.core.motion.climbing import climbs, steadily_raised
from genmm_addon.core.motion.root_motion import encode_root, plan_root
from genmm_addon.core.settings import Facing

RATE = 30.0
PACE = 0.5
"""Climb in meters per second: that of a quick walk up stairs."""


def raised(motion: Motion, pace: float = PACE) -> Motion:
    """Return a motion that goes up, or down, by so many meters per second."""
    return steadily_raised(motion, plan_root([motion], Facing.FREE, None), pace / RATE)


def on_the_spot(motion: Motion) -> Motion:
    """Return a motion without its travel over the ground, as on a ladder."""
    plan = plan_root([motion], Facing.FREE, None)
    path = encode_root(motion, plan).ground.astype(np.float64)
    return move_root(motion, plan.joint, path[:1] - path)


@cache
def walk() -> Motion:
    return sample_motions(RATE)["GenMM Walk"]


@cache
def prepared(pace: float = PACE) -> Prepared:
    return prepare([raised(walk(), pace)])


def heights(motion: Motion) -> np.ndarray:
    return np.asarray(motion.pose()[1][:, prepared().root.joint] @ np.array(motion.skeleton.up))


def quickest(motion: Motion) -> float:
    """Return the highest acceleration of a joint, as a share of the example's."""
    return float(joint_accelerations(motion).max() / joint_accelerations(prepared().motions[0]).max())


@pytest.mark.parametrize("pace", [PACE, -PACE])
def test_a_result_climbs_on_beyond_the_height_of_the_example(pace: float) -> None:
    made = synthesize(prepared(pace), 900, seed=1).motion
    climbed = np.diff(heights(made)[::30]) / (pace * 30 / RATE)
    assert climbed.min() > 0.7 and climbed.max() < 1.3
    assert quickest(made) < 1.2


@pytest.mark.parametrize("kind", [Loop.TRAVEL, Loop.IN_PLACE])
def test_a_loop_climbs_in_each_round_unless_it_stays_in_place(kind: Loop) -> None:
    made = synthesize(prepared(), 90, constraints=Constraints(loop=kind), seed=1).motion
    climbed = float(heights(made)[-1] - heights(made)[0])
    assert climbed == pytest.approx(3.0 * PACE if kind is Loop.TRAVEL else 0.0, abs=0.15)
    assert quickest(made) < 1.6


def test_on_a_ladder_the_body_climbs_and_stays_where_it_is() -> None:
    ladder = prepare([raised(on_the_spot(walk()))])
    assert ladder.root.in_place and ladder.root.climbs
    track = encode_root(synthesize(ladder, 600, seed=2).motion, ladder.root)
    up = np.array(ladder.motions[0].skeleton.up)
    assert np.ptp(track.offset[:, 0] @ up) > 0.8 * PACE * 600 / RATE
    assert np.linalg.norm(np.ptp(track.ground, axis=0)) < 0.3


def test_one_cycle_of_a_climb_is_a_cycle_that_climbs_on() -> None:
    closing = [count for count in range(26, 40) if is_cycle(walk().slice(40, 40 + count))]
    stride = walk().slice(40, 40 + closing[len(closing) // 2])
    assert is_cycle(raised(stride))
    made = synthesize(prepare([raised(stride)]), 150, seed=0).motion
    assert np.ptp(heights(made)) == pytest.approx(PACE * 150 / RATE, rel=0.1)


def test_pinned_poses_are_met_at_their_heights() -> None:
    example, frames = raised(walk()), np.zeros(120, int)
    frames[[0, 80]] = 10, 150
    joints, place = np.zeros((120, len(example.skeleton.names)), bool), np.zeros(120, bool)
    joints[[0, 80]] = place[[0, 80]] = True
    pins = PoseConstraint(example.take(frames), joints, place)
    made = synthesize(prepared(), 120, constraints=Constraints(pins), seed=0).motion
    assert np.abs(made.pose()[1][[0, 80]] - example.pose()[1][[10, 150]]).max() < 1e-4
    assert quickest(made) < 1.6


def test_a_path_decides_the_height() -> None:
    way = RootPath(np.array([[0.0, 0.0, 0.0], [0.0, -9.0, 0.0]]))
    assert np.ptp(heights(synthesize(prepared(), 200, constraints=Constraints(path=way), seed=0).motion)) < 0.2


def test_a_continuation_climbs_on_from_the_last_pose() -> None:
    before = raised(walk())
    added = replan(prepared(), Surroundings(before=before), 60).motion
    assert heights(added)[-1] - heights(before)[-1] == pytest.approx(PACE * 60 / RATE, abs=0.2)
    assert replan(prepared(), Surroundings(before=before), 60).acceleration < 1.2


def test_jumps_and_bodies_that_sit_down_do_not_climb() -> None:
    level, up = walk(), np.array(walk().skeleton.up)
    plan, frames = plan_root([level], Facing.FREE, None), np.arange(walk().frames)
    assert climbs(raised(level), plan) and not climbs(level, plan)
    air = np.clip((frames - frames[-1] / 2) / (0.4 * RATE), -1.0, 1.0)
    assert not climbs(move_root(level, plan.joint, 0.5 * (1.0 - air**2)[:, None] * up), plan)
    last = np.clip((frames - frames[-1] + 0.4 * RATE) / (0.4 * RATE), 0.0, 1.0)
    assert not climbs(move_root(level, plan.joint, 0.6 * last[:, None] * up), plan)
    # The hips sink while the feet stay on the ground.
    sinking = move_root(level, plan.joint, -0.6 * (frames / frames[-1])[:, None] * up)
    below = sinking.pose()[1] @ up
    stays = move_root(sinking, plan.joint, (below.min() - below.min(axis=1))[:, None] * up)
    assert not climbs(stays, plan)
