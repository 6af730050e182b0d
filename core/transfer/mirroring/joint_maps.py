# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of left and right joints for a rest pose that is not a plausible pose, found from bones and rotations.

Capture programs lay the axes of each joint along its bone, and those of the right side as a mirror image, in the
opposite direction, or the same. So the map from one side's axes to the other's exchanges axes and signs. Of the 24 such
maps with determinant -1, a few fit the bones below a joint; of these the chosen one makes the rotations of both sides
most similar.
"""

from itertools import permutations, product

import numpy as np

from ...arrays import Array, Int64
from ...feet.fixed_stances import LEAST_DRIFT
from ...motion import rotations
from ...motion.skeleton import NO_PARENT, Skeleton
from .pairing import ONE_SIDED
from .plane import Halves, reflection
from .typical import AlignedPoses

BONE_OFF = 0.15
"""Allowed difference between left and right bones, as a share of their length; an invisible distance is added."""


def joint_maps(skeleton: Skeleton, poses: AlignedPoses, halves: Halves) -> Array | None:
    """Return the maps `(J, 3, 3)` from each partner's axes to the joint's; None if the bones fit no map."""
    across = reflection(halves.normal)
    candidates = _candidates()
    maps = np.repeat(across[None], len(skeleton.names), axis=0)
    for joint, partner in enumerate(halves.partners):
        parent = int(skeleton.parents[joint])
        if partner == ONE_SIDED:
            maps[joint] = maps[parent]
        elif partner < joint:
            maps[joint] = maps[partner].T
        elif poses.traveling[joint]:
            fitting = _fitting(skeleton, halves.partners, candidates, joint)
            if not len(fitting):
                return None
            is_top = parent == NO_PARENT or not poses.traveling[parent]
            turns, above = (poses.turned, across) if is_top else (poses.local, maps[parent])
            maps[joint] = _most_similar(turns, above, fitting, joint, int(partner))
    return maps


def _candidates() -> Array:
    """Return the matrices `(24, 3, 3)` that exchange axes and signs, with determinant -1."""
    axes = np.eye(3)
    every = [
        np.array(signs)[:, None] * axes[list(order)]
        for order in permutations(range(3))
        for signs in product((1, -1), repeat=3)
    ]
    return np.array([matrix for matrix in every if np.linalg.det(matrix) < 0])


def _fitting(skeleton: Skeleton, partners: Int64, candidates: Array, joint: int) -> Array:
    """Return the candidates that map the bones below the joint's partner to those below the joint."""
    places = skeleton.rest_positions
    fits = np.ones(len(candidates), bool)
    if partners[joint] == joint:
        fits &= np.abs(candidates - candidates.transpose(0, 2, 1)).max(axis=(1, 2)) == 0
        fits &= np.trace(candidates, axis1=1, axis2=2) == 1  # a reflection, not the inversion of all axes
    for child in np.flatnonzero(skeleton.parents == joint):
        if partners[child] != ONE_SIDED:
            bone = places[child] - places[joint]
            other = places[partners[child]] - places[partners[joint]]
            off = np.linalg.norm(candidates @ other - bone, axis=1)
            fits &= off <= BONE_OFF * np.linalg.norm(bone) + LEAST_DRIFT * skeleton.size
    return candidates[fits]


def _most_similar(turns: Array, above: Array, candidates: Array, joint: int, partner: int) -> Array:
    """Return the candidate that makes the partner's turns `(N, J, 4)`, mirrored, most similar to the joint's own.

    The side that moves less decides: a hanging arm is like the other arm before that one waves.
    """
    turned = rotations.multiply(rotations.from_matrix(-above), turns[:, partner])
    mirrored = rotations.multiply(turned, rotations.inverse(rotations.from_matrix(-candidates))[:, None])
    similarity = np.abs(mirrored @ turns[:, joint].T)
    # Only the nearest turn of each counts: the angles of all others, for every joint, take most of the time.
    nearest = [2.0 * np.arccos(np.clip(similarity.max(axis=axis), 0.0, 1.0)).mean(axis=1) for axis in (1, 2)]
    return np.asarray(candidates[int(np.argmin(np.minimum(*nearest)))])
