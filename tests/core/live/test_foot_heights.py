# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of feet over a transition, and the places where feet step."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from test_controller import controller

from genmm_addon.core.live.inertia import Decay
from genmm_addon.core.live.pose import put_down, read_pose
from genmm_addon.core.live.single.rotations import add
from genmm_addon.core.live.standing_feet import (
    MOST_FOLDED,
    FootHeights,
    _pushed_out,
    _unfolded,
    dying_out,
    foot_places,
    heights_at,
)


def test_heights_die_out_without_sinking_below_the_example() -> None:
    above, change = np.array([2.0, 2.0, 0.1, 0.0, -1.0]), np.array([0.5, -0.4, -3.0, -2.0, -2.0])
    decay, found = dying_out(above, change, 6.0), []
    for _ in range(7):
        found.append(decay.now())
        decay = decay.next()
    heights = np.array(found)
    assert heights[0] == pytest.approx(above)
    assert heights[-1] == pytest.approx(np.zeros(5), abs=1e-9)
    assert heights[:, :4].min() > -1e-9
    # A foot below the ground rises, and does not go farther down.
    assert heights[:, 4].min() == pytest.approx(-1.0)


def test_rest_of_a_decay_equals_the_sum_of_its_future_values() -> None:
    decay, total = Decay(np.array([1.0, -2.0]), np.array([0.3, 0.0]), 8.0, 3.0), np.zeros(2)
    left = decay.rest()
    for _ in range(9):
        decay = decay.next()
        total += decay.now()
    assert left == pytest.approx(total)


def test_a_transition_moves_no_foot_up_or_down_at_once_and_none_below_where_it_and_its_examples_are() -> None:
    examples = controller().examples
    size, nothing, long_ago = examples.skeleton.size, np.zeros((2, 3)), np.full(2, 1e6)
    ease, transitions = Decay(nothing, nothing, np.ones(2), long_ago), 0
    for first, second in ((60, 300), (100, 395), (130, 271), (75, 500)):
        heights, found = FootHeights.at_rest(heights_at(examples, first - 3)), list[NDArray[np.float64]]()
        for frame in range(first - 2, first + 1):
            heights = heights.next(examples, frame, ease)
        before = heights.total
        heights = heights.after_transition(examples, second, second + 1)
        for frame in range(second + 1, second + 13):
            heights = heights.next(examples, frame, ease)
            found.append(heights.total)
        own = np.array([heights_at(examples, frame) for frame in range(second + 1, second + 13)])
        transitions += int(np.abs(before - own[0]).max() > 0.01 * size)
        assert np.abs(found[0] - before).max() < 0.03 * size
        assert found[-1] == pytest.approx(own[-1], abs=1e-6)
        assert (np.minimum(own, before) - np.array(found)).max() < 0.01 * size
    assert transitions >= 2


def test_a_foot_that_would_come_to_its_hip_stays_below_it_and_others_where_they_are() -> None:
    examples = controller().examples
    size, up, sideways = examples.skeleton.size, examples.up, examples.axes[0]
    legs = examples.legs.posed(put_down(examples, read_pose(examples, 60.0), np.zeros(2), 0.0, None))
    played = foot_places(examples, legs)
    near = played + 0.02 * size * up
    assert _unfolded(examples, legs, played, near) == pytest.approx(near)
    assert _unfolded(examples, legs, played, played + size * sideways) == pytest.approx(played + size * sideways)
    for share in (0.0, 0.1, 0.3, 1.0):
        hips = np.array([leg.hip for leg in legs])
        ends = hips + [add(leg.thigh, leg.shin) for leg in legs]
        # Beside the hip and above it, as after a foot that rose quickly.
        goals = played + hips - ends + share * 0.1 * size * up + 0.02 * size * sideways
        found = _unfolded(examples, legs, played, goals) - played + ends - hips
        reach = np.array([leg.reach for leg in legs])
        assert np.linalg.norm(found, axis=1) / reach == pytest.approx(np.full(len(legs), MOST_FOLDED))
        assert (found @ up < 0).all()
        aside = found @ sideways
        assert (aside > 0.0199 * size).all()
        assert share > 0.0 or aside == pytest.approx(np.full(len(legs), 0.02 * size))


def test_a_foot_that_kicks_higher_than_its_hip_stays_where_it_is() -> None:
    examples = controller().examples
    legs = examples.legs.posed(put_down(examples, read_pose(examples, 60.0), np.zeros(2), 0.0, None))
    kicked = []
    for leg in legs:
        x, y, z = 0.4 * leg.reach * (0.3 * examples.up + 0.9 * examples.axes[0]) - add(leg.thigh, leg.shin)
        kicked.append(replace(leg, shin=add(leg.shin, (x, y, z)), foot=add(leg.foot, (x, y, z))))
    played = foot_places(examples, kicked)
    assert _unfolded(examples, kicked, played, played) == pytest.approx(played)


def test_a_foot_that_comes_too_near_to_its_hip_is_moved_away_without_a_jump() -> None:
    down, chance = np.array([0.0, 0.0, -1.0]), np.random.default_rng(0)
    for _ in range(200):
        place = chance.normal(size=3)
        place /= np.linalg.norm(place)
        for inside in (0.9999, 0.5):
            found, beside = (_pushed_out(scale * inside * place, down, 1.0) for scale in (1.0, 0.999))
            assert np.linalg.norm(found) == pytest.approx(1.0)
            assert np.linalg.norm(found - beside) < 0.05
        assert np.linalg.norm(_pushed_out(0.9999 * place, down, 1.0) - place) < 0.05
        assert _pushed_out(0.01 * place, down, 1.0) @ down > 0.9


def test_over_folded_leg_is_unfolded_within_the_range_of_knees() -> None:
    examples = controller().examples
    legs = examples.legs.posed(put_down(examples, read_pose(examples, 60.0), np.zeros(2), 0.0, None))
    folded = []
    for leg in legs:
        x, y, z = -0.1 * leg.reach * examples.up - add(leg.thigh, leg.shin)
        folded.append(replace(leg, shin=add(leg.shin, (x, y, z)), foot=add(leg.foot, (x, y, z))))
    played = foot_places(examples, folded)
    lower = (played - _unfolded(examples, folded, played, played)) @ examples.up
    reaches, before = ([leg.reach for leg in some] for some in (folded, legs))
    assert lower == pytest.approx(MOST_FOLDED * np.array(reaches) - 0.1 * np.array(before))


def test_leg_folded_past_its_hip_does_not_kick() -> None:
    examples = controller().examples
    legs = examples.legs.posed(put_down(examples, read_pose(examples, 60.0), np.zeros(2), 0.0, None))
    folded = []
    for leg in legs:
        # A blend of two poses leaves the foot beside the hip, and a little above.
        x, y, z = 0.25 * leg.reach * examples.up - add(leg.thigh, leg.shin)
        folded.append(replace(leg, shin=add(leg.shin, (x, y, z)), foot=add(leg.foot, (x, y, z))))
    played, hips = foot_places(examples, folded), np.array([leg.hip for leg in folded])
    goals = played - 0.05 * examples.skeleton.size * examples.up
    ends = hips + [add(leg.thigh, leg.shin) for leg in folded]
    assert ((_unfolded(examples, folded, played, goals) - played + ends - hips) @ examples.up < 0).all()
