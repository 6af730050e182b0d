# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses changed by a difference."""

import numpy as np
import pytest
from motions import walker
from test_controller import controller

from genmm_addon.core import Motion
from genmm_addon.core.library import index_motions
from genmm_addon.core.live import prepare_live
from genmm_addon.core.live.pose import FOLDED, ROOM, changed, difference, put_down, read_pose
from genmm_addon.core.motion import rotations


def twisting(bend: float) -> tuple[Motion, int]:
    """Return the walker's first pose with one leg straight but for the knee's bend, and the foot of this leg.

    The leg's thigh twists quickly to and fro.
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
    examples = prepare_live(index_motions([straight, bent]))
    by = difference(read_pose(examples, 60.0), read_pose(examples, 0.0))
    assert np.abs(by).max() > 0.5
    places = []
    for frame in np.arange(0.0, 40.0, 0.7):
        pose = changed(read_pose(examples, float(frame)), by)
        places.append(put_down(examples, pose, np.zeros(2), 0.0, None).pose()[1][0, foot])
    # With thigh and shin of different lengths, the foot is not quite halfway between their directions.
    assert np.ptp(places, axis=0).max() < 0.01 * straight.skeleton.size


def test_pose_is_placed_as_in_its_example() -> None:
    motion = walker(60)
    examples = prepare_live(index_motions([motion]))
    for frame in (0, 17, 42):
        made = put_down(examples, read_pose(examples, float(frame)), np.zeros(2), 0.0, None)
        turned = rotations.angle_between(made.rotations[0, 1:], motion.rotations[frame, 1:])
        assert float(turned.max()) < 1e-3


@pytest.mark.parametrize("share", [0.0, 0.4, 0.7, 1.0, 1.5])
def test_a_difference_bends_no_knee_backward_and_its_foot_keeps_its_turn(share: float) -> None:
    examples = controller().examples
    least = 1.0
    for frame in range(240):
        own = read_pose(examples, float(frame))
        bends = own.columns[-own.bends :]
        by = np.zeros(own.turns.size // 4 * 3 + own.columns.size)
        by[-own.bends :] = -share * (bends + 0.3)
        pose = changed(own, by)
        asked, found = bends + by[-own.bends :], pose.columns[-own.bends :]
        assert (found >= np.maximum(asked, np.minimum(bends, 0.0)) - 1e-6).all()
        assert (found <= np.maximum(bends, asked) + 1e-6).all()
        shown = examples.legs.posed(put_down(examples, pose, np.zeros(2), 0.0, None))
        assert [leg.bend for leg in shown] == pytest.approx(found[: len(shown)], abs=1e-3)
        for leg in examples.legs.legs:
            assert pose.turns[leg.foot] == pytest.approx(own.turns[leg.foot])
        least = min(least, float(asked.min()))
        assert share or found == pytest.approx(bends)
    assert share < 1.4 or least < -0.1


def test_a_difference_leads_back_to_the_pose_that_it_was_taken_from() -> None:
    examples = controller().examples
    for one, other in ((3, 200), (50, 310), (120, 400), (230, 15)):
        there, here = read_pose(examples, float(one)), read_pose(examples, float(other))
        back = changed(here, difference(there, here))
        assert np.abs(rotations.angle_between(back.turns, there.turns)).max() < 1e-5
        assert back.columns == pytest.approx(there.columns, abs=0.02)


@pytest.mark.parametrize("more", [0.5, 1.5, 3.0])
def test_difference_never_folds_a_knee_beyond_the_limit(more: float) -> None:
    examples = controller().examples
    own = read_pose(examples, 40.0)
    by = np.zeros(own.turns.size // 4 * 3 + own.columns.size)
    by[-own.bends :] = more
    bends = changed(own, by).columns[-own.bends :]
    assert (bends <= FOLDED + ROOM).all()
    asked = own.columns[-own.bends :] + more
    assert bends[asked <= FOLDED] == pytest.approx(asked[asked <= FOLDED])
    assert (asked > FOLDED).any() == (more > 2.0)
