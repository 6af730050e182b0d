# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a motion brought to another skeleton, each relative to the source to scale: feet, knees and elbows."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.feet import find_feet, ground_heights, label_contacts
from genmm_addon.core.motion import joint_accelerations
from genmm_addon.core.transfer import meanings_of, turn_and_scale

Float64 = NDArray[np.float64]
Limb = tuple[int, int, int]

LEG, ARM = ("thigh", "shin", "foot"), ("upperarm", "forearm", "hand")
UNSEEN = 1e-4
"""Movement of a standing foot from frame to frame, in sizes, times 30 frames per second, that counts as none."""


def compare(source: Motion, brought: Motion, pairs: Mapping[str, str]) -> dict[str, float | None]:
    """Return the measures of a brought motion; pairs: names of the target's joints by the source's.

    skate: movement of standing feet; knees, elbows: their largest accelerations; each as a multiple of the source's to
    the skeletons' scale. knees_own, elbows_own: the same to the scale of these limbs, where it is larger. knees_back,
    elbows_back: the largest bend against the direction in which the source's bend, in degrees, beyond the source's own.
    None where the source has no feet, or no such limbs.
    """
    turn, scale = turn_and_scale(source.skeleton, brought.skeleton, pairs)
    other = _places(brought.skeleton.names)
    row: dict[str, float | None] = {"skate": _skate(source, brought, pairs, scale)}
    for name, parts in (("knees", LEG), ("elbows", ARM)):
        limbs = _limbs(source, pairs, parts)
        counterparts: list[Limb] = []
        for limb in limbs:
            first, middle, last = (other[pairs[source.skeleton.names[joint]]] for joint in limb)
            counterparts.append((first, middle, last))
        middles, theirs = ([limb[1] for limb in each] for each in (limbs, counterparts))
        row[name] = row[f"{name}_back"] = row[f"{name}_own"] = None
        if limbs:
            quickest = float(joint_accelerations(source, middles).max())
            ratio = float(joint_accelerations(brought, theirs).max()) / max(scale * quickest, 1e-12)
            row[name] = ratio
            lengths = [
                float(np.mean([_reach(motion.skeleton, limb[:2]) for limb in each]))
                for motion, each in ((source, limbs), (brought, counterparts))
            ]
            row[f"{name}_own"] = ratio * scale / max(scale, lengths[1] / lengths[0])
            row[f"{name}_back"] = max(
                _bends_back(source, brought, one, two, turn) for one, two in zip(limbs, counterparts, strict=True)
            )
    return row


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: joint for joint, name in enumerate(names)}


def _limbs(source: Motion, pairs: Mapping[str, str], parts: Sequence[str]) -> list[Limb]:
    """Return the limbs of which all three joints have counterparts."""
    joints = {
        (meaning.name, meaning.side): joint
        for joint, meaning in enumerate(meanings_of(source.skeleton))
        if source.skeleton.names[joint] in pairs
    }
    found = [[joints.get((part, side)) for part in parts] for side in "LR"]
    return [(a, b, c) for a, b, c in found if a is not None and b is not None and c is not None]


def _reach(skeleton: Skeleton, bone: Sequence[int]) -> float:
    """Return the distance from the middle of the hips' joints to the end of an upper bone, along trunk and bones."""
    meanings = meanings_of(skeleton)
    hips = np.mean([skeleton.rest_positions[j] for j, meaning in enumerate(meanings) if meaning.name == LEG[0]], axis=0)
    upper, end = (skeleton.rest_positions[joint] for joint in bone)
    return float(np.linalg.norm(upper - hips) + np.linalg.norm(end - upper))


def _skate(source: Motion, brought: Motion, pairs: Mapping[str, str], scale: float) -> float | None:
    """Return how far feet move along the ground while the source's stand, over those of the source."""
    feet = find_feet([source])
    stands = label_contacts(source, feet, ground_heights([source], feet))
    moved, expected = 0.0, 0.0
    for column, foot in zip(stands.T, feet, strict=True):
        chain = [joint for joint in source.skeleton.chain(foot.joint) if source.skeleton.names[joint] in pairs]
        if not chain:
            continue
        joint = brought.skeleton.names.index(pairs[source.skeleton.names[chain[-1]]])
        both = column[1:] & column[:-1]
        unseen = UNSEEN * 30.0 / source.frames_per_second * source.skeleton.size
        moved += float(_steps(brought, joint)[both].sum()) / scale
        expected += float(np.maximum(_steps(source, chain[-1])[both], unseen).sum())
    return moved / expected if expected else None


def _steps(motion: Motion, joint: int) -> Float64:
    """Return the movements `(T - 1,)` of a joint along the ground."""
    path, up = motion.pose()[1][:, joint].astype(np.float64), np.array(motion.skeleton.up)
    return np.asarray(np.linalg.norm(np.diff(path - (path @ up)[:, None] * up, axis=0), axis=1))


def _bends_back(source: Motion, brought: Motion, limb: Limb, other: Limb, turn: NDArray[np.floating]) -> float:
    """Return the largest bend against that of the source's limb, beyond the source's own, in degrees.

    The direction is that of the source's hinge, the mean axis of its bends in the axes of the upper bone.
    """
    axes, upper = _bend_axes(source, limb), rotations.without_scale(source.pose()[0][:, limb[0]]).astype(np.float64)
    hinge = np.einsum("tba,tb->a", upper, axes)
    hinge /= max(float(np.linalg.norm(hinge)), 1e-12)
    world = np.einsum("tab,b->ta", upper, hinge)
    own = np.einsum("ta,ta->t", axes, world)
    theirs = np.einsum("ta,ta->t", _bend_axes(brought, other), rotations.rotate(turn, world))
    bends = [np.degrees(np.arcsin(np.clip(-each, 0.0, 1.0))) for each in (theirs, own)]
    return float((bends[0] - bends[1]).max())


def _bend_axes(motion: Motion, limb: Limb) -> Float64:
    """Return the axes `(T, 3)` about which a limb bends, each with the sine of the bend as its length."""
    places = motion.pose()[1][:, list(limb)].astype(np.float64)
    bones = np.diff(places, axis=1)
    bones /= np.maximum(np.linalg.norm(bones, axis=2, keepdims=True), 1e-12)
    return np.asarray(rotations.cross(bones[:, 0], bones[:, 1]))
