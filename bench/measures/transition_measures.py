# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of transitions over the seeds of one example: the gaps that they jump, and their distinct places."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, Synthesis, metrics

Frames = NDArray[np.int64]

SAME_WITHIN = 5
"""Largest distance, in frames, of both ends of two transitions that count as one (1/6 s at 30 fps)."""


@dataclass(frozen=True, eq=False)
class Jumps:
    """The transitions `(X,)` of several results: frames of the example before and after each, and its result."""

    leaves: Frames
    arrivals: Frames
    results: Frames


def jumps_of(results: Sequence[Synthesis]) -> Jumps:
    """Return the transitions of the first part of results from one example."""
    pieces = []
    for number, result in enumerate(results):
        frames = np.rint(result.source_frames[:, 0]).astype(np.int64)
        at = np.flatnonzero(np.diff(frames) != 1)
        pieces.append(np.stack((frames[at], frames[at + 1], np.full(len(at), number)), axis=1))
    leaves, arrivals, numbers = np.concatenate(pieces).T
    return Jumps(leaves, arrivals, numbers)


def squared_gaps(example: Motion, jumps: Jumps) -> NDArray[np.float64]:
    """Return for each transition the squared distance `(X,)` between the frame that would follow and the one shown.

    It is the sum over joints of squared Frobenius norms of the differences of local rotation matrices. example: without
    its heading, if that is free.
    """
    rows = metrics.rotation_rows(example)
    following = rows[np.minimum(jumps.leaves + 1, len(rows) - 1)]
    return np.asarray(np.sum((following - rows[jumps.arrivals]).astype(np.float64) ** 2, axis=1))


def distinct(jumps: Jumps) -> NDArray[np.int64]:
    """Return for each distinct transition `(D,)` the number of results with it; see SAME_WITHIN."""
    free = np.ones(len(jumps.leaves), bool)
    occurrences = []
    for index in range(len(free)):
        if free[index]:
            near = np.abs(jumps.leaves - jumps.leaves[index]) <= SAME_WITHIN
            near &= free & (np.abs(jumps.arrivals - jumps.arrivals[index]) <= SAME_WITHIN)
            free &= ~near
            occurrences.append(len(np.unique(jumps.results[near])))
    return np.array(occurrences, np.int64)
