# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints above the body, which stand still, and those below them that lead it: where a motion is reflected as a whole.

A rig's root or the object itself may be turned anywhere; they stay as they are. The joints that move first, hips or
the controls of a rig, are reflected in the world, across an upright plane through the place where the character begins
and along the way it faces there: a mirrored motion begins where and as the recorded one does.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion import rotations
from ...motion.motion import Motion
from ...motion.skeleton import NO_PARENT, Skeleton
from .plane import reflection
from .still_joints import STILL, joints_above_body
from .symmetry import Symmetry

Array = NDArray[np.floating]

UPRIGHT = 0.35
"""Below this horizontal share of its own left a root does not say where it faces: it lies on its side."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The joints above a body, of J.

    stays: `(J,)` joints that keep their channels. leads: `(J,)` the first that move below them. above: `(J, 3, 3)` what
    reflects the partner's turns for those, told beside their parents. offsets: `(J, 3)` what is added to their mirrored
    translations, in their own rest axes.
    """

    stays: NDArray[np.bool_]
    leads: NDArray[np.bool_]
    above: Array
    offsets: Array


def standing_joints(motion: Motion, symmetry: Symmetry) -> Standing:
    """Return the joints above the body, and how those that lead it are reflected."""
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
    rest = rotations.to_matrix(skeleton.rest_orientations)
    above, offsets = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for joint in np.flatnonzero(leads):
        partner = symmetry.partners[joint]
        own, other = (_turned_at_rest(matrices, rest, int(parents[one])) for one in (joint, partner))
        back = np.linalg.pinv(own)
        above[joint] = back @ world @ other
        if joint in motion.translated:
            # Reflected at rest and the difference added: translations beside that are told by `above` alone.
            at_rest = _place_at_rest(motion, positions, other, int(partner))
            place = world @ (at_rest - center) + center
            beside = back @ (place - _place_at_rest(motion, positions, own, int(joint)))
            offsets[joint] = rest[joint].T @ beside
    return Standing(stays, leads, above, offsets)


def _turned_at_rest(matrices: Array, rest: Array, joint: int) -> Array:
    """Return how a joint's pose, with its scale, turns its rest pose; the identity for none."""
    return np.eye(3) if joint == NO_PARENT else np.asarray(matrices[joint] @ rest[joint].T)


def _place_at_rest(motion: Motion, positions: Array, above: Array, joint: int) -> Array:
    """Return where a joint stands without a translation of its own, below the pose of its parent."""
    skeleton = motion.skeleton
    parent = int(skeleton.parents[joint])
    if parent == NO_PARENT:
        return np.asarray(skeleton.rest_positions[joint])
    offset = skeleton.rest_positions[joint] - skeleton.rest_positions[parent]
    return np.asarray(positions[parent] + above @ offset)


def _body_joint(skeleton: Skeleton, symmetry: Symmetry, leads: NDArray[np.bool_]) -> int:
    """Return the leading joint that most hangs from, one of the middle where there is any."""

    def rank(joint: int) -> tuple[bool, int, int]:
        return symmetry.partners[joint] == joint, int(skeleton.descendants(joint).sum()), -joint

    return max(map(int, np.flatnonzero(leads)), key=rank)


def _facing_plane(motion: Motion, symmetry: Symmetry, joint: int) -> Array:
    """Return the horizontal unit normal `(3,)` of the plane that a joint faces along in the first frame that tells."""
    up = np.array(motion.skeleton.up)
    # The direction that the joint's map turns round: its own left or right.
    own = np.linalg.eigh((symmetry.maps[joint] + symmetry.maps[joint].T) / 2)[1][:, 0]
    left = _turns_of(motion, joint) @ own
    flat = left - (left @ up)[:, None] * up
    lengths = np.linalg.norm(flat, axis=1)
    tells = np.flatnonzero(lengths > UPRIGHT)
    frame = int(tells[0]) if len(tells) else int(np.argmax(lengths))
    if lengths[frame] < STILL:
        return np.asarray(rotations.ground_axes(motion.skeleton.up)[0])
    return np.asarray(flat[frame] / lengths[frame])


def _turns_of(motion: Motion, joint: int) -> Array:
    """Return how a joint is turned from rest `(T, 3, 3)`."""
    skeleton = motion.skeleton
    result = np.broadcast_to(np.eye(3), (motion.frames, 3, 3))
    for one in skeleton.chain(joint):
        rest = rotations.to_matrix(skeleton.rest_rotations[one])
        result = result @ rest @ rotations.to_matrix(motion.rotations[:, one].astype(np.float64))
    return np.asarray(result @ rotations.to_matrix(skeleton.rest_orientations)[joint].T)
