# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of several skeletons and rates, transferred to one skeleton and rate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from ..core import Float64, InputError, Int64, Motion, Skeleton, resample, rotations
from ..core.motion import SAME_PLACE
from ..core.transfer import (
    JointMatch,
    contacts_to_keep,
    match_joints,
    moved_joints,
    needs_target_pose,
    retarget,
    usual_pose,
    with_self_contacts,
)
from .takes import Take

Joints = tuple[tuple[str, ...], bytes]
"""Names and rest orientations of joints; skeletons with equal ones share poses, whatever their lengths."""
Poses = Mapping[Joints, Float64]
"""The usual pose of all motions with these joints."""
Matches = Mapping[Joints, JointMatch]
"""The counterparts on one skeleton of these joints."""


def usual_poses(takes: Sequence[Take]) -> Poses:
    """Return the usual pose of all motions with equal joint names and rest orientations; empty if all have the same."""
    kinds: dict[Joints, list[Motion]] = {}
    for take in takes:
        kinds.setdefault(_joints(take.motion), []).append(take.motion)
    return {joints: usual_pose(motions) for joints, motions in kinds.items()} if len(kinds) > 1 else {}


def matches_onto(takes: Iterable[Take], chosen: Take) -> Matches:
    """Return the counterparts, on a chosen take's skeleton, of the joints of all takes; the first with them decides."""
    firsts: dict[Joints, Motion] = {}
    for take in takes:
        firsts.setdefault(_joints(take.motion), take.motion)
    return {joints: _match(motion, chosen.motion) for joints, motion in firsts.items()}


def onto(
    take: Take,
    chosen: Take,
    rate: float,
    bone_names: Sequence[tuple[str, str]] = (),
    poses: Poses = MappingProxyType({}),
    matches: Matches = MappingProxyType({}),
) -> Motion:
    """Return the take's motion on a chosen take's skeleton and at a rate; hands that touch the body still do so.

    bone_names: pairs of a name here and there, which take precedence over those found automatically. poses: see
    `usual_poses`; without them, the two takes' own. matches: see `matches_onto`; without them, and with bone_names, the
    take's own. Raises InputError if the two skeletons have too little in common.
    """
    reference = chosen.motion
    motion = resample(take.motion, rate)[0]
    motion = replace(motion, frames_per_second=rate)
    if motion.skeleton is reference.skeleton:
        return motion
    if is_same_skeleton(motion, reference):
        return _relabeled(motion, reference.skeleton)
    known = None if bone_names else matches.get(_joints(motion))
    match = _match(motion, reference, bone_names) if known is None else known
    pairs = match.names
    if not match.fits:
        raise InputError(
            f'trunk and legs have no counterpart in "{chosen.source}", whose skeleton all clips get; choose another '
            "with --skeleton on the command line, or build a library of its own."
        )
    translated = np.array(sorted(_moved(motion, reference.skeleton, pairs)), np.int64)
    natural, target = (poses.get(_joints(posed)) for posed in (motion, reference))
    if target is None:
        target = usual_pose([reference])
    moved = retarget(motion, reference.skeleton, pairs, translated, natural_pose=natural, target_pose=target)
    return with_self_contacts(moved, contacts_to_keep(motion, moved.skeleton, pairs))


def _joints(motion: Motion) -> Joints:
    return motion.skeleton.names, motion.skeleton.rest_rotations.tobytes()


def is_same_skeleton(motion: Motion, reference: Motion) -> bool:
    """Return whether two skeletons are equal, apart from the rest positions of joints with translations."""
    skeleton, other = motion.skeleton, reference.skeleton
    if skeleton.names != other.names or not np.array_equal(skeleton.parents, other.parents):
        return False
    turned = rotations.angle_between(skeleton.rest_rotations, other.rest_rotations).max(initial=0.0)
    moved = np.abs(skeleton.rest_translations - other.rest_translations).max(axis=1)
    fixed = np.ones(len(moved), bool)
    fixed[np.concatenate((motion.translated, reference.translated))] = False
    return bool(turned < SAME_PLACE and moved[fixed].max(initial=0.0) < SAME_PLACE * other.size)


def is_by_mean_pose(take: Take, chosen: Take, matches: Matches) -> bool:
    """Return whether a take's motion is inexact on the chosen take's skeleton, or has been since an earlier build.

    It is inexact if one of the two rest poses is implausible, such as all bones in one line, and the other differs.
    matches: see `matches_onto`.
    """
    motion, reference = take.motion, chosen.motion
    if take.by_mean_pose or is_same_skeleton(motion, reference):
        return take.by_mean_pose
    pairs = (matches.get(_joints(motion)) or _match(motion, reference)).names
    back = {other: bone for bone, other in pairs.items()}
    return needs_target_pose(motion.skeleton, reference.skeleton, pairs) or needs_target_pose(
        reference.skeleton, motion.skeleton, back
    )


def with_channels(motion: Motion, translated: Int64) -> Motion:
    """Return the motion with translations of the given joints, which include its own; the others stay at rest."""
    moved = motion.widened(translated).translations
    return Motion(motion.skeleton, motion.frames_per_second, motion.rotations, translated, moved)


def all_translated(motions: Sequence[Motion]) -> Int64:
    """Return the joints that have translations in any of the motions."""
    return np.array(sorted({joint for motion in motions for joint in motion.translated.tolist()}), np.int64)


def _match(motion: Motion, reference: Motion, bone_names: Sequence[tuple[str, str]] = ()) -> JointMatch:
    return match_joints(
        motion.skeleton, reference.skeleton, motions=[motion], target_motions=[reference], given=bone_names
    )


def _moved(motion: Motion, skeleton: Skeleton, pairs: Mapping[str, str]) -> tuple[int, ...]:
    try:
        return moved_joints(motion, skeleton, pairs)
    except InputError as error:
        raise InputError("no bone is a counterpart of the one that travels in the others; rename it.") from error


def _relabeled(motion: Motion, skeleton: Skeleton) -> Motion:
    """Return the motion on a skeleton that differs only in rest positions; the joints keep their positions."""
    shift = motion.skeleton.rest_translations - skeleton.rest_translations
    inside = rotations.rotate(rotations.inverse(skeleton.rest_rotations), shift)
    strayed = np.flatnonzero(np.abs(inside).max(axis=1) > SAME_PLACE * skeleton.size)
    translated = np.array(sorted({*motion.translated.tolist(), *strayed.tolist()}), np.int64)
    moved = motion.widened(translated).translations + inside[translated]
    return Motion(skeleton, motion.frames_per_second, motion.rotations, translated, moved.astype(np.float32))
