# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands of a skeleton and the bones that they may touch, side by side with those of another one."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.kinematics import orientations, positions, turned
from ..motion.motion import Motion, pose_along
from ..motion.skeleton import Skeleton
from ..reach.limbs import Limb, find_limb
from ..transfer.bone_names import meaning_of
from ..transfer.retarget import turn_and_scale

Float64 = NDArray[np.float64]

RADII = {
    "hips": 0.085,
    "spine": 0.095,
    "chest": 0.095,
    "neck": 0.07,
    "head": 0.1,
    "shoulder": 0.06,
    "upperarm": 0.045,
    "forearm": 0.04,
    "thigh": 0.055,
    "shin": 0.045,
}
"""Distances of a palm's middle from the bone that it touches, at most, as shares of the skeleton's size, by the joint
that the bone begins at: thicknesses of an adult's body with 1 to 2 cm of air."""
ARM = ("shoulder", "upperarm", "forearm", "hand")
"""Joints at the ends of bones that a hand's own arm consists of, which it does not touch."""
PALM_SHARE = 0.33
"""Middle of a palm beyond the wrist, as a share of the forearm: 8 cm of 25."""
SHORT_HAND = 0.15
"""Fingers that begin nearer to the wrist than this share of the forearm do not tell where the palm is."""


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand. palm: `(3,)` from the wrist to the palm's middle, in the wrist's own axes."""

    arm: Limb
    palm: Float64


@dataclass(frozen=True)
class Bone:
    """A bone that a hand may touch, from joint to joint; of a head both are the same.

    radius: see RADII. owner: the number of the hand whose arm it is part of, -1 for others.
    """

    beginning: int
    end: int
    radius: float
    owner: int = -1


@dataclass(frozen=True, eq=False)
class TouchingBody:
    """Hands, and bones that they may touch."""

    hands: tuple[Hand, ...]
    bones: tuple[Bone, ...]

    def joints(self, skeleton: Skeleton) -> list[int]:
        """Return the joints `(C,)`, ascending, that hands and bones hang from, and those themselves."""
        ends = [hand.arm.wrist for hand in self.hands] + [bone.end for bone in self.bones]
        return sorted({joint for end in ends for joint in skeleton.chain(end)})


@dataclass(frozen=True, eq=False)
class BodyPair:
    """The bodies of two skeletons, with the same hands and bones in the same order.

    turn: the rotation `(4,)` from the source's space to the target's; scale: the target's size by the source's.
    """

    source: TouchingBody
    target: TouchingBody
    turn: Float64
    scale: float


@dataclass(frozen=True, eq=False)
class PosedBody:
    """Places over time.

    palms, wrists, elbows, shoulders: `(H, T, 3)`; beginnings, ends: of the bones, `(B, T, 3)`.
    """

    palms: Float64
    wrists: Float64
    elbows: Float64
    shoulders: Float64
    beginnings: Float64
    ends: Float64

    @property
    def arm_lengths(self) -> Float64:
        """Return the lengths `(H,)` of the stretched arms, without hands."""
        bones = (self.elbows - self.shoulders, self.wrists - self.elbows)
        return np.asarray(np.sum([np.linalg.norm(bone[:, 0], axis=1) for bone in bones], axis=0))


def pose_body(motion: Motion, body: TouchingBody) -> PosedBody:
    """Return where hands and bones are."""
    chain = body.joints(motion.skeleton)
    turns, places = _posed(motion, chain)
    place_of = {joint: number for number, joint in enumerate(chain)}

    def along(joints: list[int]) -> Float64:
        return np.ascontiguousarray(np.swapaxes(places[[place_of[joint] for joint in joints]], 1, 2))

    arms = [hand.arm for hand in body.hands]
    wrists = along([arm.wrist for arm in arms])
    palms = [
        wrist + np.stack(turned(turns[place_of[hand.arm.wrist]], hand.palm.tolist()), axis=1)
        for hand, wrist in zip(body.hands, wrists, strict=True)
    ]
    elbows, shoulders = along([arm.knee for arm in arms]), along([arm.hip for arm in arms])
    beginnings, ends = ([getattr(bone, name) for bone in body.bones] for name in ("beginning", "end"))
    return PosedBody(np.array(palms), wrists, elbows, shoulders, along(beginnings), along(ends))


def _posed(motion: Motion, chain: list[int]) -> tuple[Float64, Float64]:
    """Return the orientations `(C, 4, T)` and positions `(C, 3, T)` of joints whose parents are among them."""
    if len(motion.scaled):
        matrices, places = pose_along(motion, chain)
        turns = rotations.from_matrix(rotations.without_scale(matrices).astype(np.float64))
        return np.transpose(turns, (1, 2, 0)), np.transpose(places, (1, 2, 0)).astype(np.float64)
    moved = [slot for slot, joint in enumerate(motion.translated.tolist()) if joint in chain]
    translated = np.array([chain.index(joint) for joint in motion.translated[moved].tolist()], np.int64)
    part = Motion(
        motion.skeleton.along(tuple(chain)),
        motion.frames_per_second,
        motion.rotations[:, chain],
        translated,
        motion.translations[:, moved],
    )
    turns = orientations(part.skeleton, part.rotations)
    return turns, positions(part, turns)


def find_bodies(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> BodyPair | None:
    """Return the hands and bones that both skeletons have; None where there are no hands.

    pairs: names of joints there and here.

    >>> find_bodies(skeleton, skeleton, {"hips": "hips"}) is None
    True
    """
    named = _named_joints(source, target, pairs)
    arms = {}
    for (name, side), (joint, other) in named.items():
        if name == "hand" and side:
            above = [named.get((name, side), (-1, -1)) for name in ("upperarm", "forearm")]
            limbs = [
                _arm(skeleton, hand, [joints[number] for joints in above])
                for number, (skeleton, hand) in enumerate(((source, joint), (target, other)))
            ]
            if limbs[0] is not None and limbs[1] is not None:
                arms[side] = limbs[0], limbs[1]
    if not arms:
        return None
    own = tuple(arms)
    bones = _bones(source, target, named, own)
    there, here = (
        TouchingBody(
            tuple(Hand(arms[side][number], _palm(skeleton, arms[side][number])) for side in own),
            tuple(Bone(*ends[number], radius, owner) for *ends, radius, owner in bones),
        )
        for number, skeleton in enumerate((source, target))
    )
    turn, scale = turn_and_scale(source, target, pairs)
    return BodyPair(there, here, turn.astype(np.float64), scale)


def _named_joints(
    source: Skeleton, target: Skeleton, pairs: Mapping[str, str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return joints there and here by what they mean and their sides; of several the first."""
    there = {name: joint for joint, name in enumerate(source.names)}
    here = {name: joint for joint, name in enumerate(target.names)}
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for other, own in sorted(pairs.items(), key=lambda pair: here.get(pair[1], -1)):
        if other not in there or own not in here:
            continue
        meanings = [
            meaning for meaning in (meaning_of(own), meaning_of(other)) if meaning.name in (*RADII, "hand", "foot")
        ]
        if meanings:
            name, side = meanings[0].name, meanings[0].side
            # Some call a thigh a hip, and an upper arm a shoulder.
            name = "thigh" if name == "hips" and side else name
            name = "upperarm" if name == "shoulder" and ("shoulder", side) in found else name
            key = (name, side) if (name, side) not in found or side else (f"{name} {own}", side)
            found.setdefault(key, (there[other], here[own]))
    return found


