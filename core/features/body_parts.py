# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletal parts: overlapping groups of joints that are matched on their own (paper 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Mask
from ..errors import InputError
from ..motion.skeleton import LIMB_REACH, NO_PARENT, Skeleton
from ..motion.symmetry_plane import BESIDE, asymmetry, upright_normals


@dataclass(frozen=True)
class Part:
    """A group of joints, by index into the skeleton; parts may overlap.

    The part of the joint that carries the travel includes the whole root motion.
    examples: the numbers, from 0, of the examples it may draw from; None is all (paper, section 3.4).
    `prepare` raises InputError for a part without joints, or with joints that the skeleton does not have.

    >>> parted = prepare([swing], parts=[Part("Leg", joints=(1,))])
    >>> [plan.part.name for plan in parted.parts]
    ['Leg', 'Remainder']
    """

    name: str
    joints: tuple[int, ...]
    examples: tuple[int, ...] | None = None


def whole_body(skeleton: Skeleton) -> tuple[Part, ...]:
    """Return one part with every joint.

    >>> whole_body(skeleton)[0].joints
    (0, 1)
    """
    return (Part("Whole Body", tuple(range(len(skeleton.names)))),)


def complete(parts: Sequence[Part], skeleton: Skeleton) -> tuple[Part, ...]:
    """Return the parts with a remainder part for the joints in none of them.

    Raises InputError if a part is empty or names a joint that the skeleton does not have.

    >>> [part.name for part in complete([Part("Leg", joints=(1,))], skeleton)]
    ['Leg', 'Remainder']
    """
    count = len(skeleton.names)
    covered: set[int] = set()
    for part in parts:
        if not part.joints:
            raise InputError(f"The part '{part.name}' has no joints; add some or remove it.")
        if not all(0 <= joint < count for joint in part.joints):
            raise InputError(f"The part '{part.name}' names a joint that the skeleton does not have; remove it.")
        covered.update(part.joints)
    remainder = tuple(joint for joint in range(count) if joint not in covered)
    return (*parts, Part("Remainder", remainder)) if remainder else tuple(parts)


def limb_partition(skeleton: Skeleton, *, legs_apart: bool = False) -> tuple[Part, ...]:
    """Return parts by limb: one for the trunk with the limbs that reach the ground, one for each other limb.

    Legs stay with the trunk, since they carry it together, unless `legs_apart` is set; arms, tails and wings are free
    limbs. Each free limb overlaps the trunk by the two joints it hangs from. A skeleton without free limbs is one part.
    In the paper (section 3.3) the user defines the parts.

    >>> [part.joints for part in limb_partition(skeleton)]
    [(0, 1)]
    """
    trunk = _trunk(skeleton)
    grounded = trunk.copy()
    free: list[Part] = []
    for limb in _limbs(skeleton, trunk):
        if limb.is_small or (limb.is_leg and not legs_apart):
            grounded |= limb.branch
            continue
        parent = int(skeleton.parents[limb.first])
        bridge = {parent, max(int(skeleton.parents[parent]), 0)}
        free.append(Part(skeleton.names[limb.first], tuple(sorted(bridge | set(_indices(limb.branch))))))
    if not free:
        return whole_body(skeleton)
    # Branches of other roots (controls beside the body) stay with the trunk.
    for part in free:
        grounded[[joint for joint in part.joints if not trunk[joint]]] = False
    remaining = ~grounded
    for part in free:
        remaining[list(part.joints)] = False
    return (Part("Trunk" if legs_apart else "Trunk and Legs", _indices(grounded | remaining)), *free)


