# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees that reach their bends without jerks."""

import numpy as np
import pytest
from test_controller import controller

from genmm_addon.core.live.inertia import Decay, calm_frames
from genmm_addon.core.live.pose import put_down, read_pose
from genmm_addon.core.live.single.legs import PosedLeg, bend_for, bend_leg
from genmm_addon.core.live.standing_feet import KNEE_ACCELERATION, MISS, CalmKnee

RATE = 30.0


def leg() -> PosedLeg:
    """Return one of the walker's legs in some pose."""
    examples = controller().examples
    return examples.legs.posed(put_down(examples, read_pose(examples, 60.0), np.zeros(2), 0.0, None))[0]


@pytest.mark.parametrize(("away", "speed"), [(0.3, 0.0), (0.0, 0.05), (0.2, 0.1), (0.0, 0.0)])
def test_decay_over_the_calm_duration_stays_within_the_acceleration_limit(away: float, speed: float) -> None:
    most = 0.01
    frames = calm_frames(np.array([away]), np.array([speed]), most)
    decay, found = Decay(np.array([away]), np.array([speed]), np.maximum(frames, 1.0), np.zeros(1)), list[float]()
    for _ in range(int(frames[0]) + 4):
        found.append(float(decay.now()[0]))
        decay = decay.next()
    assert np.abs(np.diff(found, 2)).max() <= 1.01 * most
    assert found[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_knee_brakes_before_its_leg_is_straight_and_its_foot_misses_little() -> None:
    posed = leg()
    knee, bends = CalmKnee.at_rest(posed.bend), [posed.bend]
    stretched = np.array(posed.thigh) + posed.shin
    moves = [tuple(((1.0 - share) * -0.25 * stretched).tolist()) for share in np.linspace(0.0, 1.5, 5)]
    moves += [moves[-1]] * 12
    for x, y, z in moves[:1] * 12 + moves:
        goal = bend_for(posed, (x, y, z))
        knee = knee.next(posed, goal, RATE)
        bends.append(knee.bend)
        missed = np.linalg.norm(
            np.subtract(bend_leg(posed, (x, y, z), knee.bend).foot, bend_leg(posed, (x, y, z), goal).foot)
        )
        assert missed <= 1.001 * MISS * posed.reach
    asked = [bend_for(posed, (x, y, z)) for x, y, z in moves]
    braking = np.abs(np.diff(bends, 2))[14:]
    assert braking.max() <= 1.05 * KNEE_ACCELERATION / RATE**2 < np.abs(np.diff(asked, 2)).max()
    assert bends[-1] == pytest.approx(asked[-1], abs=1e-6)
