# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion with left and right exchanged: every joint has the reflected motion of its counterpart.

With D the turn of a joint from rest, in the space of the rest pose, W the reflection of the world and M a joint's map
(`Symmetry.maps`), the mirrored motion has D' = W D(partner) M^T. Relative to its parent, whose map is P, a joint turns
by P E(partner) M^T: each joint has one constant rotation before and one after, for any rolls of the two bones.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ...arrays import Array, Float32, Int64, Mask
from ...motion import rotations
from ...motion.motion import Motion
from ...motion.skeleton import NO_PARENT, Skeleton
from .side_names import partners_by_name, quoted_exchanged
from .standing_joints import StandingJoints, standing_joints
from .symmetry import Symmetry


def mirror(motion: Motion, symmetry: Symmetry) -> Motion:
    """Return the motion with left and right exchanged; it begins at the same place with the same heading.

    Joints take the channels of their counterparts, so that a joint is translated or scaled if either of the two is.
    Other values are exchanged by their names ("prop_L" and "prop_R"; a joint's name in quotes becomes its partner's),
    or stay. Mirroring twice gives the original motion.

    >>> legs = Skeleton(
    ...     names=("hips", "leg.L", "leg.R"),
    ...     parents=np.array([-1, 0, 0]),
    ...     rest_rotations=np.tile(identity, (3, 1)),
    ...     rest_translations=np.array([[0.0, 0.0, 1.0], [0.1, 0.0, -0.9], [-0.1, 0.0, -0.9]]),
    ... )
    >>> step = Motion(legs, 30.0, np.stack((turns[:, 0], turns[:, 1], turns[:, 0]), 1).astype(np.float32))
    >>> mirrored = mirror(step, find_symmetry([step]))
    >>> bool(np.allclose(mirrored.rotations[:, 2], step.rotations[:, 1], atol=1e-6))
    True
    """
    motion.check_values("The motion to mirror")
    partners = symmetry.partners
    widened = motion.widened(
        np.union1d(motion.translated, partners[motion.translated]).astype(np.int64),
        np.union1d(motion.scaled, partners[motion.scaled]).astype(np.int64),
    )
    standing = standing_joints(widened, symmetry)
    turns = _joint_turns(widened.skeleton, symmetry, standing)
    mirrored = rotations.multiply(rotations.multiply(turns.before, widened.rotations[:, partners]), turns.after)
    stays = standing.stays | symmetry.one_sided
    joint_rotations = np.where(stays[:, None], widened.rotations, mirrored)
    return Motion(
        motion.skeleton,
        motion.frames_per_second,
        joint_rotations.astype(np.float32),
        widened.translated,
        _translations(widened, symmetry, standing, turns, stays),
        widened.scaled,
        _scales(widened, symmetry, turns, stays),
        motion.scalar_names,
        motion.scalars[:, _scalar_order(motion, symmetry)],
    )


@dataclass(frozen=True, eq=False)
class _JointTurns:
    """Constants of J joints.

    before, after: `(J, 4)` rotations before and after the partner's. moves: `(J, 3, 3)` from the partner's translations
    to the joint's. scales: `(J, 3)` the partner's axis whose scale each of the joint's axes takes.
    """

    before: Array
    after: Array
    moves: Array
    scales: Int64


def _joint_turns(skeleton: Skeleton, symmetry: Symmetry, standing: StandingJoints) -> _JointTurns:
    rest_axes = rotations.to_matrix(skeleton.rest_orientations)
    back, partners = rest_axes.transpose(0, 2, 1), symmetry.partners
    above = np.where(
        (standing.leads | (skeleton.parents == NO_PARENT))[:, None, None],
        standing.above,
        symmetry.maps[skeleton.parents],
    )
    before = back @ above @ rest_axes[partners]
    reflections = back @ symmetry.maps @ rest_axes[partners]
    return _JointTurns(
        before=rotations.from_matrix(-before),
        after=rotations.inverse(rotations.from_matrix(-reflections)),
        moves=before,
        scales=_nearest_axes(reflections),
    )


def _nearest_axes(maps: Array) -> Int64:
    """Return the partner's axis `(J, 3)` nearest to each axis of a joint; a scale acts along a bone's own axes."""
    orders = np.array(list(permutations(range(3))))
    similarity = np.stack([(maps[:, range(3), order] ** 2).sum(axis=-1) for order in orders], axis=1)
    return np.asarray(orders[np.argmax(similarity, axis=1)])


def _translations(
    motion: Motion, symmetry: Symmetry, standing: StandingJoints, turns: _JointTurns, stays: Mask
) -> Float32:
    result = motion.translations.copy()
    for slot, joint in enumerate(motion.translated):
        if stays[joint]:
            continue
        partner = symmetry.partners[joint]
        values = motion.translations[:, np.searchsorted(motion.translated, partner)].astype(np.float64)
        moved = values @ turns.moves[joint].T
        result[:, slot] = moved + standing.offsets[joint]
    return result


def _scales(motion: Motion, symmetry: Symmetry, turns: _JointTurns, stays: Mask) -> Float32:
    result = motion.scales.copy()
    for slot, joint in enumerate(motion.scaled):
        if not stays[joint]:
            values = motion.scales[:, np.searchsorted(motion.scaled, symmetry.partners[joint])]
            result[:, slot] = values[:, turns.scales[joint]]
    return result


def counterpart(name: str, skeleton: Skeleton, symmetry: Symmetry) -> str:
    """Return the name of a custom value on the other side; its own name if it has no side.

    A joint's name in quotes becomes its partner's, and words for sides are exchanged.

    >>> legs = Skeleton(
    ...     names=("hips", "one", "other"),
    ...     parents=np.array([-1, 0, 0]),
    ...     rest_rotations=np.tile(identity, (3, 1)),
    ...     rest_translations=np.array([[0.0, 0.0, 1.0], [0.1, 0.0, -0.9], [-0.1, 0.0, -0.9]]),
    ... )
    >>> symmetry = find_symmetry([Motion(legs, 30.0, np.tile(identity, (9, 3, 1)).astype(np.float32))])
    >>> counterpart('bones["one"]["bend"]', legs, symmetry), counterpart("prop_L", legs, symmetry)
    ('bones["other"]["bend"]', 'prop_R')
    """
    names = skeleton.names
    return quoted_exchanged(name, {old: names[other] for old, other in zip(names, symmetry.partners, strict=True)})


def _scalar_order(motion: Motion, symmetry: Symmetry) -> Int64:
    def renamed(name: str) -> str:
        return counterpart(name, motion.skeleton, symmetry)

    return np.array(partners_by_name(motion.scalar_names, renamed), np.int64)
