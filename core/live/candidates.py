# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates: frames that may be gone on from, compared all at once with a pose and with a way that is wished for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .examples import LiveExamples

Float32 = NDArray[np.float32]
Frames = NDArray[np.int64]

POSE_COLUMNS = 24
"""Main components of a pose that all candidates are compared by; the best are compared by all."""
CANDIDATES_PER_SECOND = 10.0
"""So many frames of each second are candidates, and the frames beside the best."""
LEAST_SECONDS = 0.4
"""So much of a motion has to follow a candidate."""


@dataclass(frozen=True)
class Weights:
    """Weights of squared distances between poses, and between ways."""

    pose: float
    way: float


@dataclass(frozen=True, eq=False)
class Candidates:
    """Frames `(C,)` of examples, and their rows `(C, P + W + 2)`: pose, way, and the squared lengths of both.

    allowed: `(M,)` the motions that they are of; None is all.
    """

    frames: Frames
    table: Float32
    allowed: NDArray[np.bool_] | None


def candidates_of(examples: LiveExamples, allowed: NDArray[np.bool_] | None) -> Candidates:
    """Return the candidates among the frames of some motions; of motions that are too short, their first frames."""
    index = examples.index
    rate = index.frames_per_second
    frames = np.arange(index.frames)
    since = frames - index.starts[index.clips]
    left = index.stops[index.clips] - frames
    fits = (since % max(1, round(rate / CANDIDATES_PER_SECOND)) == 0) & (left > round(LEAST_SECONDS * rate))
    fits |= since == 0
    if allowed is not None:
        fits &= allowed[index.clips]
    chosen = np.flatnonzero(fits)
    pose, way = index.rows[chosen, :POSE_COLUMNS], examples.ways[chosen]
    squares = np.stack((np.einsum("nc,nc->n", pose, pose), np.einsum("nc,nc->n", way, way)), axis=1)
    return Candidates(chosen, np.concatenate((pose, way, squares), axis=1).astype(np.float32), allowed)


def nearest_candidate(
    examples: LiveExamples, candidates: Candidates, frame: int, way: Float32, weights: Weights
) -> tuple[int, float]:
    """Return the frame that goes on best from the pose of a frame along a way `(W,)`, and its cost."""
    index = examples.index
    row = index.rows[frame]
    asked = np.concatenate(
        (-2 * weights.pose * row[:POSE_COLUMNS], -2 * weights.way * way, (weights.pose, weights.way))
    ).astype(np.float32)
    found = int(candidates.frames[int(np.argmin(candidates.table @ asked))])
    clip = index.clips[found]
    beside = np.arange(max(found - 1, index.starts[clip]), min(found + 2, index.stops[clip]))
    costs = weights.pose * np.square(index.rows[beside] - row).sum(axis=1)
    costs += weights.way * np.square(examples.ways[beside] - way).sum(axis=1)
    best = int(np.argmin(costs))
    return int(beside[best]), float(costs[best])
