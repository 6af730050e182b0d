# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints above the body, which stand still, and the first moving joints below them, at which a motion is reflected.

A rig's root and the object itself may have any orientation, and do not change. The first joints that move, hips or
the controls of a rig, are reflected in the world across an upright plane through the character's first place, along
its first heading: a mirrored motion begins at the same place with the same heading.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Mask
from ...motion import rotations
from ...motion.comparing import ROUNDING
from ...motion.motion import Motion
from ...motion.root_motion import UPRIGHT
from ...motion.skeleton import NO_PARENT, Skeleton
from .plane import reflection
from .still_joints import joints_above_body
from .symmetry import Symmetry


@dataclass(frozen=True, eq=False)
class StandingJoints:
    """The joints above a body, among J joints.

    stays: `(J,)` joints that keep their channels. leads: `(J,)` the first moving joints below them. above: `(J, 3, 3)`
    matrices that reflect the partner's turns for these, relative to their parents. offsets: `(J, 3)` vectors added to
    their mirrored translations, in their own rest axes.
    """

    stays: Mask
    leads: Mask
    above: Array
    offsets: Array


def standing_joints(motion: Motion, symmetry: Symmetry) -> StandingJoints:
    """Return the joints above the body, and the reflection of those that lead it."""
    skeleton = motion.skeleton
    count = len(skeleton.names)
    stays = joints_above_body(motion, symmetry.partners)
    parents = skeleton.parents
    leads = ~stays & ((parents == NO_PARENT) | stays[parents])
    matrices, positions = motion.slice(0, 1).pose()
    matrices, positions = matrices[0].astype(np.float64), positions[0].astype(np.float64)
    body = _body_joint(skeleton, symmetry, leads)
    world = reflection(_facing_plane(motion, symmetry, body))
    center = (positions[body] + positions[symmetry.partners[body]]) / 2
    rest_axes = rotations.to_matrix(skeleton.rest_orientations)
    above, offsets = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for joint in np.flatnonzero(leads):
        partner = symmetry.partners[joint]
        turned, other = (_turned_at_rest(matrices, rest_axes, int(parents[side])) for side in (joint, partner))
        back = np.linalg.pinv(turned)
        above[joint] = back @ world @ other
        if joint in motion.translated:
            # The place at rest is reflected and the difference added; `above` reflects the translations from there.
            at_rest = _place_at_rest(motion, positions, other, int(partner))
            place = world @ (at_rest - center) + center
            beside = back @ (place - _place_at_rest(motion, positions, turned, int(joint)))
            offsets[joint] = rest_axes[joint].T @ beside
    return StandingJoints(stays, leads, above, offsets)


def _turned_at_rest(matrices: Array, rest_axes: Array, joint: int) -> Array:
    """Return the matrix that turns a joint's rest pose into its pose, with its scale; the identity for no joint."""
    return np.eye(3) if joint == NO_PARENT else np.asarray(matrices[joint] @ rest_axes[joint].T)


def _place_at_rest(motion: Motion, positions: Array, above: Array, joint: int) -> Array:
    """Return the place of a joint without its own translation, below the pose of its parent."""
    skeleton = motion.skeleton
    parent = int(skeleton.parents[joint])
    if parent == NO_PARENT:
        return np.asarray(skeleton.rest_positions[joint])
    offset = skeleton.rest_positions[joint] - skeleton.rest_positions[parent]
    return np.asarray(positions[parent] + above @ offset)


def _body_joint(skeleton: Skeleton, symmetry: Symmetry, leads: Mask) -> int:
    """Return the leading joint with the most joints below it; a joint in the middle has precedence."""

    def rank(joint: int) -> tuple[bool, int, int]:
        return symmetry.partners[joint] == joint, int(skeleton.branch_sizes[joint]), -joint

    return max(map(int, np.flatnonzero(leads)), key=rank)


def _facing_plane(motion: Motion, symmetry: Symmetry, joint: int) -> Array:
    """Return the horizontal unit normal `(3,)` of the plane of a joint's heading in the first frame that shows it."""
    up = np.array(motion.skeleton.up)
    # The direction that the joint's map reverses is its own left or right.
    normal = np.linalg.eigh((symmetry.maps[joint] + symmetry.maps[joint].T) / 2)[1][:, 0]
    left = _turns_of(motion, joint) @ normal
    flat = left - (left @ up)[:, None] * up
    lengths = np.linalg.norm(flat, axis=1)
    tells = np.flatnonzero(lengths > UPRIGHT)
    frame = int(tells[0]) if len(tells) else int(np.argmax(lengths))
    if lengths[frame] < ROUNDING:
        return np.asarray(rotations.ground_axes(motion.skeleton.up)[0])
    return np.asarray(flat[frame] / lengths[frame])


def _turns_of(motion: Motion, joint: int) -> Array:
    """Return the turns `(T, 3, 3)` of a joint from rest."""
    skeleton = motion.skeleton
    result = np.broadcast_to(np.eye(3), (motion.frames, 3, 3))
    for above in skeleton.chain(joint):
        rest_rotation = rotations.to_matrix(skeleton.rest_rotations[above])
        result = result @ rest_rotation @ rotations.to_matrix(motion.rotations[:, above].astype(np.float64))
    return np.asarray(result @ rotations.to_matrix(skeleton.rest_orientations)[joint].T)
