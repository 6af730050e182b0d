# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules around the bones of a body, and the depths to which its limbs penetrate it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float32, Float64, Int64
from ...environment.reach.limbs import Limb, find_limb
from ...motion import rotations
from ...motion.motion import Motion, pose_along
from ...motion.piecewise import evenly, pieces
from ...motion.skeleton import LIMB_REACH, Skeleton
from .human_segments import HUMAN, HumanJoints, human_joints, stature
from .segments import THICKNESS, head_top, limb_lengths, sole_ends, with_length

BODY_VOLUME = 0.0132
"""Volume of a human body, as a share of the cube of its stature: 65 kg at 1.7 m, with the density of water."""
MOST_EXAMPLES, FEWEST = 50, 3
"""Largest number of examples that are searched for depths or flights, and the smallest number of flights whose median
counts."""
SOLID = 0.35
"""Share of a bone's guessed thickness that is surely solid where no skin shows it: limbs of 10 of 104 recordings of
animals penetrate the body that far, and of 51 the whole thickness."""
TOO_DEEP = 0.02
"""Depth beyond the usual one, as a share of the size, that counts as a penetration: 3.4 cm at a body of 170 cm."""


@dataclass(frozen=True, eq=False)
class Capsules:
    """C capsules around bones, and the P pairs of them that may penetrate each other.

    carriers: `(C,)` the joints that carry them. starts, ends: `(C, 3)` of their axes, in the axes of the carriers.
    radii: `(C, 2)` at both. limbs: arms and legs. arms: numbers of those that
    do not carry a human body. owners: `(C,)` the number of the limb of each, -1 for trunk and head. bones: `(C,)` 0, 1
    or 2, whether they follow the hip, knee or wrist of that limb, and along: `(C, 2)` the shares of that bone at which
    they begin and end. pairs: `(P, 2)` numbers of capsules; the first is the end or middle of a limb.

    >>> isinstance(find_capsules(skeleton), Capsules)
    True
    """

    carriers: Int64
    starts: Float64
    ends: Float64
    radii: Float64
    limbs: tuple[Limb, ...]
    arms: tuple[int, ...]
    owners: Int64
    bones: Int64
    along: Float64
    pairs: Int64

    def widths(self, shares: Float64) -> Float64:
        """Return the sums of both radii `(T, P)` of pairs at shares `(2, T, P)` of their axes."""
        ends = self.radii[self.pairs.T]
        return np.asarray(((1.0 - shares) * ends[:, None, :, 0] + shares * ends[:, None, :, 1]).sum(axis=0))


def find_capsules(skeleton: Skeleton) -> Capsules:
    """Return the capsules of a skeleton's body: of a human one from a table of masses, of another around its bones.

    The table is that of de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", 1996.

    >>> find_capsules(skeleton).pairs.shape
    (0, 2)
    """
    return capsules_of_bones(skeleton, human_joints(skeleton))


def capsules_of_bones(skeleton: Skeleton, joints: HumanJoints | None) -> Capsules:
    """Return the capsules of a human body with these joints, or of another one, as `find_capsules` does.

    >>> capsules_of_bones(skeleton, None).pairs.shape
    (0, 2)
    """
    built = _Built(skeleton)
    if joints is None:
        _add_rods(built)
    else:
        _add_human(built, joints)
    return built.capsules(human=joints is not None)


def penetration_depths(motion: Motion, capsules: Capsules) -> Float32:
    """Return how deep the capsules of each pair penetrate each other `(T, P)`, negative where they do not meet.

    >>> penetration_depths(swing, find_capsules(swing.skeleton)).shape
    (60, 0)
    """
    depths = np.zeros((motion.frames, len(capsules.pairs)), np.float32)
    if len(capsules.pairs):
        for piece in pieces(motion.frames):
            starts, ends = posed_axes(motion.slice(piece.start, piece.stop), capsules)
            shares, offsets = nearest_between(starts, ends, capsules.pairs)
            depths[piece] = capsules.widths(shares) - rotations.lengths(offsets)
    return depths


