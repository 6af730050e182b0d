# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of several skeletons and rates, brought onto one skeleton and to one rate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..core import InputError, Motion, Skeleton, resample, rotations
from ..core.self_contacts import contacts_to_keep, with_self_contacts
from ..core.transfer import match_names, moved_joints, needs_target_pose, retarget, usual_pose
from .takes import SAME_OFFSET, Take

Joints = tuple[tuple[str, ...], bytes]
"""Names of joints, and how they are turned at rest: poses of such skeletons are the same, whatever their lengths."""
LEAST_SHARE = 0.5
"""A skeleton of which fewer of the joints, of the smaller one's, have a counterpart is that of another creature."""


def usual_poses(takes: Sequence[Take]) -> Mapping[Joints, NDArray[np.float64]]:
    """Return the usual pose of all motions whose joints are called alike and rest alike; none where all are such."""
    kinds: dict[Joints, list[Motion]] = {}
    for take in takes:
        kinds.setdefault(_joints(take.motion), []).append(take.motion)
    return {joints: usual_pose(motions) for joints, motions in kinds.items()} if len(kinds) > 1 else {}


def onto(
    take: Take,
    chosen: Take,
    rate: float,
    bone_names: Mapping[str, str] = MappingProxyType({}),
    poses: Mapping[Joints, NDArray[np.float64]] = MappingProxyType({}),
) -> Motion:
    """Return the take's motion on the skeleton of a chosen take and at a rate; hands that touch the body do so there.

    bone_names: names there by names here, which go before what is found by itself. poses: see usual_poses; without them
    those of the two takes. Raises InputError where its skeleton
    has too little in common with that one.
    """
    reference = chosen.motion
    motion = resample(take.motion, rate)[0]
    motion = replace(motion, frames_per_second=rate)
    if motion.skeleton is reference.skeleton:
        return motion
    if is_same_skeleton(motion, reference):
        return _relabeled(motion, reference.skeleton)
    pairs = _pairs(motion.skeleton, reference.skeleton, bone_names)
    smaller = min(len(motion.skeleton.names), len(reference.skeleton.names))
    if len(pairs) < LEAST_SHARE * smaller:
        raise InputError(
            f'only {len(pairs)} of {smaller} bones are called as in "{chosen.source}", whose skeleton all clips get; '
            "choose another with --skeleton, or build a library of its own."
        )
    translated = np.array(sorted(_moved(motion, reference.skeleton, pairs)), np.int64)
    natural, target = (poses.get(_joints(one)) for one in (motion, reference))
    if target is None:
        target = usual_pose([reference])
    moved = retarget(motion, reference.skeleton, pairs, translated, natural_pose=natural, target_pose=target)
    return with_self_contacts(moved, contacts_to_keep(motion, moved.skeleton, pairs))


def _joints(motion: Motion) -> Joints:
    return motion.skeleton.names, motion.skeleton.rest_rotations.tobytes()


def is_same_skeleton(motion: Motion, reference: Motion) -> bool:
    """Return whether two skeletons are the same, but for the places of joints that have translations."""
    skeleton, other = motion.skeleton, reference.skeleton
    if skeleton.names != other.names or not np.array_equal(skeleton.parents, other.parents):
        return False
    turned = rotations.angle_between(skeleton.rest_rotations, other.rest_rotations).max(initial=0.0)
    moved = np.abs(skeleton.rest_translations - other.rest_translations).max(axis=1)
    fixed = np.ones(len(moved), bool)
    fixed[np.concatenate((motion.translated, reference.translated))] = False
    return bool(turned < SAME_OFFSET and moved[fixed].max(initial=0.0) < SAME_OFFSET * other.size)


def is_by_mean_pose(motion: Motion, reference: Motion) -> bool:
    """Return whether a motion is told on a reference's skeleton by mean poses, since one of the two rests as no body
    can, with all bones in one line for one, and the other one rests otherwise.
    """
    pairs = _pairs(motion.skeleton, reference.skeleton, MappingProxyType({}))
    back = {there: here for here, there in pairs.items()}
    return needs_target_pose(motion.skeleton, reference.skeleton, pairs) or needs_target_pose(
        reference.skeleton, motion.skeleton, back
    )


def with_channels(motion: Motion, translated: NDArray[np.int64]) -> Motion:
    """Return the motion with translations of these joints, its own among them; the others stay at rest."""
    moved = np.zeros((motion.frames, len(translated), 3), np.float32)
    moved[:, np.searchsorted(translated, motion.translated)] = motion.translations
    return Motion(motion.skeleton, motion.frames_per_second, motion.rotations, translated, moved)


def all_translated(motions: Sequence[Motion]) -> NDArray[np.int64]:
    """Return the joints that have translations in any of the motions."""
    return np.array(sorted({joint for motion in motions for joint in motion.translated.tolist()}), np.int64)


def _pairs(here: Skeleton, there: Skeleton, bone_names: Mapping[str, str]) -> dict[str, str]:
    table = {own: other for own, other in bone_names.items() if own in here.names and other in there.names}
    free_here = [name for name in here.names if name and name not in table]
    free_there = [name for name in there.names if name and name not in table.values()]
    return {**match_names(free_here, free_there), **table}


def _moved(motion: Motion, skeleton: Skeleton, pairs: Mapping[str, str]) -> tuple[int, ...]:
    try:
        return moved_joints(motion, skeleton, pairs)
    except InputError as error:
        raise InputError("no bone of it is called as the one that travels in the others; rename that.") from error


def _relabeled(motion: Motion, skeleton: Skeleton) -> Motion:
    """Return the motion on a skeleton that is the same but for where placed joints rest; they stay where they are."""
    shift = motion.skeleton.rest_translations - skeleton.rest_translations
    inside = rotations.rotate(rotations.inverse(skeleton.rest_rotations), shift)
    strayed = np.flatnonzero(np.abs(inside).max(axis=1) > SAME_OFFSET * skeleton.size)
    translated = np.array(sorted({*motion.translated.tolist(), *strayed.tolist()}), np.int64)
    moved = np.zeros((motion.frames, len(translated), 3), np.float32)
    moved[:, np.searchsorted(translated, motion.translated)] = motion.translations
    return Motion(
        skeleton,
        motion.frames_per_second,
        motion.rotations,
        translated,
        (moved + inside[translated]).astype(np.float32),
    )
