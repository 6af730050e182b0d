# SPDX-License-Identifier: GPL-3.0-or-later
"""Two walks interpolated: equal to one walk at each end, with all measures in between, and with planted feet."""

from functools import cache

import numpy as np
import pytest
from motions import styled_walks, walker, waver

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.library import index_motions
from genmm_addon.core.manner import Restyled, blend_motions
from genmm_addon.core.manner.events import Event, event_moves
from genmm_addon.core.motion import place_and_heading

pytestmark = pytest.mark.filterwarnings("error")

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@cache
def blended(share: float) -> Restyled:
    one, other = styled_walks()["neutral"].slice(0, 200), styled_walks()["tired"]
    return blend_motions(one, index_motions([other]), share)


def speed(motion: Motion) -> float:
    """Return the mean speed along the ground, in units per frame."""
    places = motion.pose()[1][:, 0]
    return float(np.linalg.norm(places[-1, :2] - places[0, :2])) / motion.frames


def height(motion: Motion) -> float:
    return float(motion.pose()[1][:, motion.skeleton.names.index("Head"), 2].mean())


@pytest.mark.parametrize("attribute", [speed, height])
def test_measured_attribute_changes_steadily_with_the_share(attribute: "object") -> None:
    values = np.array([attribute(blended(share).motion) for share in SHARES])  # type: ignore[operator]
    assert len(set(np.sign(np.diff(values)))) == 1


def test_the_ends_are_the_two_motions() -> None:
    assert metrics.l2_positions(blended(0.0).motion, styled_walks()["neutral"].slice(0, 200)) == 0.0
    near = [metrics.local_distance(blended(share).motion, styled_walks()["tired"]) for share in (0.0, 1.0)]
    assert near[1] < 0.2 * near[0]


def test_a_share_over_time_begins_with_one_and_ends_with_the_other() -> None:
    one, other = styled_walks()["neutral"].slice(0, 200), styled_walks()["tired"]
    made = blend_motions(one, index_motions([other]), np.linspace(0.0, 1.0, 200)).motion
    halves = made.slice(0, 40), made.slice(made.frames - 40, made.frames)
    to_tired = [metrics.local_distance(half, other) for half in halves]
    to_neutral = [metrics.local_distance(half, styled_walks()["neutral"]) for half in halves]
    assert to_neutral[0] < to_tired[0] and to_tired[1] < to_neutral[1]


def test_it_begins_where_the_first_motion_does() -> None:
    plan = index_motions([styled_walks()["tired"]]).index.space.plan
    place, there = (place_and_heading(blended(share).motion, plan)[0][0, :2] for share in (0.5, 0.0))
    assert np.linalg.norm(place - there) < 0.05 * styled_walks()["neutral"].skeleton.size


def test_other_actions_and_shares_are_refused() -> None:
    with pytest.raises(InputError, match=r"another action .* Connect"):
        blend_motions(walker(240, 0), index_motions([waver(240, 0)]), 0.5)
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="between 0 and 1"):
            blend_motions(walker(240, 0), index_motions([walker(240, 1)]), share)


def turned_swing(motion: Motion, joint: int) -> Motion:
    """Return a motion in which one joint swings as far, but in another plane."""
    turns = motion.rotations.astype(np.float64).copy()
    middle = rotations.normalize(rotations.make_continuous(turns[:, joint : joint + 1])[:, 0].mean(axis=0))
    away = rotations.to_vector(rotations.multiply(rotations.inverse(middle), turns[:, joint]))
    turns[:, joint] = rotations.multiply(middle, rotations.from_vector(np.roll(away, 1, axis=1)))
    return motion.with_channels(motion.channels() | {"rotations": turns.astype(np.float32)})


def swing(motion: Motion, joint: int) -> float:
    """Return the mean deviation of a joint from its mean, in radians."""
    turns = rotations.make_continuous(motion.rotations[:, joint : joint + 1].astype(np.float64))[:, 0]
    return float(np.sqrt(np.mean(rotations.angle_between(rotations.normalize(turns.mean(axis=0)), turns) ** 2)))


def test_blending_swings_in_different_planes_does_not_shrink_them() -> None:
    one = styled_walks()["neutral"].slice(0, 200)
    arm = one.skeleton.names.index("UpperArm.L")
    other = turned_swing(styled_walks()["neutral"], arm)
    made = blend_motions(one, index_motions([other]), 0.5).motion
    # The mean of two such swings alone is seven tenths of them.
    assert swing(made, arm) > 0.93 * min(swing(one, arm), swing(other, arm))


@pytest.mark.parametrize("standing", [True, False])
def test_feet_stand_at_the_ends_as_in_the_motion(standing: bool) -> None:
    # In the examples the foot comes down, or lifts, a little too late, and at the end a little too early.
    line, stands = np.arange(30.0), np.full((30, 1), standing)
    events = [Event(0, standing, 3), Event(0, not standing, 28)]
    moved = line + event_moves(line, 0, (0.0, 29.0), ([], events), stands, 30.0)
    assert moved[0] >= 3 - 0.3 and moved[-1] <= 28 - 0.7 and np.all(np.diff(moved) > 0)
    # After the end, or before the beginning, nothing moves; nor within the motion.
    further = line[5:25] + event_moves(line[5:25], 5, (0.0, 29.0), ([], events), stands, 30.0)
    assert np.array_equal(further, line[5:25])


def test_steps_are_not_rushed_for_a_lifting_of_another_style() -> None:
    # One style stands for 4 frames and the other for 11, so feet that come down together need not lift together.
    line, stands = np.arange(40.0), np.zeros((40, 1), bool)
    ours, theirs = [Event(0, True, 12), Event(0, False, 16)], [Event(0, True, 13), Event(0, False, 23)]
    moved = line + event_moves(line, 0, (0.0, 39.0), (ours, theirs), stands, 30.0)
    assert moved[12] == pytest.approx(13, abs=0.1) and np.diff(moved).max() < 1.6


def test_it_ends_with_the_last_moment_of_the_first_motion() -> None:
    assert all(blended(share).positions[-1] == 199 for share in SHARES)
