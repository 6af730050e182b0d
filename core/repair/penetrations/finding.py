# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches in which a limb goes through the body or through another limb."""

import numpy as np
from numpy.typing import NDArray

from ...evaluation.body.capsules import TOO_DEEP, Capsules, penetration_depths
from ...evaluation.body.flights import SHORTEST_SECONDS
from ...feet.foot_moves import EASE_SECONDS
from ...motion.motion import Motion
from ...motion.spans import joined_spans
from ..weight.bodies import BodyOnGround

Float64 = NDArray[np.float64]


def limbs_through_body(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each penetration may change, the joints of the limbs that
    move for it, and its depth beyond the usual one in sizes.

    Limbs of recordings graze each other for a moment: a penetration lasts for SHORTEST_SECONDS, or is twice TOO_DEEP.
    """
    capsules, rate = body.capsules, motion.frames_per_second
    deep = depths_beyond(motion, body)
    together: dict[tuple[int, ...], list[int]] = {}
    for pair in np.flatnonzero((deep > TOO_DEEP).any(axis=0)).tolist():
        together.setdefault(moving_limbs(capsules, pair), []).append(pair)
    shortest, beside, flaws = SHORTEST_SECONDS * rate, round(EASE_SECONDS * rate), []
    for limbs, pairs in together.items():
        joints = tuple(sorted(joint for limb in limbs for joint in joints_of(capsules, limb)))
        deepest = deep[:, pairs].max(axis=1)
        for first, end in joined_spans(deepest > TOO_DEEP, shortest, 1):
            amount = float(deepest[first:end].max())
            if end - first >= shortest or amount > 2 * TOO_DEEP:
                flaws.append((max(first - beside, 0), min(end + beside, motion.frames) - 1, joints, amount))
    return flaws


def depths_beyond(motion: Motion, body: BodyOnGround) -> Float64:
    """Return how much deeper than usual the capsules of each pair penetrate each other, in sizes `(T, P)`."""
    return np.asarray((penetration_depths(motion, body.capsules) - body.usual) / motion.skeleton.size)


def moving_limbs(capsules: Capsules, pair: int) -> tuple[int, ...]:
    """Return the numbers of the limbs that move to part a pair; a leg carries the body and leaves that to an arm."""
    first, second = capsules.owners[capsules.pairs[pair]].tolist()
    if second < 0 or (first in capsules.arms and second not in capsules.arms):
        return (first,)
    return min(first, second), max(first, second)


def joints_of(capsules: Capsules, limb: int) -> tuple[int, ...]:
    """Return the three joints of a limb that turn when it moves."""
    return capsules.limbs[limb].hip, capsules.limbs[limb].knee, capsules.limbs[limb].wrist
