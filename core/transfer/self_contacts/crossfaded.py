# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contacts of crossfades: what a hand touches on both sides, it also touches in between.

Turning each joint from one pose to another moves hands along arcs, and two hands that meet, or a hand on a hip, along
different ones.
"""

from dataclasses import fields
from functools import lru_cache
from itertools import product

import numpy as np

from ...arrays import Array, Float64
from ...motion import rotations
from ...motion.motion import Motion
from ...motion.skeleton import Skeleton
from .bodies import BodyPair, PosedBody, TouchingBody, find_bodies, pose_body
from .detecting import HANDS, SelfContact, find_self_contacts, nearest_on
from .keeping import ContactsToKeep, with_self_contacts


@lru_cache
def own_body(skeleton: Skeleton) -> BodyPair | None:
    """Return the hands of a skeleton and the bones that they may touch, as a pair with itself; None without hands.

    >>> own_body(skeleton) is None
    True
    """
    return find_bodies(skeleton, skeleton, {name: name for name in skeleton.names})


def with_contacts_of_both_sides(
    piece: Motion, inside: slice, sides: tuple[Motion, Motion], weights: Array, quickest: float
) -> Motion:
    """Return a piece of motion with the self-contacts that both sides of its crossfade have.

    inside: the crossfade's X frames in the piece, which shows two more at each end, for the accelerations there. sides:
    before and after, on the root of the piece. weights: `(X,)` of the later side. quickest: the largest acceleration of
    the whole motion's arms, in units per frame squared.

    >>> side = swing.slice(5, 9)
    >>> with_contacts_of_both_sides(swing, slice(5, 9), (side, side), np.linspace(0, 1, 4), 0.0) is swing
    True
    """
    bodies = own_body(piece.skeleton)
    if bodies is None:
        return piece
    touching, blended = _shared(sides, bodies.source, np.asarray(weights, np.float64))
    if not touching:
        return piece
    posed = pose_body(piece, bodies.source)
    for field in fields(PosedBody):
        getattr(posed, field.name)[:, inside] = getattr(blended, field.name)
    contacts = [SelfContact(hand, bone, inside.start, inside.stop) for hand, bone in touching]
    return with_self_contacts(piece, ContactsToKeep(bodies, contacts, posed), quickest=quickest)


def _shared(
    sides: tuple[Motion, Motion], body: TouchingBody, weights: Float64
) -> tuple[list[tuple[int, int]], PosedBody]:
    """Return hands and bones of the contacts that both sides have at one frame, and the mean of the posed sides.

    They count for the whole crossfade: the offset of a hand passes evenly from that of one side to that of the other.
    """
    here, there = (pose_body(side, body) for side in sides)
    ours, theirs = (
        find_self_contacts(side, body, posed, least_seconds=0.0)
        for side, posed in zip(sides, (here, there), strict=True)
    )
    touching = {
        (contact.hand, contact.bone)
        for contact, other in product(ours, theirs)
        if (contact.hand, contact.bone) == (other.hand, other.bone)
        and max(contact.start, other.start) < min(contact.stop, other.stop)
    }
    share = weights[:, None]
    means = {
        field.name: getattr(here, field.name) * (1.0 - share) + getattr(there, field.name) * share
        for field in fields(PosedBody)
    }
    mean = PosedBody(**means)
    for hand, bone in sorted(touching):
        if bone == HANDS:
            continue
        # The hand passes over the body, not through it: the mean of two offsets is shorter than both.
        before, after, offsets = (
            nearest_on(posed.palms[hand], posed.beginnings[bone], posed.ends[bone])[1] for posed in (here, there, mean)
        )
        lengths = rotations.lengths(before) * (1.0 - weights) + rotations.lengths(after) * weights
        shortened = rotations.lengths(offsets)
        mean.palms[hand] += offsets * (lengths / np.maximum(shortened, 1e-12) - 1.0)[:, None]
    return sorted(touching), mean
