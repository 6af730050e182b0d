# SPDX-License-Identifier: GPL-3.0-or-later
"""Elevation of bones: their angle from straight down, which can be raised or lowered."""

import numpy as np

from ...arrays import Float64
from ...errors import InputError
from ...motion import rotations
from ...motion.motion import Motion, pose_along
from ...motion.skeleton import Skeleton
from .deviations import with_rotations

OUTWARD = 0.3
"""Weight of the direction to the side when a bone is raised: a bone that hangs is raised sideways, one that points
elsewhere more and more in its own direction."""


def end_of_bone(skeleton: Skeleton, joint: int) -> int:
    """Return the joint at the end of a bone: its child that reaches farthest. Raises InputError if there is none."""
    children = np.flatnonzero(skeleton.parents == joint)
    if not len(children):
        raise InputError(f'Bone "{skeleton.names[joint]}" has no bone below it; choose the one above it.')
    reach = skeleton.reaches[children] + np.linalg.norm(skeleton.stance[children] - skeleton.stance[joint], axis=1)
    return int(children[int(np.argmax(reach))])


def elevation(motion: Motion, joint: int, end: int) -> float:
    """Return the mean angle, in degrees, between straight down and the direction from a joint to one below it."""
    directions = _directions(motion, joint, end)[1]
    return float(np.degrees(np.mean(np.arccos(np.clip(-directions @ np.array(motion.skeleton.up), -1.0, 1.0)))))


def raised(motion: Motion, joint: int, end: int, angle: float) -> Motion:
    """Return the motion with a joint raised by an angle in radians, or lowered if the angle is negative.

    The turn is the same at each frame, relative to the joint's parent.
    """
    above, directions = _directions(motion, joint, end)
    up = np.array(motion.skeleton.up)
    down = _unit(np.einsum("tba,b->a", above, -up))
    mean = _unit(np.einsum("tba,tb->a", above, directions))
    side = np.einsum("tba,tb->a", above, np.broadcast_to(_outward(motion, joint), directions.shape))
    axis = np.cross(down, mean + OUTWARD * side)
    if np.linalg.norm(axis) < 1e-6:
        axis = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    # The turn is about an axis of the parent; rest and animated rotation follow it.
    rest_matrix = rotations.to_matrix(motion.skeleton.rest_rotations[joint])
    turn = rotations.from_axis_angle(rest_matrix.T @ _unit(axis), np.array(angle))
    return _turned(motion, joint, np.broadcast_to(turn, (motion.frames, 4)))


def hanging(motion: Motion, joint: int, end: int, share: float) -> Motion:
    """Return the motion with a joint turned down, at each frame, by a share of its bone's angle from straight down."""
    above, directions = _directions(motion, joint, end)
    down = np.einsum("tba,b->ta", above, -np.array(motion.skeleton.up))
    local = np.einsum("tba,tb->ta", above, directions)
    across = np.cross(local, down)
    sine = np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.arctan2(sine, (local * down).sum(axis=1, keepdims=True))
    turns = share * angle * across / np.maximum(sine, 1e-9)
    # As in `raised`, turns are about axes of the parent.
    rest_matrix = rotations.to_matrix(motion.skeleton.rest_rotations[joint]).astype(np.float64)
    return _turned(motion, joint, rotations.from_vector(turns @ rest_matrix).astype(np.float64))


def _turned(motion: Motion, joint: int, turns: Float64) -> Motion:
    """Return the motion with turns `(T, 4)` applied before the rotations of a joint."""
    turned = rotations.multiply(turns, motion.rotations[:, joint].astype(float))
    return with_rotations(motion, [joint], rotations.normalize(turned)[:, None])


def _directions(motion: Motion, joint: int, end: int) -> tuple[Float64, Float64]:
    """Return the axes `(T, 3, 3)` of a joint's parent, and the direction `(T, 3)` from the joint to one below it."""
    chain = motion.skeleton.chain(end)
    matrices, positions = pose_along(motion, chain)
    place = chain.index(joint)
    above = rotations.without_scale(matrices[:, place - 1].astype(np.float64)) if place else np.eye(3)[None]
    vectors = (positions[:, -1] - positions[:, place]).astype(np.float64)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.broadcast_to(above, (motion.frames, 3, 3)), vectors / lengths


def _outward(motion: Motion, joint: int) -> Float64:
    """Return the horizontal direction `(T, 3)` from the middle of the body to a joint; 0 for a joint in the middle."""
    chain = motion.skeleton.chain(joint)
    positions = pose_along(motion, chain)[1].astype(np.float64)
    up, size = np.array(motion.skeleton.up), motion.skeleton.size
    # Collarbones begin in the middle of the body, so the direction is taken from two joints above.
    offset = positions[:, -1] - positions[:, max(len(chain) - 3, 0)]
    offset -= (offset @ up)[:, None] * up
    return np.asarray(offset / np.maximum(np.linalg.norm(offset, axis=1, keepdims=True), 0.01 * size))


def _unit(vector: Float64) -> Float64:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12))
