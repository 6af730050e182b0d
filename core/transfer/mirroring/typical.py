# SPDX-License-Identifier: GPL-3.0-or-later
"""Aligned poses of motions, and their mean: a symmetric pose for skeletons whose rest pose is not one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Mask
from ...motion import rotations
from ...motion.motion import Motion
from ...motion.piecewise import MOMENTS, evenly
from ...motion.skeleton import NO_PARENT, Skeleton
from .still_joints import joints_above_body


@dataclass(frozen=True, eq=False)
class AlignedPoses:
    """N poses of a skeleton with J joints, turned about the up axis to one heading.

    typical: `(J, 3)` their mean. turned: `(N, J, 4)` the turn of each joint from rest, in the space of the rest pose.
    local: `(N, J, 4)` the same relative to its parent. traveling: `(J,)` all joints except those that stand still above
    the body.
    """

    typical: Array
    turned: Array
    local: Array
    traveling: Mask


def aligned_poses(motions: Sequence[Motion]) -> AlignedPoses:
    """Return sampled poses of motions on one skeleton."""
    skeleton = motions[0].skeleton
    alone = np.arange(len(skeleton.names))
    traveling = ~np.all([joints_above_body(motion, alone) for motion in motions], axis=0)
    samples = [motion.take(evenly(motion.frames, MOMENTS // len(motions) + 1)) for motion in motions]
    poses = [sample.pose() for sample in samples]
    positions = np.concatenate([pose[1] for pose in poses]).astype(np.float64)
    positions = positions - positions[:, traveling].mean(axis=1, keepdims=True)
    positions[:, ~traveling] = 0.0
    axis = np.array(skeleton.up)
    headings, typical = _facing_as_first(positions, axis)
    matrices = np.concatenate([pose[0] for pose in poses]).astype(np.float64)
    orientations = rotations.from_matrix(rotations.without_scale(matrices))
    turns = rotations.from_axis_angle(np.broadcast_to(axis, (len(headings), 3)), headings)
    turned = rotations.multiply(
        rotations.multiply(turns[:, None], orientations), rotations.inverse(skeleton.rest_orientations)
    )
    return AlignedPoses(typical, turned, _beside_parents(skeleton, turned), traveling)


def _facing_as_first(positions: Array, axis: Array) -> tuple[Array, Array]:
    """Return the angles `(N,)` that turn poses `(N, J, 3)` about the axis to the heading of the first, and the mean."""
    first = positions[0]
    across = np.einsum("nja,ja->n", np.cross(positions, first), np.broadcast_to(axis, first.shape))
    flat = positions - (positions @ axis)[..., None] * axis
    angles = np.arctan2(across, np.einsum("nja,ja->n", flat, first))
    turns = rotations.from_axis_angle(np.broadcast_to(axis, (len(angles), 3)), angles)
    return angles, np.asarray(rotations.rotate(turns[:, None], positions).mean(axis=0))


def _beside_parents(skeleton: Skeleton, turned: Array) -> Array:
    local = turned.copy()
    below = np.flatnonzero(skeleton.parents != NO_PARENT)
    local[:, below] = rotations.multiply(rotations.inverse(turned[:, skeleton.parents[below]]), turned[:, below])
    return local
