# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps and swings where a stance is crossfaded with another stance or with a walk."""

import numpy as np
import pytest

from genmm_addon.core.feet.foot_moves import FootToMove, target_moves
from genmm_addon.core.feet.footsteps import HIGHEST_LIFT, Stance, SwingHeights, take_steps, with_support

FRAMES, RATE, SIZE = 60, 30.0, 1.0
UP = np.array([0.0, 0.0, 1.0])
LENGTH = 0.3
PLANNED = [Stance(0, 25, np.zeros(3)), Stance(35, FRAMES, np.array([LENGTH, 0.0, 0.0]))]


def swung(height: float, frames: slice) -> np.ndarray:
    """Return the heights of a foot that swings `height` high, in a crossfade in some frames."""
    share = np.clip((np.arange(FRAMES) - 24) / 11, 0.0, 1.0)
    path = np.stack((LENGTH * share, np.zeros(FRAMES), height * np.sin(np.pi * share)), axis=1)
    crossfaded = np.zeros(FRAMES, bool)
    crossfaded[frames] = True
    still, whole = np.zeros((FRAMES, 3)), np.ones(FRAMES)
    foot = FootToMove(path, still, path @ UP, whole, UP, RATE, SIZE, SwingHeights(0.1, 0.2, crossfaded))
    moves = target_moves(foot, PLANNED, {})
    return np.asarray((path + moves) @ UP)


def test_a_swing_that_a_crossfade_flattens_is_as_high_as_those_of_the_examples() -> None:
    assert swung(0.01, slice(30, 45)).max() > 0.19 * LENGTH


def test_swings_as_high_as_in_the_examples_and_those_without_a_crossfade_stay() -> None:
    assert np.isclose(swung(0.04, slice(30, 45)).max(), 0.04, atol=1e-3)
    assert np.isclose(swung(0.01, slice(40, 45)).max(), 0.01, atol=1e-3)


def test_no_swing_is_raised_above_the_highest_step() -> None:
    assert swung(0.0, slice(0, FRAMES)).max() <= HIGHEST_LIFT * SIZE + 1e-9


def test_steps_of_examples_with_calm_feet_take_longer() -> None:
    planned = [Stance(0, 30, np.zeros(3)), Stance(30, 60, np.array([0.05, 0.0, 0.0]))]
    seconds = [
        (steps[0].end - steps[0].first) / RATE
        for _, steps in (take_steps(planned, {}, np.zeros((60, 3)), RATE, SIZE, largest) for largest in (1.0, 1e-4))
    ]
    assert seconds == [0.2, 0.6]


def with_step(at: int) -> list[Stance]:
    """Return two stances that a step divides at a frame."""
    return [Stance(0, at, np.zeros(3)), Stance(at, FRAMES, np.array([0.1, 0.0, 0.0]))]


def supported(*planned: list[Stance], whole: np.ndarray | None = None) -> list[list[Stance]]:
    changeable = np.ones(FRAMES, bool) if whole is None else whole
    return with_support(planned, [changeable] * len(planned), RATE, SIZE, [np.inf] * len(planned))


@pytest.mark.parametrize(("swings", "at"), [((28, 45), 25), ((15, 32), 35)])
def test_the_only_standing_foot_steps_before_the_other_leaves_or_after_it_lands(
    swings: tuple[int, int], at: int
) -> None:
    leaves, lands = swings
    other = [Stance(0, leaves, np.zeros(3)), Stance(lands, FRAMES, np.zeros(3))]
    (before, after), unchanged = supported(with_step(30), other)
    assert before.end == after.first == at
    assert unchanged == other
    _, (step,) = take_steps([before, after], {}, np.zeros((FRAMES, 3)), RATE, SIZE)
    assert step.end <= leaves or step.first >= lands


def test_a_step_beside_a_standing_foot_and_one_that_nothing_can_support_stay() -> None:
    standing, never = [Stance(0, FRAMES, np.zeros(3))], list[Stance]()
    for other in (standing, never):
        assert supported(with_step(30), other)[0][0].end == 30


def test_feet_that_step_at_the_same_frame_are_left_to_take_turns() -> None:
    assert [before.end for before, _ in supported(with_step(30), with_step(30))] == [30, 30]


def test_no_step_moves_across_frames_at_which_the_leg_is_fixed() -> None:
    other = [Stance(0, 28, np.zeros(3)), Stance(45, FRAMES, np.zeros(3))]
    whole = np.arange(FRAMES) != 27
    assert supported(with_step(30), other, whole=whole)[0][0].end == 48
    whole[40] = False
    assert supported(with_step(30), other, whole=whole)[0][0].end == 30