def usual_depths(skeleton: Skeleton, capsules: Capsules, examples: Sequence[Motion] = ()) -> Float64:
    """Return the depths `(P,)` that are no flaw: those of the rest pose and the largest of examples, at least 0.

    Of many examples, some that are evenly spread count.

    >>> usual_depths(skeleton, find_capsules(skeleton)).shape
    (0,)
    """
    unturned = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (1, len(skeleton.names), 1))
    usual = np.maximum(penetration_depths(Motion(skeleton, 1.0, unturned), capsules)[0].astype(np.float64), 0.0)
    for number in evenly(len(examples), MOST_EXAMPLES):
        motion = examples[number]
        usual = np.maximum(usual, penetration_depths(motion, capsules).max(axis=0, initial=0.0))
    return np.asarray(usual)


def posed_axes(motion: Motion, capsules: Capsules) -> tuple[Float64, Float64]:
    """Return the beginnings and ends `(T, C, 3)` of the capsules' axes, in the space of the roots."""
    chain = sorted({joint for carrier in set(capsules.carriers.tolist()) for joint in motion.skeleton.chain(carrier)})
    matrices, positions = pose_along(motion, chain)
    at = np.searchsorted(chain, capsules.carriers)
    turned, places = matrices[:, at].astype(np.float64), positions[:, at].astype(np.float64)
    starts, ends = (
        places + np.einsum("tcab,cb->tca", turned, offsets, optimize=True)
        for offsets in (capsules.starts, capsules.ends)
    )
    return starts, ends


def nearest_between(starts: Float64, ends: Float64, pairs: Int64) -> tuple[Float64, Float64]:
    """Return the nearest places of pairs of axes: shares `(2, T, P)` along both, and offsets `(T, P, 3)` to the first.

    Source: Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.
    """
    (first, second), bones = pairs.T, ends - starts
    one, other, away = bones[:, first], bones[:, second], starts[:, first] - starts[:, second]
    squares, least = np.einsum("tca,tca->tc", bones, bones), 1e-12
    one_square, other_square = np.maximum(squares[:, first], least), np.maximum(squares[:, second], least)
    along, across = (np.einsum("tpa,tpa->tp", axis, away) for axis in (one, other))
    both = np.einsum("tpa,tpa->tp", one, other)
    parallel = one_square * other_square - both**2
    share = np.clip((both * across - along * other_square) / np.maximum(parallel, least), 0.0, 1.0)
    on_other = np.clip((both * share + across) / other_square, 0.0, 1.0)
    share = np.clip((both * on_other - along) / one_square, 0.0, 1.0)
    offsets = away + share[..., None] * one - on_other[..., None] * other
    return np.stack((share, on_other)), offsets


