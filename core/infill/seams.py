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
CALM = 1.2
"""Accelerations anywhere in a filling are at most so many times the largest of the examples."""
AROUND_SECONDS = 2.0
"""So much of the source on both sides of a window tells how quick its motion is."""


def is_smooth(filling: Filling, gap: Gap, source: Motion) -> bool:
    """Return whether joints at both seams are no quicker, and turn no quicker, than in the source and beside the gap.

    source: the motion that the filling is from.
    """
    examples = _examples(filling, gap, source)
    whole, (first, last) = _whole(filling, gap)
    return all(
        _largest(whole, order, [first, last]) <= ROUGHER * max(_largest(one, order) for one in examples)
        for order in (1, 2)
    )


def most_calm(filling: Filling, gap: Gap, source: Motion) -> float:
    """Return the largest acceleration, units per frame squared, of joints in a filling that is as calm as its examples.

    source: the motion that the filling is from.
    """
    return CALM * max(_largest(one, 2) for one in _examples(filling, gap, source))


def quickest_halves(filling: Filling, gap: Gap) -> tuple[float, float]:
    """Return the largest acceleration of any joint, units per frame squared, before and after a filling's middle."""
    whole, (first, last) = _whole(filling, gap)
    middle = (first + last) // 2
    return _largest(whole[: middle + 2], 2), _largest(whole[middle:], 2)


def _examples(filling: Filling, gap: Gap, source: Motion) -> list[NDArray[np.float64]]:
    """Return the places `(T, J, 3)` of joints in the source around the window, before the gap and after it."""
    around = round(AROUND_SECONDS * source.frames_per_second)
    there = source.slice(max(filling.first - around, 0), filling.first + filling.length + around)
    return [there.pose()[1].astype(np.float64), *gap.places]


def _whole(filling: Filling, gap: Gap) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Return the places `(T, J, 3)` of joints before, in and after a gap, and the frames of both seams."""
    (before, after), inside = gap.places, filling.motion.pose()[1].astype(np.float64)
    whole = np.concatenate((before, inside[1:-1], after))
    return whole, (len(before) - 1, len(whole) - len(after))


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
