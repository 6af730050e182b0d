# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletal parts: overlapping groups of joints that are matched on their own (paper 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .skeleton import Skeleton

LIMB_REACH = 0.2
"""A branch is a limb when it reaches this share of the skeleton's size."""


@dataclass(frozen=True)
class Part:
    """A group of joints, by index into the skeleton; parts may overlap.

    The joint that carries the travel brings the whole root motion with it.
    examples: the numbers, from 0, of the examples it may draw from; None is all (paper, section 3.4).
    """

    name: str
    joints: tuple[int, ...]
    examples: tuple[int, ...] | None = None


def whole_body(skeleton: Skeleton) -> tuple[Part, ...]:
    """One part with every joint."""
    return (Part("Whole Body", tuple(range(len(skeleton.names)))),)


def complete(parts: Sequence[Part], skeleton: Skeleton) -> tuple[Part, ...]:
    """The parts, with a remainder part for the joints in none of them.

    Raises InputError where a part is empty or names a joint that the skeleton does not have.
    """
    count = len(skeleton.names)
    covered: set[int] = set()
    for part in parts:
        if not part.joints:
            raise InputError(f"The part '{part.name}' has no joints; add some or remove it.")
        if not all(0 <= joint < count for joint in part.joints):
            raise InputError(f"The part '{part.name}' names a joint that the skeleton does not have.")
        covered.update(part.joints)
    remainder = tuple(joint for joint in range(count) if joint not in covered)
    return (*parts, Part("Remainder", remainder)) if remainder else tuple(parts)


def limb_partition(skeleton: Skeleton) -> tuple[Part, ...]:
    """Parts by limb: one for the trunk with the limbs that reach the ground, one for each other limb.

    Legs stay with the trunk, since they carry it together; an arm, a tail, a wing is free. Each free limb
    overlaps the trunk by the two joints it hangs from. A skeleton without free limbs is one part.
    """
    reaches = skeleton.reaches
    trunk = _trunk(skeleton)
    heights = skeleton.stance @ np.array(skeleton.up)
    near_ground = float(heights.min()) + 0.15 * float(np.ptp(heights))
    grounded = trunk.copy()
    free: list[Part] = []
    for limb in np.flatnonzero(~trunk):
        parent = int(skeleton.parents[limb])
        if parent < 0 or not trunk[parent]:
            continue
        branch = skeleton.descendants(int(limb))
        if reaches[limb] < LIMB_REACH * skeleton.size or heights[branch].min() <= near_ground:
            grounded |= branch
            continue
        bridge = {parent, max(int(skeleton.parents[parent]), 0)}
        joints = sorted(bridge | {int(joint) for joint in np.flatnonzero(branch)})
        free.append(Part(skeleton.names[int(limb)], tuple(joints)))
    if not free:
        return whole_body(skeleton)
    # Branches of other roots (controls beside the body) stay with the trunk.
    for part in free:
        grounded[[joint for joint in part.joints if not trunk[joint]]] = False
    rest = ~grounded
    for part in free:
        rest[list(part.joints)] = False
    body = Part("Trunk and Legs", tuple(int(joint) for joint in np.flatnonzero(grounded | rest)))
    return (body, *free)


def _trunk(skeleton: Skeleton) -> NDArray[np.bool_]:
    """The joints `(J,)` that lead to a place where two limbs or more part, hips and chest; hands are too small."""
    limbs_at = np.zeros(len(skeleton.names), np.int64)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0 and skeleton.reaches[joint] >= LIMB_REACH * skeleton.size:
            limbs_at[parent] += 1
    trunk = limbs_at >= 2
    for joint in range(len(trunk) - 1, 0, -1):
        if trunk[joint] and skeleton.parents[joint] >= 0:
            trunk[skeleton.parents[joint]] = True
    return trunk