class _Built:
    """Capsules that are added bone by bone, in the space of the rest pose."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.axes = rotations.to_matrix(skeleton.rest_orientations)
        self.carriers, self.starts, self.ends = list[int](), list[Float64](), list[Float64]()
        self.radii, self.owners = list[tuple[float, float]](), list[int]()
        self.bones, self.along = list[int](), list[tuple[float, float]]()
        self.limbs = list[Limb]()

    def add(
        self,
        joint: int,
        start: Float64,
        end: Float64,
        radii: tuple[float, float],
        *,
        owner: int = -1,
        bone: int = 0,
        along: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        """Add the capsule that a joint carries; bone, along: of its limb, if it has one."""
        local = self.axes[joint].T
        self.carriers.append(joint)
        self.starts.append(local @ (start - self.skeleton.rest_positions[joint]))
        self.ends.append(local @ (end - self.skeleton.rest_positions[joint]))
        self.radii.append(radii)
        self.owners.append(owner)
        self.bones.append(bone)
        self.along.append(along)

    def capsules(self, *, human: bool) -> Capsules:
        """Return all capsules; human: the first two limbs are arms, and legs part only with legs."""
        owners, pairs, arms = self.owners, [], (0, 1) if human else ()
        for first in np.flatnonzero(self.bones).tolist():
            for second, owner in enumerate(owners):
                same = owner == owners[first]
                repeated = self.bones[second] > 0 and owner < owners[first]
                folded_leg = human and owners[first] not in arms and (owner < 0 or owner in arms)
                if not (same or repeated or folded_leg):
                    pairs.append((first, second))
        return Capsules(
            np.array(self.carriers, np.int64),
            np.array(self.starts).reshape(-1, 3),
            np.array(self.ends).reshape(-1, 3),
            np.array(self.radii).reshape(-1, 2),
            tuple(self.limbs),
            arms,
            np.array(owners, np.int64),
            np.array(self.bones, np.int64),
            np.array(self.along).reshape(-1, 2),
            np.array(pairs, np.int64).reshape(-1, 2),
        )


def _add_human(built: _Built, joints: HumanJoints) -> None:
    places, height = built.skeleton.rest_positions, stature(built.skeleton, joints)

    def radius(name: str) -> float:
        segment = HUMAN[name]
        # The table's hand ends at the third knuckle, but its mass includes the fingers, which are as long.
        length = 2 * segment.length if name == "hand" else segment.length
        return float(np.sqrt(segment.mass * BODY_VOLUME / (np.pi * length)) * height)

    trunk = places[list(joints.trunk)]
    # The round end of the trunk reaches the base of the neck, and that of the head its top.
    last = trunk[-1] - trunk[-2]
    length = max(float(np.linalg.norm(last)), 1e-12)
    ends = [*trunk[1:-1], trunk[-1] - last * min(radius("trunk") / length, 1.0)]
    for joint, start, end in zip(joints.trunk[:-1], trunk[:-1], ends, strict=True):
        built.add(joint, start, end, (radius("trunk"),) * 2)
    top = head_top(built.skeleton, joints)
    upward = top - trunk[-1]
    share = radius("head") / max(float(np.linalg.norm(upward)), 1e-12)
    built.add(joints.head, trunk[-1] + share * upward, top - share * upward, (radius("head"),) * 2)
    for names in (("upperarm", "forearm", "hand"), ("thigh", "shin", "foot")):
        for side in "LR":
            hip, knee, end = (joints.limbs[name, side] for name in names)
            owner = len(built.limbs)
            built.limbs.append(Limb(end, hip, knee, end))
            if names[-1] == "hand":
                tips = places[end], with_length(places[end], places[end] - places[knee], height, "hand")
            else:
                tips = sole_ends(built.skeleton, joints, side)
            # A limb is as thick at a joint as the thinner one of the two segments that meet there.
            thick, middle, thin = np.minimum.accumulate([radius(name) for name in names]).tolist()
            built.add(hip, places[hip], places[knee], (thick, middle), owner=owner)
            built.add(knee, places[knee], places[end], (middle, thin), owner=owner, bone=1)
            built.add(end, *tips, (thin, thin), owner=owner, bone=2)


def _add_rods(built: _Built) -> None:
    skeleton = built.skeleton
    places, parents, size = skeleton.rest_positions, skeleton.parents, skeleton.size
    lengths, limbs = limb_lengths(skeleton)
    long = (lengths > 0) & (limbs >= LIMB_REACH * size)
    children = np.bincount(parents[parents >= 0], minlength=len(parents))
    owner_of = dict[int, int]()
    found = [(tip, find_limb(skeleton, tip)) for tip in np.flatnonzero(long & (children != 1)).tolist()]
    hips = [limb.hip for _, limb in found if limb is not None]
    for tip, limb in found:
        # What other limbs hang from is a part of the trunk.
        if limb is None or limb.knee in owner_of or skeleton.descendants(limb.wrist)[hips].any():
            continue
        chain = skeleton.chain(tip)
        for joint in chain[chain.index(limb.hip) :]:
            owner_of[joint] = len(built.limbs)
        built.limbs.append(limb)
    for joint in np.flatnonzero(long).tolist():
        carrier = int(parents[joint])
        radii = (SOLID * THICKNESS * float(limbs[joint]),) * 2
        owner = owner_of.get(carrier, -1)
        bone, along = (0, (0.0, 1.0)) if owner < 0 else _part_of_limb(skeleton, built.limbs[owner], joint, lengths)
        built.add(carrier, places[carrier], places[joint], radii, owner=owner, bone=bone, along=along)


def _part_of_limb(skeleton: Skeleton, limb: Limb, joint: int, lengths: Float64) -> tuple[int, tuple[float, float]]:
    """Return the bone of a limb, 0 to 2, that the bone toward a joint is a part of, and the shares at its ends."""
    chain = skeleton.chain(joint)
    above = [end for end in (limb.hip, limb.knee, limb.wrist) if end in chain[:-1]]
    bone = len(above) - 1
    if bone == 2:
        return bone, (0.0, 1.0)
    whole = skeleton.chain((limb.knee, limb.wrist)[bone])
    begin = above[-1]
    length = max(float(lengths[whole[whole.index(begin) + 1 :]].sum()), 1e-12)
    end = float(lengths[chain[chain.index(begin) + 1 :]].sum())
    start = end - float(lengths[joint])
    return bone, (min(start / length, 1.0), min(end / length, 1.0))
