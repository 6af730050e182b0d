# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of transitions that `build.py bench --quality` prints."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from bench.measures.transition_measures import Jumps, distinct, jumps_of, squared_gaps
from genmm_addon.core import Motion, Skeleton, rotations

UP = (0.0, 0.0, 1.0)


def turning(angles: list[float]) -> Motion:
    """Return one bone that turns about the up axis by these angles in radians."""
    skeleton = Skeleton(("bone",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)), UP)
    turns = rotations.from_axis_angle(np.broadcast_to(UP, (len(angles), 3)), np.array(angles))
    return Motion(skeleton, 30.0, turns[:, None].astype(np.float32))


def shown(frames: list[int]) -> Any:
    """Return a result that shows these frames of its example."""
    return SimpleNamespace(source_frames=np.array(frames, float)[:, None])


def jumps(*rows: tuple[int, int, int]) -> Jumps:
    leaves, arrivals, results = np.array(rows).T
    return Jumps(leaves, arrivals, results)


def test_transitions_are_where_the_next_frame_is_not_the_one_that_follows() -> None:
    found = jumps_of([shown([3, 4, 5, 0, 1]), shown([0, 1, 2]), shown([7, 2])])
    assert found.leaves.tolist() == [5, 7]
    assert found.arrivals.tolist() == [0, 2]
    assert found.results.tolist() == [0, 2]


def test_the_gap_is_between_the_frame_that_would_come_next_and_the_one_that_comes() -> None:
    example = turning([0.0, 0.5, 1.0, np.pi])
    gaps = squared_gaps(example, jumps((0, 1, 0), (0, 3, 0), (3, 3, 0)))
    # The Frobenius distance of two rotations that differ by an angle is 2 sqrt(2) sin(angle / 2).
    assert np.allclose(gaps, [0.0, 8 * np.sin((np.pi - 0.5) / 2) ** 2, 0.0], atol=1e-5)


def test_transitions_a_sixth_of_a_second_apart_are_the_same_and_counted_once_in_a_result() -> None:
    occurrences = distinct(jumps((50, 10, 0), (53, 12, 0), (48, 7, 1), (50, 40, 2), (80, 10, 2)))
    assert occurrences.tolist() == [2, 1, 1]
