# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of two skeletons of one shape, in any axes and size: the same bones below the same joints at rest.

A joint is told by its distances from all others. Those of both sides have equal ones; the turn between the skeletons,
from the middles of similar joints, tells them from each other.
"""

import numpy as np

from ...arrays import Array, Mask
from ...motion.skeleton import SAME_PLACE, Skeleton


def equal_joints(source: Skeleton, target: Skeleton) -> dict[int, int] | None:
    """Return the target's joint in the place of each joint of the source; None if shapes differ."""
    if len(source.names) != len(target.names):
        return None
    places, others = (each.rest_positions / each.size for each in (source, target))
    spans, other_spans = _spans(places), _spans(others)
    similar, own = _similar(spans, other_spans), _similar(spans, spans)
    if not np.array_equal(similar.sum(axis=1), own.sum(axis=1)):
        return None
    middles, other_middles = own @ places / own.sum(axis=1)[:, None], similar @ others / own.sum(axis=1)[:, None]
    middle, other_middle = middles.mean(axis=0), other_middles.mean(axis=0)
    first, _, second = np.linalg.svd((middles - middle).T @ (other_middles - other_middle))
    handed = np.sign(np.linalg.det(first) * np.linalg.det(second))
    moved = (places - middle) @ (first * [1.0, 1.0, handed]) @ second + other_middle
    near = np.linalg.norm(moved[:, None] - others, axis=2) < SAME_PLACE
    pairs: dict[int, int] = {}
    for joint, parent in enumerate(source.parents.tolist()):
        above = pairs[parent] if parent >= 0 else parent
        # Of joints in one place, the one that carries as much, in the same places.
        below = source.descendants(joint)
        options = [
            other
            for other in np.flatnonzero(near[joint] & (target.parents == above)).tolist()
            if other not in pairs.values() and _are_near(near, below, target.descendants(other))
        ]
        if not options:
            return None
        pairs[joint] = options[0]
    return pairs


def _are_near(near: Mask, below: Mask, others: Mask) -> bool:
    """Return whether two branches `(J,)` have as many joints, each near one of the other branch."""
    return below.sum() == others.sum() and bool(near[np.ix_(below, others)].any(axis=1).all())


def _spans(places: Array) -> Array:
    """Return the distances `(J, J)` of each joint from all others, the smallest first."""
    return np.asarray(np.sort(np.linalg.norm(places[:, None] - places, axis=2), axis=1))


def _similar(spans: Array, others: Array) -> Mask:
    """Return whether the distances of two joints are equal, `(J, J)`."""
    return np.array([np.abs(others - row).max(axis=1) < SAME_PLACE for row in spans])