def _arm(skeleton: Skeleton, hand: int, above: list[int]) -> Limb | None:
    """Return the arm of a hand: of the joints that names tell, or else as the bones' lengths do."""
    chain = skeleton.chain(hand)
    upper, fore = above
    if upper in chain and fore in chain and upper < fore < hand:
        return Limb(hand, upper, fore, hand)
    limb = find_limb(skeleton, hand)
    return limb if limb is not None and limb.wrist == hand else None


def _bones(
    source: Skeleton, target: Skeleton, named: Mapping[tuple[str, str], tuple[int, int]], sides: tuple[str, ...]
) -> list[tuple[tuple[int, int], tuple[int, int], float, int]]:
    """Return the beginning and end of each bone there and here, its radius, and the number of its arm."""
    by_joint = {joints: key for key, joints in named.items()}
    found = []
    for (name, side), joints in named.items():
        kind = name.split(" ")[0]
        if kind == "head":
            found.append(((joints[0],) * 2, (joints[1],) * 2, RADII[kind], -1))
        above = [
            other
            for other in by_joint
            if other != joints and other[0] in source.chain(joints[0]) and other[1] in target.chain(joints[1])
        ]
        if not above:
            continue
        start = max(above, key=lambda other: (len(source.chain(other[0])), len(target.chain(other[1]))))
        kind = by_joint[start][0].split(" ")[0]
        if kind in RADII:
            owner = sides.index(side) if side in sides and by_joint[joints][0] in ARM else -1
            found.append(((start[0], joints[0]), (start[1], joints[1]), RADII[kind], owner))
    return found


def _palm(skeleton: Skeleton, arm: Limb) -> Float64:
    """Return the way from the wrist to the middle of the palm, in the wrist's axes: toward where the fingers begin."""
    rest = skeleton.rest_positions
    fingers = np.flatnonzero(skeleton.parents == arm.wrist)
    forearm = rest[arm.wrist] - rest[arm.knee]
    length = float(np.linalg.norm(forearm))
    way = skeleton.rest_translations[fingers].mean(axis=0) if len(fingers) else np.zeros(3)
    if np.linalg.norm(way) >= SHORT_HAND * length:
        return np.asarray(way * PALM_SHARE * length / np.linalg.norm(way))
    turn = rotations.inverse(skeleton.rest_orientations[arm.wrist])
    return np.asarray(rotations.rotate(turn, PALM_SHARE * forearm))
