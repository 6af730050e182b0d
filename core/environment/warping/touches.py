# SPDX-License-Identifier: GPL-3.0-or-later
"""Touches: frames at which hands, feet or hips rest on an object, found from their speed and distance, and stances."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...feet.contact_detection import (
    GROUND_BAND,
    NEAR_GROUND,
    SLOW,
    Foot,
    ground_heights,
    label_contacts,
)
from ...feet.foot_moves import EASE_SECONDS
from ...feet.leg_copies import limb_of
from ...motion import rotations
from ...motion.motion import Motion
from ...motion.skeleton import LIMB_REACH, Skeleton
from ...motion.spans import joined_spans
from ..reach.limbs import find_limb


@dataclass(frozen=True)
class Touch:
    """A stretch of frames, from `first` up to `end`, in which a joint rests on the object or, as a foot, on the ground.

    joint: the wrist, ankle or root.
    """

    joint: int
    first: int
    end: int
    on_object: bool


def find_touches(motion: Motion, feet: tuple[Foot, ...], root: int, box: Float64) -> list[Touch]:
    """Return the touches of hands, feet and the root, in the order of joints and frames.

    box: `(4, 4)` the object as the matrix of a cube of size 2 around the origin, in the space of the roots. A foot on
    the ground does not touch the object beside it.
    """
    size, rate = motion.skeleton.size, motion.frames_per_second
    grounded = label_contacts(motion, feet, ground_heights([motion], feet))
    positions = np.asarray(motion.pose()[1], np.float64)
    speeds = rotations.lengths(np.gradient(positions, axis=0)) * rate
    away = distances_from_box(positions, box)
    touches = []

    def add(joint: int, marked: Mask, *, on_object: bool) -> None:
        for first, end in joined_spans(marked, EASE_SECONDS * rate / 2, 2):
            touches.append(Touch(joint, first, end, on_object))

    ankles = {foot.leg[-1]: number for number, foot in enumerate(feet) if foot.has_leg}
    for joint in (*ankles, *find_hands(motion.skeleton, feet)):
        below = np.flatnonzero(motion.skeleton.descendants(joint))
        rests = (speeds[:, below].min(axis=1) < SLOW * size) & (away[:, below].min(axis=1) < NEAR_GROUND * size)
        if joint in ankles:
            stands = grounded[:, ankles[joint]]
            add(joint, stands, on_object=False)
            rests &= ~stands
        add(joint, rests, on_object=True)
    # The joint of the hips is farther from a seat than a palm from a table.
    add(root, (speeds[:, root] < SLOW * size) & (away[:, root] < GROUND_BAND * size), on_object=True)
    return touches


def find_hands(skeleton: Skeleton, feet: tuple[Foot, ...]) -> list[int]:
    """Return the wrists: the ends of limbs that are no legs."""
    legs = {joint for foot in feet for joint in foot.leg}
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    hands = set()
    for leaf in np.flatnonzero(children == 0).tolist():
        begin, limb = limb_of(skeleton, leaf)[0], find_limb(skeleton, leaf)
        reach = float(np.linalg.norm(skeleton.stance[leaf] - skeleton.stance[begin]))
        if limb is not None and reach >= LIMB_REACH * skeleton.size and legs.isdisjoint(skeleton.chain(leaf)):
            hands.add(limb.wrist)
    return sorted(hands)


def distances_from_box(positions: Float64, box: Float64) -> Float64:
    """Return the distances `(...)` of positions `(..., 3)` from a box, 0 inside; box: see find_touches."""
    inside = (positions - box[:3, 3]) @ np.linalg.inv(box[:3, :3]).T
    return np.asarray(np.linalg.norm((inside - np.clip(inside, -1.0, 1.0)) @ box[:3, :3].T, axis=-1))
