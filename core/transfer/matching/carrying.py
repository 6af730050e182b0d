# SPDX-License-Identifier: GPL-3.0-or-later
"""Trunk and legs, which carry a body, and their counterparts on another skeleton."""

from collections.abc import Mapping, Sequence

from ...motion.skeleton import Skeleton
from ..bone_names import ARM, LEG, Meaning, meanings_by_name
from .body import Body
from .landmarks import long_bones
from .tree import Branch

LONG_BONES = LEG[:2]
"""Meanings of the names of joints that only a leg has: forelegs have feet and toes as well."""


def is_carried(source: Body, target: Skeleton, other: Body | None, pairs: Mapping[str, str], *, is_named: bool) -> bool:
    """Return whether the trunk of a body and each leg that it stands on have a counterpart.

    other: the target's body; None if it has no limbs. pairs: names of the target's joints by the source's.
    is_named: whether names count. The arms of a target without legs are none, nor are those that names call arms.
    """
    names, others = source.tree.skeleton.names, target.names
    found = {names.index(name): others.index(counterpart) for name, counterpart in pairs.items()}
    legs, arms = _legs(source, names if is_named else ()), set[int]()
    if source.is_upright:
        arms = {joint for joint, meaning in enumerate(_meanings(others if is_named else ())) if meaning.name in ARM}
        arms |= {j for limb in other.pairs[0] for j in limb.joints} if other and hangs_from_arms(other) else set()
    return any(joint in found for joint in source.axis) and all(
        any(joint in found and found[joint] not in arms for joint in leg) for leg in legs
    )


def hangs_from_arms(body: Body) -> bool:
    """Return whether a body has a single pair of limbs, which end above a joint between them and the root: arms.

    A root may lie on the ground below legs.
    """
    tree = body.tree
    heights = tree.positions @ tree.skeleton.up
    ends = min(float(heights[list(limb.joints)].min()) for limb in body.pairs[0])
    return len(body.long_pairs) == 1 and bool((heights[tree.chain(body.hips)[1:]] < ends).any())


def _legs(body: Body, names: Sequence[str]) -> list[list[int]]:
    """Return the long bones of each leg: those named so if they are on both sides, else those of the shape."""
    meanings = _meanings(names)
    if all(Meaning(name, side) in meanings for name in LONG_BONES for side in "LR"):
        legs = [[j for j, m in enumerate(meanings) if m.name in LONG_BONES and m.side == side] for side in "LR"]
    else:
        legs = [] if hangs_from_arms(body) else [_bones(body, limb, is_leg=True) for limb in body.pairs[0]]
    front = body.long_pairs[1:2] if body.stands_on_four else []
    return [*legs, *(_bones(body, limb, is_leg=False) for pair in front for limb in pair)]


def _bones(body: Body, limb: Branch, *, is_leg: bool) -> list[int]:
    steps, places, _ = long_bones(body, limb, is_leg=is_leg)
    return [steps[place] for place in places[: len(LONG_BONES)]]


def _meanings(names: Sequence[str]) -> list[Meaning]:
    meanings = meanings_by_name(names)
    return [meanings[name] for name in names]