def upper_and_lower(skeleton: Skeleton) -> tuple[Part, ...]:
    """Return two parts that overlap by the joint between them: the legs with the pelvis, and all above it.

    For a body with four legs these are the hind part, with the legs at the pelvis, and the front part. Raises
    InputError if all limbs hang from one place.

    >>> try:
    ...     upper_and_lower(skeleton)
    ... except InputError:
    ...     print("nothing is above the leg")
    nothing is above the leg
    """
    trunk = _trunk(skeleton)
    hubs = [int(skeleton.parents[limb.first]) for limb in _limbs(skeleton, trunk) if limb.is_leg and not limb.is_small]
    above: list[int] = []
    if hubs:
        down_to_pelvis = set(skeleton.chain(min(hubs, key=lambda joint: (len(skeleton.chain(joint)), joint))))
        above = [
            joint
            for joint, parent in enumerate(skeleton.parents)
            if trunk[joint] and joint not in down_to_pelvis and int(parent) in down_to_pelvis
        ]
    if not above:
        raise InputError("All limbs of this skeleton hang from one place; choose parts by limb, or left and right.")
    upper = np.any([skeleton.descendants(joint) for joint in above], axis=0)
    lower = ~upper
    lower[above] = True
    names = ("Hind", "Front") if any(upper[hub] for hub in hubs) else ("Lower Body", "Upper Body")
    return Part(names[0], _indices(lower)), Part(names[1], _indices(upper))


def left_and_right(skeleton: Skeleton) -> tuple[Part, ...]:
    """Return two parts: the joints on each side of the natural pose's plane of symmetry; those on it are in both.

    Raises InputError if no plane has joints on both sides.

    >>> try:
    ...     left_and_right(skeleton)
    ... except InputError:
    ...     print("one leg has no sides")
    one leg has no sides
    """
    positions = skeleton.stance
    normal = min(upright_normals(skeleton.up), key=lambda candidate: asymmetry(positions, candidate))
    beside = (positions - positions[0]) @ normal
    side = np.where(np.abs(beside) > BESIDE * skeleton.size, np.sign(beside), 0.0)
    # A foot may cross the plane, but its leg still belongs to one side.
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0 and side[parent]:
            side[joint] = side[parent]
    left, right = side > 0, side < 0
    if not left.any() or not right.any():
        raise InputError("This skeleton has no left and right; choose other parts or paint them.")
    if _called_left(skeleton, right) > _called_left(skeleton, left):
        left, right = right, left
    return Part("Left", _indices(~right)), Part("Right", _indices(~left))


def grown(joints: Sequence[int], skeleton: Skeleton) -> tuple[int, ...]:
    """Return the joints with all their parents and children, which widens the overlap with other parts by one joint.

    >>> grown([1], skeleton)
    (0, 1)
    """
    inside = set(joints)
    parents = {int(skeleton.parents[joint]) for joint in inside} - {NO_PARENT}
    children = {joint for joint, parent in enumerate(skeleton.parents) if int(parent) in inside}
    return tuple(sorted(inside | parents | children))


@dataclass(frozen=True, eq=False)
class _Limb:
    """A branch of the trunk. first: its first joint; branch: its joints `(J,)`; is_leg: it reaches the ground."""

    first: int
    branch: Mask
    is_leg: bool
    is_small: bool


def _limbs(skeleton: Skeleton, trunk: Mask) -> list[_Limb]:
    heights = skeleton.stance @ np.array(skeleton.up)
    near_ground = float(heights.min()) + 0.15 * float(np.ptp(heights))
    limbs = []
    for joint in np.flatnonzero(~trunk):
        parent = int(skeleton.parents[joint])
        if parent >= 0 and trunk[parent]:
            branch = skeleton.descendants(int(joint))
            is_small = bool(skeleton.reaches[joint] < LIMB_REACH * skeleton.size)
            limbs.append(_Limb(int(joint), branch, bool(heights[branch].min() <= near_ground), is_small))
    return limbs


def _indices(mask: Mask) -> tuple[int, ...]:
    return tuple(int(joint) for joint in np.flatnonzero(mask))


def _called_left(skeleton: Skeleton, side: Mask) -> int:
    names = [skeleton.names[joint].lower() for joint in _indices(side)]
    return sum("left" in name or name.endswith((".l", "_l", "-l")) or name.startswith(("l_", "l.")) for name in names)


def _trunk(skeleton: Skeleton) -> Mask:
    """Return a mask `(J,)` of the joints that lead to places where at least two limbs branch off: hips and chest.

    Fingers are too short to count as limbs.
    """
    limbs_at = np.zeros(len(skeleton.names), np.int64)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0 and skeleton.reaches[joint] >= LIMB_REACH * skeleton.size:
            limbs_at[parent] += 1
    trunk = limbs_at >= 2
    for joint in range(len(trunk) - 1, 0, -1):
        if trunk[joint] and skeleton.parents[joint] >= 0:
            trunk[skeleton.parents[joint]] = True
    return trunk
