# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams of a filling: where it meets the motion around it, and how that compares with the motion that it is from."""

import numpy as np
from numpy.typing import NDArray

from ..motion.motion import Motion
from .gap import Filling, Gap

ROUGHER = 1.1
"""Speeds and accelerations at seams are at most so many times the largest of the examples."""
BESIDE = 3
"""Frames on each side of a seam that count as its own."""
AROUND_SECONDS = 2.0
"""So much of the source on both sides of a window tells how quick its motion is."""


def is_smooth(filling: Filling, gap: Gap, source: Motion) -> bool:
    """Return whether joints at both seams are no quicker, and turn no quicker, than in the source and beside the gap.

    source: the motion that the filling is from.
    """
    around = round(AROUND_SECONDS * source.frames_per_second)
    there = source.slice(max(filling.first - around, 0), filling.first + filling.length + around)
    sides = [part.pose()[1].astype(np.float64) for part in (gap.before, gap.after)]
    examples = [there.pose()[1].astype(np.float64), *sides]
    whole = np.concatenate((sides[0], filling.motion.pose()[1][1:-1].astype(np.float64), sides[1]))
    first, last = len(sides[0]) - 1, len(whole) - len(sides[1])
    return all(
        _largest(whole, order, [first, last]) <= ROUGHER * max(_largest(one, order) for one in examples)
        for order in (1, 2)
    )


def _largest(places: NDArray[np.float64], order: int, seams: list[int] | None = None) -> float:
    """Return the largest difference of an order of joints `(T, J, 3)` from frame to frame, anywhere or beside seams."""
    if len(places) <= order:
        return 0.0
    moved = np.linalg.norm(np.diff(places, order, axis=0), axis=2).max(axis=1)
    if seams is None:
        return float(moved.max())
    # A difference begins at its frame, and reaches over as many more as its order.
    beside = [at for seam in seams for at in range(seam - BESIDE, seam + BESIDE + 1 - order) if 0 <= at < len(moved)]
    return float(moved[beside].max(initial=0.0))
