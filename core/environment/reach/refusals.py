# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons for refusing places, each a sentence that states by how much a place is out of reach and what to do."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...motion.skeleton import SAME_PLACE, Skeleton
from .limbs import find_limb
from .reach import Reach

ROOM = 0.08
"""Height to which a body stretches beyond its arm, as a share of the size: shoulders rise, and heels lift."""


def why_not_met(reaches: Sequence[Reach], missing: Array, size: float, first: float = 1.0) -> str:
    """Return a sentence on the place that is missed by the largest distance; "" if all are met.

    missing: `(R, T)` distances of the joints from their places. first: the number of the first frame.

    >>> reach = Reach(1, np.array([True]), np.zeros((1, 3)), said="The handle")
    >>> why_not_met([reach], np.array([[0.2]]), size=1.0, first=40)
    'The handle is out of reach at frame 40: 20 % of its size are missing; move it nearer, or choose other frames.'
    """
    row, frame = (int(place) for place in np.unravel_index(int(np.argmax(missing)), missing.shape))
    distance = float(missing[row, frame])
    if distance <= SAME_PLACE * size:
        return ""
    return (
        f"{reaches[row].said} is out of reach at frame {first + frame:g}: {amount(distance, size)} are missing; "
        "move it nearer, or choose other frames."
    )


def why_out_of_reach(
    skeleton: Skeleton, reaches: Sequence[Reach], highest: Array | None = None, first: float = 1.0
) -> str:
    """Return a sentence if no pose brings joints to their places, which are too high or too far apart; else "".

    highest: `(J,)` largest heights of the joints in the examples, if known. The ground is at the lowest joint of the
    standing skeleton. first: the number of the first frame.

    >>> why_out_of_reach(skeleton, [Reach(1, np.array([True]), np.zeros((1, 3)))])
    ''
    """
    for reach in reaches:
        reason = _too_high(skeleton, reach, highest, first)
        if reason:
            return reason
    for number, reach in enumerate(reaches):
        for other in reaches[:number]:
            reason = _too_distant(skeleton, other, reach, first)
            if reason:
                return reason
    return ""


def amount(distance: float, size: float) -> str:
    """Return a distance for a sentence, as a share of the character's size: its units may differ from the world's."""
    share = 100 * distance / size
    return f"{share:.0f} % of its size" if share >= 10 else f"{share:.2g} % of its size"


def _too_high(skeleton: Skeleton, reach: Reach, highest: Array | None, first: float) -> str:
    limb, up = find_limb(skeleton, reach.joint), np.array(skeleton.up)
    if limb is None or not reach.active.any():
        return ""
    heights = skeleton.stance @ up
    chain = skeleton.chain(reach.joint)
    below = chain[chain.index(limb.hip) :]
    length = float(np.linalg.norm(np.diff(skeleton.stance[below], axis=0), axis=1).sum())
    most = heights[limb.hip] + length
    if highest is not None:
        most = max(most, float(highest[reach.joint]))
    above = np.where(reach.active, reach.positions @ up, -np.inf) - most - ROOM * skeleton.size
    frame = int(np.argmax(above))
    if above[frame] <= 0:
        return ""
    return (
        f"{reach.said} is higher than the character reaches at frame {first + frame:g}, by "
        f"{amount(float(above[frame]), skeleton.size)}; move it lower."
    )


def _too_distant(skeleton: Skeleton, reach: Reach, other: Reach, first: float) -> str:
    both = reach.active & other.active
    if not both.any():
        return ""
    chains = [skeleton.chain(place.joint) for place in (reach, other)]
    shared = [joint for joint in chains[0] if joint in chains[1]]
    span = sum(
        float(np.linalg.norm(np.diff(skeleton.stance[chain[max(len(shared) - 1, 0) :]], axis=0), axis=1).sum())
        for chain in chains
    )
    beyond = np.where(both, np.linalg.norm(reach.positions - other.positions, axis=1), 0.0) - span
    frame = int(np.argmax(beyond))
    # The same joint may have two places.
    if beyond[frame] <= (SAME_PLACE * skeleton.size if reach.joint == other.joint else 0.0):
        return ""
    return (
        f"{reach.said} and {other.said} are {amount(float(beyond[frame]), skeleton.size)} too far from each other at "
        f"frame {first + frame:g}; move them together, or choose other frames."
    )
