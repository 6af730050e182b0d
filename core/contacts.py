# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: which joints carry the body, and when each of them stands on the ground (paper, section 3.1).

A foot is found by what it does: it is the end of a limb, comes near the ground again and again, and is
slow there while the body goes on. Its name is only a hint where several joints of one limb would do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .motion import Motion, pose_along
from .skeleton import Skeleton

NEAR_GROUND = 0.05
"""A foot stands no higher above its own lowest place than this share of the skeleton's size ..."""
SLOW = 0.16
"""... and moves less than this share of it per second along the ground."""
LOWEST_PERCENT = 2
"""Its own lowest place is this percentile of its height."""
GROUND_BAND = 0.12
"""Feet have their lowest places within this share of the skeleton's size above the lowest of all joints."""
LEAST_STANDING = 0.08
"""A joint that stands for less than this share of the time is no foot."""
LEAST_DROP = 0.1
"""A leg stands this share of the skeleton's size below its hip, on the mean."""
LEG_REACH = 0.2
"""A leg is at least this share of the skeleton's size long."""
TOES = 3
"""So many joints beside each other at the end of a leg are its toes."""
NAMES = ("toe", "ball")
"""Among the last joints of one leg, one so called is preferred."""


@dataclass(frozen=True, eq=False)
class Foot:
    """A joint that stands, and the leg that carries it.

    joint: the one that stands. leg: from below the trunk to the joint whose place inverse kinematics
    decides, three joints or more; empty where the leg is too short for that.
    """

    joint: int
    leg: tuple[int, ...]


def find_feet(motions: Sequence[Motion]) -> tuple[Foot, ...]:
    """The feet of a skeleton, from its motion; none where nothing stands."""
    skeleton = motions[0].skeleton
    candidates = _leg_ends(skeleton)
    if not candidates:
        return ()
    lowest, standing = _standing(motions, candidates)
    ground = min(lowest.values())
    chosen: dict[int, int] = {}
    for joint in candidates:
        near = lowest[joint] <= ground + GROUND_BAND * skeleton.size
        if not near or standing[joint] < LEAST_STANDING or not _hangs(motions, joint):
            continue
        limb = _limb_of(skeleton, joint)
        if limb not in chosen or _is_better(skeleton, joint, chosen[limb], lowest):
            chosen[limb] = joint
    return tuple(make_foot(skeleton, joint) for joint in sorted(chosen.values()))


def feet_by_name(skeleton: Skeleton, names: Sequence[str]) -> tuple[Foot, ...]:
    """The feet that the user names. Raises InputError for a name that is no joint."""
    feet = []
    for name in names:
        if name not in skeleton.names:
            raise InputError(f"The foot '{name}' is not a joint of this skeleton; choose one of its own.")
        feet.append(make_foot(skeleton, skeleton.names.index(name)))
    return tuple(feet)


def make_foot(skeleton: Skeleton, joint: int) -> Foot:
    """The foot that stands on `joint`, with its leg found from the skeleton."""
    chain = skeleton.chain(joint)
    limb = _limb_of(skeleton, joint)
    leg = chain[chain.index(limb) :]
    # A toe is carried by its ankle, which keeps the foot's own orientation.
    return Foot(joint, tuple(leg[:-1] if len(leg) >= 4 else leg if len(leg) >= 3 else ()))


def label_contacts(motion: Motion, feet: Sequence[Foot], base: NDArray[np.floating]) -> NDArray[np.bool_]:
    """When each foot stands, `(T, len(feet))`: near the ground, and slow along it.

    base: `(len(feet),)` the height of each foot on the ground, see ground_heights.
    """
    contacts = np.zeros((motion.frames, len(feet)), bool)
    size = motion.skeleton.size
    for index, foot in enumerate(feet):
        heights, speeds = _heights_and_speeds(motion, foot.joint)
        contacts[:, index] = (heights - base[index] < NEAR_GROUND * size) & (speeds < SLOW * size)
    return contacts


def ground_heights(motions: Sequence[Motion], feet: Sequence[Foot]) -> NDArray[np.float64]:
    """The height `(len(feet),)` at which each foot stands: its own 2nd percentile over all examples."""
    heights = [np.concatenate([_heights_and_speeds(motion, foot.joint)[0] for motion in motions]) for foot in feet]
    return np.array([np.percentile(values, LOWEST_PERCENT) for values in heights])


