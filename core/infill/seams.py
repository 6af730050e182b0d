# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams between a filling and the motion around it, compared with the motion from which the filling is taken."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Float64
from ..feet.calm_paths import ALLOWED, NOTICED
from ..motion.gap import Gap
from ..motion.motion import Motion, joint_accelerations
from .fillings import Filling

AROUND_SECONDS = 2.0
"""Time, in seconds, on both sides of a window in which the speed of the source's motion is measured."""


def is_smooth(filling: Filling, gap: Gap, source: Motion) -> bool:
    """Return whether joints at both seams are as slow, and accelerate as little, as in the source and beside the gap.

    source: the motion from which the filling is taken.
    """
    examples = _examples(filling, gap, source)
    positions, (first, last) = _whole(filling, gap)
    return all(
        _largest(positions, order, [first, last]) <= ALLOWED * max(_largest(places, order) for places in examples)
        for order in (1, 2)
    )


def most_calm(filling: Filling, gap: Gap, source: Motion) -> float:
    """Return the largest acceleration, in units per frame squared, of joints in a filling as calm as its examples.

    source: the motion from which the filling is taken.
    """
    return NOTICED * max(_largest(places, 2) for places in _examples(filling, gap, source))


def quickest_halves(filling: Filling, gap: Gap) -> tuple[float, float]:
    """Return the largest acceleration of any joint, in units per frame squared, in each half of a filling."""
    positions, (first, last) = _whole(filling, gap)
    middle = (first + last) // 2
    return _largest(positions[: middle + 2], 2), _largest(positions[middle:], 2)


def highest_acceleration(motions: Sequence[Motion]) -> float:
    """Return the largest acceleration of any joint, in units per frame squared; above 0."""
    return max([1e-9, *(float(joint_accelerations(motion).max(initial=0.0)) for motion in motions)])


def _examples(filling: Filling, gap: Gap, source: Motion) -> list[Float64]:
    """Return the places `(T, J, 3)` of joints in the source around the window, before the gap and after it."""
    around = round(AROUND_SECONDS * source.frames_per_second)
    context = source.slice(max(filling.first - around, 0), filling.first + filling.length + around)
    return [context.pose()[1].astype(np.float64), *gap.places]


def _whole(filling: Filling, gap: Gap) -> tuple[Float64, tuple[int, int]]:
    """Return the places `(T, J, 3)` of joints before, in and after a gap, and the frames of both seams."""
    (before, after), inside = gap.places, filling.motion.pose()[1].astype(np.float64)
    positions = np.concatenate((before, inside[1:-1], after))
    return positions, (len(before) - 1, len(positions) - len(after))


def _largest(places: Float64, order: int, seams: list[int] | None = None) -> float:
    """Return the largest difference, of an order, of joints' places `(T, J, 3)` over time, anywhere or at seams."""
    if len(places) <= order:
        return 0.0
    moved = np.linalg.norm(np.diff(places, order, axis=0), axis=2).max(axis=1)
    if seams is None:
        return float(moved.max())
    # A difference begins at its frame, and spans as many more frames as its order: these are all that include a seam.
    across = [at for seam in seams for at in range(seam - order, seam + 1) if 0 <= at < len(moved)]
    return float(moved[across].max(initial=0.0))
