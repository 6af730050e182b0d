# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that a difference changes."""

import numpy as np
import pytest
from motions import walker
from test_controller import controller

from genmm_addon.core import Motion
from genmm_addon.core.infill import prepare_filling
from genmm_addon.core.live import prepare_live
from genmm_addon.core.live import single_rotations as single
from genmm_addon.core.live.pose import changed, difference, knees_forward, put_down, read_pose
from genmm_addon.core.motion import rotations


def twisting(bend: float) -> tuple[Motion, int]:
    """The walker's first pose with one leg straight but for the knee's bend, its thigh twisting quickly to and fro; and
    the foot of that leg.
    """
    still = walker(60).take(np.zeros(60, np.int64))
    skeleton = still.skeleton
    foot = next(j for j in reversed(range(len(skeleton.names))) if len(skeleton.chain(j)) > 3)
    thigh, shin = skeleton.chain(foot)[-3:-1]
    along = skeleton.rest_translations[shin] / np.linalg.norm(skeleton.rest_translations[shin])
    turns = still.rotations.copy()
    twist = 0.8 * np.random.default_rng(0).uniform(-1.0, 1.0, still.frames)
    turns[:, thigh] = rotations.from_axis_angle(np.tile(along, (still.frames, 1)), twist)
    turns[:, shin] = rotations.from_vector(np.tile([bend, 0.0, 0.0], (still.frames, 1)))
    return still.with_channels({**still.channels(), "rotations": turns.astype(np.float32)}), foot


def test_a_difference_does_not_swing_where_a_straight_limb_twists() -> None:
    (straight, foot), (bent, _) = twisting(0.0), twisting(0.9)
    examples = prepare_live(prepare_filling([straight, bent]))
    by = difference(read_pose(examples, 60.0), read_pose(examples, 0.0))
    assert np.abs(by).max() > 0.5
    places = []
    for frame in np.arange(0.0, 40.0, 0.7):
        pose = changed(read_pose(examples, float(frame)), by)
        places.append(put_down(examples, pose, np.zeros(2), 0.0, None).pose()[1][0, foot])
    assert np.ptp(places, axis=0).max() < 1e-3 * straight.skeleton.size


def test_a_pose_is_put_down_as_its_example_has_it() -> None:
    motion = walker(60)
    examples = prepare_live(prepare_filling([motion]))
    for frame in (0, 17, 42):
        made = put_down(examples, read_pose(examples, float(frame)), np.zeros(2), 0.0, None)
        turned = rotations.angle_between(made.rotations[0, 1:], motion.rotations[frame, 1:])
        assert float(turned.max()) < 1e-3


@pytest.mark.parametrize("share", [0.0, 0.4, 0.7, 1.0, 1.5])
def test_a_difference_bends_no_knee_backward_and_its_foot_stays_in_its_direction(share: float) -> None:
    examples = controller().examples
    for frame in range(240):
        own = read_pose(examples, float(frame))
        before = examples.legs.posed(put_down(examples, own, np.zeros(2), 0.0, None))
        by = np.zeros(own.turns.size // 4 * 3 + own.columns.size)
        for leg, posed in zip(examples.legs.legs, before, strict=True):
            axis = np.array(single.rotate(own.turns[leg.joints[0]].tolist(), leg.hinge))
            for joint in leg.shin:
                by[3 * joint : 3 * joint + 3] = -share * (posed.bend + 0.3) * axis
        asked = changed(own, by)
        pose = knees_forward(examples, own, asked)
        was, found = (examples.legs.posed(put_down(examples, one, np.zeros(2), 0.0, None)) for one in (asked, pose))
        for leg, one, other, at_first in zip(examples.legs.legs, was, found, before, strict=True):
            assert other.bend >= max(one.bend, min(at_first.bend, 0.0)) - 1e-3
            assert other.bend <= max(at_first.bend, one.bend) + 1e-3
            directions = [np.add(limb.thigh, limb.shin) for limb in (one, other)]
            cosine = directions[0] @ directions[1] / np.prod(np.linalg.norm(directions, axis=1))
            assert cosine == pytest.approx(1.0, abs=1e-4)
            assert pose.turns[leg.foot] == pytest.approx(asked.turns[leg.foot])
        assert share < 1.4 or min(limb.bend for limb in was) < -0.1
        if not share:
            assert pose is asked
