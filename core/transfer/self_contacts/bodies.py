# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands of two skeletons, and the bones that the hands may touch, in corresponding order."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from ...arrays import Float64
from ...environment.reach.limbs import Limb, find_limb
from ...motion import rotations
from ...motion.kinematics import orientations, positions, turned
from ...motion.motion import Motion, pose_along
from ...motion.skeleton import SAME_PLACE, Skeleton
from ..meanings import meanings_of
from ..retarget import turn_and_scale

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
"""Largest distances of the middle of a palm from the bone that it touches, as shares of the skeleton's size, by the
joint at which the bone begins: thicknesses of an adult's body plus 1 to 2 cm of air."""
ARM = ("shoulder", "upperarm", "forearm", "hand")
"""Joints at the ends of the bones of a hand's own arm, which the hand does not touch."""
PALM_SHARE = 0.33
"""Distance of the middle of the palm from the wrist, as a share of the forearm: 8 cm of 25 cm."""


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand; palm: the offset `(3,)` of the palm's middle from the wrist, in the wrist's own axes."""

    arm: Limb
    palm: Float64


@dataclass(frozen=True)
class TouchableBone:
    """A bone that a hand may touch, from joint `beginning` to joint `end`; for a head both are the same joint.

    radius: see RADII. owner: the number of the hand whose arm contains the bone, -1 if none does.
    """

    beginning: int
    end: int
    radius: float
    owner: int = -1


@dataclass(frozen=True, eq=False)
class TouchingBody:
    """Hands of a skeleton, and the bones that they may touch."""

    hands: tuple[Hand, ...]
    bones: tuple[TouchableBone, ...]

    def joints(self, skeleton: Skeleton) -> list[int]:
        """Return the joints `(C,)`, ascending, of the hands and bones, and all joints above these."""
        ends = [hand.arm.wrist for hand in self.hands] + [bone.end for bone in self.bones]
        return sorted({joint for end in ends for joint in skeleton.chain(end)})


@dataclass(frozen=True, eq=False)
class BodyPair:
    """The bodies of two skeletons, with the same hands and bones in the same order.

    turn: the rotation `(4,)` from the source's space to the target's. scale: the target's size divided by the source's.
    """

    source: TouchingBody
    target: TouchingBody
    turn: Float64
    scale: float


@dataclass(frozen=True, eq=False)
class PosedBody:
    """Positions of hands, arms and bones over time.

    palms, wrists, elbows, shoulders: `(H, T, 3)`. beginnings, ends: `(B, T, 3)` of the bones.
    """

    palms: Float64
    wrists: Float64
    elbows: Float64
    shoulders: Float64
    beginnings: Float64
    ends: Float64

    @property
    def arm_lengths(self) -> Float64:
        """Return the lengths `(H,)` of the straight arms, without hands."""
        bones = (self.elbows - self.shoulders, self.wrists - self.elbows)
        return np.asarray(np.sum([np.linalg.norm(bone[:, 0], axis=1) for bone in bones], axis=0))

    def within(self, first: int, end: int) -> "PosedBody":
        """Return the positions in some frames."""
        return PosedBody(*(getattr(self, field.name)[:, first:end] for field in fields(self)))


def pose_body(motion: Motion, body: TouchingBody) -> PosedBody:
    """Return the positions of hands and bones at every frame of a motion."""
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
    """Return the orientations `(C, 4, T)` and positions `(C, 3, T)` of joints; `chain` contains their parents."""
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
    """Return the hands and bones that both skeletons have; None if there are no hands.

    pairs: names of the target's joints by the names of the source's.

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
    sides = tuple(arms)
    bones = _bones(source, target, named, sides)
    source_hands, target_hands = (
        TouchingBody(
            tuple(Hand(arms[side][number], _palm(skeleton, arms[side][number])) for side in sides),
            tuple(TouchableBone(*ends[number], radius, owner) for *ends, radius, owner in bones),
        )
        for number, skeleton in enumerate((source, target))
    )
    turn, scale = turn_and_scale(source, target, pairs)
    return BodyPair(source_hands, target_hands, turn.astype(np.float64), scale)


def _named_joints(
    source: Skeleton, target: Skeleton, pairs: Mapping[str, str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the joints of source and target by meaning and side; of several with one meaning, the first counts."""
    sources = {name: joint for joint, name in enumerate(source.names)}
    targets = {name: joint for joint, name in enumerate(target.names)}
    joints: dict[tuple[str, str], tuple[int, int]] = {}
    for source_name, target_name in sorted(pairs.items(), key=lambda pair: targets.get(pair[1], -1)):
        if source_name not in sources or target_name not in targets:
            continue
        meanings = [
            meaning
            for meaning in (meanings_of(target)[targets[target_name]], meanings_of(source)[sources[source_name]])
            if meaning.name in (*RADII, "hand", "foot")
        ]
        if meanings:
            name, side = meanings[0].name, meanings[0].side
            # Some skeletons call a thigh a hip, and an upper arm a shoulder.
            name = "thigh" if name == "hips" and side else name
            name = "upperarm" if name == "shoulder" and ("shoulder", side) in joints else name
            key = (name, side) if (name, side) not in joints or side else (f"{name} {target_name}", side)
            joints.setdefault(key, (sources[source_name], targets[target_name]))
    return joints


def _arm(skeleton: Skeleton, hand: int, above: list[int]) -> Limb | None:
    """Return the arm of a hand: from the joints in `above` if names identify them, else from the bones' lengths."""
    chain = skeleton.chain(hand)
    upper, fore = above
    if upper in chain and fore in chain and upper < fore < hand:
        return Limb(hand, upper, fore, hand)
    limb = find_limb(skeleton, hand)
    return limb if limb is not None and limb.wrist == hand else None


def _bones(
    source: Skeleton, target: Skeleton, named: Mapping[tuple[str, str], tuple[int, int]], sides: tuple[str, ...]
) -> list[tuple[tuple[int, int], tuple[int, int], float, int]]:
    """Return for each bone its ends in source and target, its radius, and the number of the hand whose arm it is."""
    by_joint = {joints: key for key, joints in named.items()}
    bones = []
    for (name, side), joints in named.items():
        kind = name.split(" ")[0]
        if kind == "head":
            bones.append(((joints[0],) * 2, (joints[1],) * 2, RADII[kind], -1))
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
            bones.append(((start[0], joints[0]), (start[1], joints[1]), RADII[kind], owner))
    return bones


def _palm(skeleton: Skeleton, arm: Limb) -> Float64:
    """Return the offset `(3,)` of the palm's middle from the wrist, in the wrist's axes, toward the fingers' roots."""
    positions = skeleton.rest_positions
    fingers = np.flatnonzero(skeleton.parents == arm.wrist)
    forearm = positions[arm.wrist] - positions[arm.knee]
    length = float(np.linalg.norm(forearm))
    to_fingers = skeleton.rest_translations[fingers].mean(axis=0) if len(fingers) else np.zeros(3)
    if np.linalg.norm(to_fingers) >= SAME_PLACE * skeleton.size:
        return np.asarray(to_fingers * PALM_SHARE * length / np.linalg.norm(to_fingers))
    turn = rotations.inverse(skeleton.rest_orientations[arm.wrist])
    return np.asarray(rotations.rotate(turn, PALM_SHARE * forearm))
