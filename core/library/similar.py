# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a library that are similar to a stretch of motion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion.piecewise import MOMENTS, evenly
from .pose_index import Float32, PoseIndex

OVERLAP = 0.5
"""Largest share of frames that two places of one clip may have in common."""


@dataclass(frozen=True)
class SimilarPlace:
    """A stretch of a motion.

    clip: the number of the motion. first: its first frame there. frames: its length. distance: mean distance of the
    compared frames, as a share of the skeleton's size; 0 is identical.

    >>> SimilarPlace(clip=0, first=10, frames=20, distance=0.0).first
    10
    """

    clip: int
    first: int
    frames: int
    distance: float


def find_similar(
    index: PoseIndex, rows: Float32, count: int = 12, allowed: NDArray[np.bool_] | None = None
) -> tuple[SimilarPlace, ...]:
    """Return the places most similar to a stretch with rows `(T, C)`, the best first, without large overlaps.

    allowed: mask `(M,)` of the motions to search; None is all. Raises InputError for a stretch without frames, and if
    every motion is shorter than the stretch.

    >>> index = build_pose_index([swing])
    >>> [place.first for place in find_similar(index, rows_of(index.space, swing)[10:30], count=1)]
    [10]
    """
    length = len(rows)
    if not length:
        raise InputError("There is no frame to look for; choose a stretch with frames in it.")
    starts = _possible_starts(index, length, allowed)
    if not len(starts):
        raise InputError(f"No clip to search in is as long as the stretch of {length} frames; choose a shorter one.")
    compared = evenly(length, MOMENTS)
    total = np.zeros(len(starts), np.float32)
    for frame in compared:
        total += index.squared_distances(rows[frame])[starts + frame]
    total /= len(compared)
    return _best_places(index, starts, total, length, count)


def _possible_starts(index: PoseIndex, length: int, allowed: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the frames from which `length` frames of one allowed motion follow."""
    fits = np.arange(index.frames) + length <= index.stops[index.clips]
    if allowed is not None:
        fits &= allowed[index.clips]
    return np.flatnonzero(fits)


def _best_places(
    index: PoseIndex, starts: NDArray[np.int64], costs: Float32, length: int, count: int
) -> tuple[SimilarPlace, ...]:
    """Return the cheapest starts that do not overlap in a clip, best first."""
    costs, similar = costs.copy(), list[SimilarPlace]()
    while len(similar) < count:
        best = int(np.argmin(costs))
        if not np.isfinite(costs[best]):
            break
        start = int(starts[best])
        clip = int(index.clips[start])
        # By rounding, the distance of a row from itself may be some millionths.
        distance = float(np.sqrt(costs[best]))
        similar.append(
            SimilarPlace(clip, start - int(index.starts[clip]), length, 0.0 if distance < 1e-3 else distance)
        )
        reach = max(1, round(OVERLAP * length))
        first, end = np.searchsorted(starts, (max(start - reach + 1, int(index.starts[clip])), start + reach))
        within = index.clips[starts[first:end]] == clip
        costs[first:end][within] = np.inf
    return tuple(similar)
