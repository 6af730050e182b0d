# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics over many frames with quaternions: several times as fast as with matrices.

Arrays have their frames last, so that operations read memory in order.
"""

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Float64
from . import rotations
from .motion import Motion
from .skeleton import Skeleton

Floats = Array


def between(left: Floats, right: Floats) -> Float64:
    """Return the matrices `(..., 4, 4)` that map a rotation `q` to `left q right`, for constants `(..., 4)`.

    >>> identity = np.array([1.0, 0.0, 0.0, 0.0])
    >>> np.array_equal(between(identity, identity), np.eye(4))
    True
    """
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    units = rotations.multiply(rotations.multiply(left[..., None, :], np.eye(4)), right[..., None, :])
    return np.asarray(np.swapaxes(units, -1, -2))


def turned(turns: Floats, vectors: Sequence[Floats | float]) -> tuple[Floats, Floats, Floats]:
    """Return the components `(T,)` of vectors, constant or `(T,)` each, turned by unit quaternions `(4, T)`.

    >>> [round(float(component[0]), 6) for component in turned(np.array([[0.0], [0.0], [0.0], [1.0]]), (1.0, 2.0, 3.0))]
    [-1.0, -2.0, 3.0]
    """
    (w, x, y, z), (a, b, c) = turns, vectors
    twice = (2 * a, 2 * b, 2 * c)
    i, j, k = y * twice[2] - z * twice[1], z * twice[0] - x * twice[2], x * twice[1] - y * twice[0]
    return a + w * i + (y * k - z * j), b + w * j + (z * i - x * k), c + w * k + (x * j - y * i)


def orientations(skeleton: Skeleton, joint_rotations: Floats) -> Float64:
    """Return the orientations `(J, 4, T)` of all joints in the skeleton's own space.

    joint_rotations: `(T, J, 4)` unit quaternions relative to the rest pose; no joint may be scaled.

    >>> orientations(skeleton, swing.rotations).shape
    (2, 4, 60)
    """
    from_rest = between(skeleton.rest_rotations, np.array([1.0, 0.0, 0.0, 0.0]))
    turns = from_rest @ np.transpose(joint_rotations, (1, 2, 0)).astype(np.float64)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            turns[joint] = rotations.multiply_components(turns[parent], turns[joint])
    return np.asarray(turns)


def positions(motion: Motion, turns: Float64) -> Float64:
    """Return the positions `(J, 3, T)` of all joints of a motion without scales, from their orientations `(J, 4, T)`.

    >>> positions(swing, orientations(skeleton, swing.rotations)).shape
    (2, 3, 60)
    """
    skeleton = motion.skeleton
    moves = {int(joint): motion.translations[:, slot] for slot, joint in enumerate(motion.translated)}
    places = np.empty((len(skeleton.names), 3, motion.frames))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        offset: Sequence[Floats | float] = skeleton.rest_translations[joint].tolist()
        if joint in moves:
            axes = rotations.to_matrix(skeleton.rest_rotations[joint])
            offset = skeleton.rest_translations[joint][:, None] + axes @ moves[joint].T.astype(np.float64)
        if parent >= 0:
            offset = turned(turns[parent], offset)
        for axis in range(3):
            places[joint, axis] = offset[axis]
        if parent >= 0:
            places[joint] += places[parent]
    return places
