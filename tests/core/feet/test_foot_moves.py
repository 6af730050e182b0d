# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of feet: a foot lands on its stance and lifts off with its own motion."""

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core.feet.foot_moves import EASE_SECONDS, FootToMove, target_moves
from genmm_addon.core.feet.footsteps import Stance

FRAMES, RATE, FIRST, END = 80, 30.0, 30, 50
UP = np.array([0.0, 0.0, 1.0])


def brought(largest: float | None, weights: NDArray[np.floating] | None = None) -> NDArray[np.floating]:
    """Return the positions `(T, 3)` of a foot with one stance, whose body is moved by 1 cm per frame."""
    places = np.arange(FRAMES)[:, None] * np.array([0.01, 0.0, 0.0])
    own = np.arange(FRAMES)[:, None] * np.array([0.0, 0.002, 0.0])
    stance = Stance(FIRST, END, (places - own)[FIRST:END].mean(axis=0))
    weights = np.ones(FRAMES) if weights is None else weights
    heights = np.zeros(FRAMES)
    return np.asarray(
        places + target_moves(FootToMove(places, own, heights, weights, UP, RATE, 1.0), [stance], {}, largest)
    )


def steps_at_the_edges(largest: float | None) -> NDArray[np.floating]:
    steps = np.diff(brought(largest), axis=0)
    return np.asarray(steps[[FIRST - 1, END - 1]])


def test_a_foot_lands_and_lifts_off_as_it_goes_by_itself() -> None:
    assert np.allclose(steps_at_the_edges(1.0), [0.0, 0.002, 0.0], atol=1e-9)
    assert np.linalg.norm(steps_at_the_edges(None) - [0.0, 0.002, 0.0], axis=1).min() > 1e-3


def test_it_does_not_where_it_would_be_too_quick() -> None:
    assert np.array_equal(brought(1e-9), brought(None))


def test_it_is_eased_to_where_it_swings() -> None:
    there, reach = brought(1.0), 2 + round(EASE_SECONDS * RATE)
    assert np.allclose(there[: FIRST - reach, 1:], 0.0) and np.allclose(there[END + reach :, 1:], 0.0)
    assert np.linalg.norm(np.diff(there, 2, axis=0), axis=1).max() < 0.02


@pytest.mark.parametrize("beside", [FIRST - 3, END + 2])
def test_beside_a_pose_that_is_held_it_goes_as_before(beside: int) -> None:
    weights = np.clip(np.abs(np.arange(FRAMES) - beside) / 8, 0.0, 1.0)
    side = slice(0, FIRST + 1) if beside < FIRST else slice(END - 1, FRAMES)
    assert np.array_equal(brought(1.0, weights)[side], brought(None, weights)[side])