def foot_heights(motion: Motion, feet: Sequence[Foot]) -> NDArray[np.float64]:
    """How high `(T, len(feet))` the feet are."""
    return np.array([_heights_and_speeds(motion, foot.joint)[0] for foot in feet]).reshape(len(feet), motion.frames).T


def _heights_and_speeds(motion: Motion, joint: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Height `(T,)` and speed along the ground `(T,)` per second of one joint."""
    positions = pose_along(motion, motion.skeleton.chain(joint))[1][:, -1].astype(np.float64)
    up = np.array(motion.skeleton.up)
    heights = positions @ up
    if motion.frames < 2:
        return heights, np.zeros(motion.frames)
    velocity = np.gradient(positions - heights[:, None] * up, axis=0)
    return heights, np.linalg.norm(velocity, axis=1) * motion.frames_per_second


def _standing(motions: Sequence[Motion], joints: Sequence[int]) -> tuple[dict[int, float], dict[int, float]]:
    """The lowest place of each joint, and the share of the time it stands there."""
    size = motions[0].skeleton.size
    lowest, standing = {}, {}
    for joint in joints:
        pairs = [_heights_and_speeds(motion, joint) for motion in motions]
        heights, speeds = (np.concatenate(values) for values in zip(*pairs, strict=True))
        lowest[joint] = float(np.percentile(heights, LOWEST_PERCENT))
        standing[joint] = float(np.mean((heights - lowest[joint] < NEAR_GROUND * size) & (speeds < SLOW * size)))
    return lowest, standing


def _hangs(motions: Sequence[Motion], joint: int) -> bool:
    """Whether the limb of a joint leads downwards: a leg, not a chain that lies on the ground."""
    skeleton, up = motions[0].skeleton, np.array(motions[0].skeleton.up)
    limb = _limb_of(skeleton, joint)
    drops = []
    for motion in motions:
        positions = pose_along(motion, skeleton.chain(joint))[1]
        top = skeleton.chain(joint).index(limb)
        drops.append((positions[:, top] - positions[:, -1]) @ up)
    return float(np.mean(np.concatenate(drops))) > LEAST_DROP * skeleton.size


def _leg_ends(skeleton: Skeleton) -> list[int]:
    """The last joints of limbs long enough to be legs, and those two above them; no single toes."""
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    ends: set[int] = set()
    for leaf in np.flatnonzero(children == 0):
        limb = _limb_of(skeleton, int(leaf))
        positions = skeleton.stance
        if np.linalg.norm(positions[leaf] - positions[limb]) < LEG_REACH * skeleton.size:
            continue
        chain = skeleton.chain(int(leaf))
        last = [joint for joint in chain[max(chain.index(limb) + 2, len(chain) - 3) :]]
        ends.update(joint for joint in last if children[skeleton.parents[joint]] < TOES)
    return sorted(ends)


def _limb_of(skeleton: Skeleton, joint: int) -> int:
    """The first joint of the limb that a joint is part of: below the last place where limbs part.

    Toes and fingers part too, but are too short to be limbs.
    """
    chain = skeleton.chain(joint)
    reaches = skeleton.reaches
    children: dict[int, int] = {}
    for child, parent in enumerate(skeleton.parents):
        if parent >= 0:
            length = float(np.linalg.norm(skeleton.stance[child] - skeleton.stance[parent]))
            if reaches[child] + length >= LEG_REACH * skeleton.size:
                children[int(parent)] = children.get(int(parent), 0) + 1
    for place in range(len(chain) - 1, 0, -1):
        if children.get(chain[place - 1], 0) >= 2:
            return chain[place]
    return chain[0]


def _is_better(skeleton: Skeleton, joint: int, than: int, lowest: dict[int, float]) -> bool:
    """Whether of two joints of one limb the first is the one that stands: by name, else the clearly lower one."""
    named, other = (any(word in skeleton.names[index].lower() for word in NAMES) for index in (joint, than))
    if named != other:
        return named
    return lowest[joint] < lowest[than] - 1e-2 * skeleton.size
