# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of a character, for a page's choices."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...core import InputError, Motion, Part, Skeleton
from ...core.features import left_and_right, limb_partition
from ...core.motion import with_typical_pose

PERSON = ("Left arm", "Right arm", "Left leg", "Right leg")
"""Titles of a person's limbs."""


@dataclass(frozen=True)
class BodyPart:
    """A limb, or the trunk to which limbs are attached.

    matched: the bones by which it is matched if it moves independently, including the two above it.
    """

    title: str
    bones: tuple[str, ...]
    matched: tuple[str, ...]
    is_trunk: bool = False


def body_parts_of(motion: Motion) -> tuple[BodyPart, ...]:
    """Return the trunk and the limbs; empty for a skeleton without limbs."""
    skeleton = with_typical_pose([motion])[0].skeleton
    trunk, *limbs = limb_partition(skeleton, legs_apart=True)
    if not limbs:
        return ()
    carrying = set(limb_partition(skeleton)[0].joints)
    middle = set(trunk.joints)
    limb_joints = [tuple(joint for joint in limb.joints if joint not in middle) for limb in limbs]
    titles = _titles(skeleton, limbs, [bool(carrying.issuperset(joints)) for joints in limb_joints])
    body_parts = [BodyPart("Trunk", _names(skeleton, trunk.joints), _names(skeleton, trunk.joints), is_trunk=True)]
    for title, limb, joints in zip(titles, limbs, limb_joints, strict=True):
        body_parts.append(BodyPart(title, _names(skeleton, joints), _names(skeleton, limb.joints)))
    return tuple(body_parts)


def _titles(skeleton: Skeleton, limbs: Sequence[Part], legs: Sequence[bool]) -> list[str]:
    """Return the limbs' names: a person's, otherwise those of their first bones."""
    names = [limb.name for limb in limbs]
    try:
        left, right = (set(part.joints) for part in left_and_right(skeleton))
    except InputError:
        return names
    titles = []
    for limb, is_leg in zip(limbs, legs, strict=True):
        joints = set(limb.joints)
        side = "Left" if len(joints & left) > len(joints & right) else "Right"
        titles.append(f"{side} {'leg' if is_leg else 'arm'}")
    return titles if sorted(titles) == sorted(PERSON) else names


def _names(skeleton: Skeleton, joints: Sequence[int]) -> tuple[str, ...]:
    # The object itself, which may also be animated, has no name.
    return tuple(skeleton.names[joint] for joint in joints if skeleton.names[joint])
