# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons with the same bones in different rest poses: that of a file without a mesh may be its first frame."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ..motion import rotations
from ..motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton

SAME_POSE = np.cos(np.radians(1.0))
"""Smallest cosine between the directions at rest of bones in one rest pose."""


def rest_as(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> Skeleton:
    """Return the source in the target's rest pose if both have the same bones in different poses; else the source.

    Such bones have the same offsets to their ends in their own axes. Their axes are then the same as well, and the roll
    of a bone need not be guessed from two poses. matched: the source joint of each target joint.

    >>> rest_as(skeleton, skeleton, {0: 0, 1: 1}) is skeleton
    True
    """
    above = {joint: _above(target, joint, matched) for joint in matched}
    # A joint between, on one skeleton only, is a bone that the other does not have.
    if any(
        parent >= 0 and source.parents[matched[joint]] != matched.get(parent, NO_PARENT)
        for joint, parent in above.items()
    ):
        return source
    body = body_of(target, matched)
    bones = [(joint, matched[joint]) for joint in body if above[joint] in body]
    if not bones or not _are_same(source, target, bones) or _rest_similarly(source, target, bones):
        return source
    rests = np.array(source.rest_rotations, np.float64)
    upright = rotations.shortest_turn(np.array(target.up), np.array(source.up))
    for joint in body:
        source_joint = matched[joint]
        if above[joint] in body:
            rests[source_joint] = target.rest_rotations[joint]
        else:
            # Joints above the body only give its place, and their axes may differ.
            rests[source_joint] = rotations.multiply(upright, target.rest_orientations[joint])
            if (parent := int(source.parents[source_joint])) >= 0:
                rests[source_joint] = rotations.multiply(
                    rotations.inverse(source.rest_orientations[parent]), rests[source_joint]
                )
    return replace(source, rest_rotations=rests)


def body_of(target: Skeleton, matched: Collection[int]) -> set[int]:
    """Return the matched joints of the body: those above its first branching only give it a place.

    >>> body_of(skeleton, {0: 0, 1: 1})
    set()
    """
    above = {joint: _above(target, joint, matched) for joint in matched}
    return {joint for joint in matched if _is_body(joint, above)}


def _above(target: Skeleton, joint: int, matched: Collection[int]) -> int:
    """Return the joint's parent; -1 if no joint above it is matched."""
    return int(target.parents[joint]) if any(above in matched for above in target.chain(joint)[:-1]) else NO_PARENT


def _is_body(joint: int, above: Mapping[int, int]) -> bool:
    """Return whether bones branch at a joint or above it; joints above the first branching only give places."""
    while joint >= 0:
        if sum(other == joint for other in above.values()) > 1:
            return True
        joint = above.get(joint, NO_PARENT)
    return False


def _are_same(source: Skeleton, target: Skeleton, bones: list[tuple[int, int]]) -> bool:
    target_offsets = np.array([target.rest_translations[joint] for joint, _ in bones])
    source_offsets = np.array([source.rest_translations[source_joint] for _, source_joint in bones])
    lengths = np.linalg.norm(target_offsets, axis=1), np.linalg.norm(source_offsets, axis=1)
    if min(lengths[0].max(), lengths[1].max()) <= 0:
        return False
    scaled = source_offsets * (lengths[0].sum() / lengths[1].sum())
    return bool(np.abs(scaled - target_offsets).max() < SAME_PLACE * target.size)


def _rest_similarly(source: Skeleton, target: Skeleton, bones: list[tuple[int, int]]) -> bool:
    """Return whether all bones have the same directions at rest, up to one common turn about the up axis."""
    target_bones, source_bones = (
        np.array(
            [skeleton.rest_positions[joint] - skeleton.rest_positions[skeleton.parents[joint]] for joint in joints]
        )
        for skeleton, joints in (
            (target, [joint for joint, _ in bones]),
            (source, [source_joint for _, source_joint in bones]),
        )
    )
    source_bones = rotations.rotate(rotations.shortest_turn(np.array(source.up), np.array(target.up)), source_bones)
    up = np.array(target.up)
    along = np.einsum("bd,bd->b", source_bones, target_bones) - (source_bones @ up) * (target_bones @ up)
    angle = np.arctan2((np.cross(source_bones, target_bones) @ up).sum(), along.sum())
    source_bones = rotations.rotate(rotations.from_axis_angle(up, angle), source_bones)
    lengths = np.linalg.norm(target_bones, axis=1) * np.linalg.norm(source_bones, axis=1)
    return bool(np.all((target_bones * source_bones).sum(axis=1) >= SAME_POSE * lengths))
