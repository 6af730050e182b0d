# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of feet onto stances: steps over gaps between them, and none for a foot that creeps as in the examples."""

from dataclasses import replace

import numpy as np
import pytest

from genmm_addon.core.feet.stance_moves import FeetToMove, stance_moves

pytestmark = pytest.mark.filterwarnings("error")

FRAMES, GAP, UP = 90, slice(45, 50), np.array([0.0, 0.0, 1.0])
LONGEST = 0.025
"""Distance that the examples' foot moves in a stance, in sizes of the skeleton."""


def creeping(shift: float = 0.02, lift: float = 0.0) -> FeetToMove:
    """Return a foot that moves as far as in the examples, before and after a gap in its contacts.

    shift: additional displacement by the crossfade. lift: height in the gap. Both are in sizes of the skeleton, which
    is 1.
    """
    share = np.clip((np.arange(FRAMES) - GAP.start) / (GAP.stop - GAP.start), 0.0, 1.0)
    own = np.zeros((FRAMES, 1, 3))
    own[:, 0, 0] = 2 * LONGEST * np.arange(FRAMES) / FRAMES
    path = own[:, 0] + shift * share[:, None] * np.array([1.0, 0.0, 0.0])
    path[GAP] += lift * UP
    contacts = np.ones((FRAMES, 1), bool)
    contacts[GAP] = False
    return FeetToMove(
        paths={0: path},
        contacts=contacts,
        heights=path[:, 2:],
        movement=own,
        weights=np.ones((FRAMES, 1)),
        transitions=np.array([0, 47]),
        largest=np.array([0.02]),
        longest_drift=LONGEST,
        lands=True,
        locked=None,
        detours=None,
        up=UP,
        rate=30.0,
        size=1.0,
    )


def way(feet: FeetToMove) -> float:
    """Return the distance of the foot along the ground from the first frame to the last, after its moves."""
    path = feet.paths[0] + stance_moves(feet)[0]
    return float(np.linalg.norm((path[-1] - path[0])[:2]))


@pytest.mark.parametrize(("shift", "lift"), [(0.02, 0.08), (0.1, 0.0)])
def test_a_foot_that_is_high_or_goes_far_in_between_takes_a_step(shift: float, lift: float) -> None:
    assert way(creeping(shift, lift)) > shift


def test_a_foot_that_creeps_no_farther_than_in_the_examples_is_left_alone() -> None:
    feet = replace(creeping(0.01), longest_drift=0.1)
    np.testing.assert_allclose(stance_moves(feet)[0], 0.0, atol=1e-3)
    assert way(feet) > 2 * LONGEST
