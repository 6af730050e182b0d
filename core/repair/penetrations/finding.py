# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches in which a limb goes through the body or through another limb."""

from collections.abc import Iterator

import numpy as np

from ...arrays import Float64
from ...evaluation.body.capsules import TOO_DEEP, Capsules, penetration_depths
from ...evaluation.body.flights import SHORTEST_SECONDS
from ...feet.foot_moves import EASE_SECONDS
from ...motion.motion import Motion
from ...motion.spans import joined_spans
from ..weight.bodies import BodyOnGround


def limbs_through_body(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each penetration may change, the joints of the limbs that
    move for it, and its depth beyond the usual one in sizes.

    Limbs of recordings graze each other for a moment: a penetration lasts for SHORTEST_SECONDS, or is twice TOO_DEEP.
    """
    capsules, beside, flaws = body.capsules, round(EASE_SECONDS * motion.frames_per_second), []
    for limbs, first, end, amount in _stretches(motion, capsules, body.usual):
        joints = tuple(sorted(joint for limb in limbs for joint in joints_of(capsules, limb)))
        flaws.append((max(first - beside, 0), min(end + beside, motion.frames) - 1, joints, amount))
    return flaws


def frames_through_body(motion: Motion, capsules: Capsules, usual: Float64) -> int:
    """Return the number of frames at which limbs go through the body or through each other, as in the flaws of Repair.

    usual: `(P,)` the depths of the capsules' pairs that are no flaw, in the skeleton's units.

    >>> from genmm_addon.core.evaluation import find_capsules
    >>> frames_through_body(swing, find_capsules(skeleton), np.zeros(0))
    0
    """
    through = np.zeros(motion.frames, bool)
    for _, first, end, _ in _stretches(motion, capsules, usual):
        through[first:end] = True
    return int(through.sum())


def _stretches(motion: Motion, capsules: Capsules, usual: Float64) -> Iterator[tuple[tuple[int, ...], int, int, float]]:
    """Yield the limbs that move to part a penetration, its first frame, the one after it, and its depth in sizes."""
    deep = (penetration_depths(motion, capsules) - usual) / motion.skeleton.size
    shortest = SHORTEST_SECONDS * motion.frames_per_second
    together: dict[tuple[int, ...], list[int]] = {}
    for pair in np.flatnonzero((deep > TOO_DEEP).any(axis=0)).tolist():
        together.setdefault(moving_limbs(capsules, pair), []).append(pair)
    for limbs, pairs in together.items():
        deepest = deep[:, pairs].max(axis=1)
        for first, end in joined_spans(deepest > TOO_DEEP, shortest, 1):
            amount = float(deepest[first:end].max())
            if end - first >= shortest or amount > 2 * TOO_DEEP:
                yield limbs, first, end, amount


def moving_limbs(capsules: Capsules, pair: int) -> tuple[int, ...]:
    """Return the numbers of the limbs that move to part a pair; a leg carries the body and leaves that to an arm."""
    first, second = capsules.owners[capsules.pairs[pair]].tolist()
    if second < 0 or (first in capsules.arms and second not in capsules.arms):
        return (first,)
    return min(first, second), max(first, second)


def joints_of(capsules: Capsules, limb: int) -> tuple[int, ...]:
    """Return the three joints of a limb that turn when it moves."""
    return capsules.limbs[limb].hip, capsules.limbs[limb].knee, capsules.limbs[limb].wrist
