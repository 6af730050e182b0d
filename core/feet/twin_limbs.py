# SPDX-License-Identifier: GPL-3.0-or-later
"""Twins among limbs: pairs of legs or arms with bones of nearly the same lengths."""

import numpy as np

from ..arrays import Float64
from ..motion.skeleton import Skeleton

TWIN = 0.1
"""Largest difference between the bones of a left and a right leg, or between two arms, as a share of their length."""


def without_odd_limbs(skeleton: Skeleton, chosen: dict[int, int]) -> dict[int, int]:
    """Return the chosen joints by limb without unpaired limbs: if legs are paired, an elephant's trunk or a tail is not
    a leg.

    If fewer than two limbs have a twin, legs cannot be told from others, and all stay.
    """
    lengths = {limb: _longest_chain(skeleton, limb) for limb in chosen}
    paired = {
        limb: joint
        for limb, joint in chosen.items()
        if any(other != limb and _are_similar(lengths[limb], lengths[other]) for other in chosen)
    }
    return paired if len(paired) > 1 else chosen


def _longest_chain(skeleton: Skeleton, limb: int) -> Float64:
    """Return the lengths of the bones `(K,)` from `limb` to the end of the longest chain below it."""
    chains = []
    for joint in np.flatnonzero(skeleton.descendants(limb)):
        chain = skeleton.chain(int(joint))
        places = skeleton.stance[chain[chain.index(limb) :]]
        chains.append(np.linalg.norm(np.diff(places, axis=0), axis=1))
    return np.asarray(max(chains, key=np.sum, default=np.zeros(0)), np.float64)


def _are_similar(limb: Float64, other: Float64) -> bool:
    """Return whether two limbs have the same number of bones, of nearly the same lengths."""
    return len(limb) == len(other) and bool(np.all(np.abs(limb - other) <= TWIN * max(limb.sum(), other.sum())))
