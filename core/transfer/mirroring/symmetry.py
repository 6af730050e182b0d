# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetry of a skeleton: the counterparts of joints, and the maps between their axes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, Int64, Mask
from ...feet.fixed_stances import LEAST_DRIFT
from ...motion import rotations
from ...motion.motion import Motion
from ..other_rest import on_rest_of
from .joint_maps import joint_maps
from .pairing import ONE_SIDED, SIMILAR
from .plane import Halves, halves_of, reflection
from .typical import aligned_poses

WORST = 0.05
"""Largest distance of any reflected joint from its partner in a symmetric rest pose, as a share of the size. In a rest
pose that only happens to look symmetric (Character Creator, through BVH) the eyes are off by 0.1. It also bounds
the mean distance in a rest pose that is used if the motions do not show the symmetry; otherwise no mean distance may be
visible. Captured bodies (CMU) have 0.006 to 0.009, implausible rest poses 0.1 and more."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Counterparts of a skeleton's joints.

    partners: `(J,)` the joint on the other side. A joint in the middle is its own partner, and so is a joint of one
    side only, which keeps its pose relative to its parent (`one_sided`, `(J,)`). maps: `(J, 3, 3)` orthogonal, with
    determinant -1, from the partner's axes to the joint's own, both in the rest pose's space; for a symmetric rest pose
    this is the reflection itself.

    >>> legs = Skeleton(
    ...     names=("hips", "leg.L", "leg.R"),
    ...     parents=np.array([-1, 0, 0]),
    ...     rest_rotations=np.tile(identity, (3, 1)),
    ...     rest_translations=np.array([[0.0, 0.0, 1.0], [0.1, 0.0, -0.9], [-0.1, 0.0, -0.9]]),
    ... )
    >>> step = Motion(legs, 30.0, np.tile(identity, (60, 3, 1)).astype(np.float32))
    >>> isinstance(find_symmetry([step]), Symmetry), find_symmetry([step]).partners.tolist()
    (True, [0, 2, 1])
    """

    partners: Int64
    one_sided: Mask
    maps: Array

    @property
    def pairs(self) -> int:
        """Return the number of pairs of joints, left and right."""
        return int(np.count_nonzero(self.partners != np.arange(len(self.partners)))) // 2


def find_symmetry(motions: Sequence[Motion]) -> Symmetry | None:
    """Return the symmetry of the skeleton that all motions share; None if it has no left and right.

    It is found from the rest pose and the hierarchy, with names as a help. If the rest pose is not a plausible pose
    (every bone along one axis) or not symmetric (a frame of some motion), it is found from the motions.

    >>> find_symmetry([swing]) is None
    True
    """
    skeleton = motions[0].skeleton
    halves = halves_of(skeleton, skeleton.rest_positions)
    if halves is not None and _is_symmetric(halves, LEAST_DRIFT) and halves.errors.max() <= WORST:
        return _reflected(halves)
    symmetry = _symmetry_of_motions(motions)
    return symmetry or (_reflected(halves) if halves is not None and _is_symmetric(halves, WORST) else None)


def _is_symmetric(halves: Halves, limit: float) -> bool:
    return float(halves.errors.mean()) <= limit


def _reflected(halves: Halves) -> Symmetry:
    return _symmetry(halves, np.repeat(reflection(halves.normal)[None], len(halves.partners), axis=0))


def _symmetry_of_motions(motions: Sequence[Motion]) -> Symmetry | None:
    poses = aligned_poses(motions)
    halves = halves_of(motions[0].skeleton, poses.typical, is_rest=False)
    if halves is None or float(np.median(halves.errors)) > SIMILAR:
        return None
    maps = joint_maps(motions[0].skeleton, poses, halves)
    maps = _maps_of_own_axes(motions, halves) if maps is None else maps
    return None if maps is None else _symmetry(halves, maps)


def _maps_of_own_axes(motions: Sequence[Motion], halves: Halves) -> Array | None:
    """Return the maps by the joints' own axes, for a rest pose in which a body stands but not symmetrically."""
    skeleton = motions[0].skeleton
    unturned = replace(skeleton, rest_rotations=np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton.names), 1)))
    maps = joint_maps(unturned, aligned_poses([on_rest_of(motion, unturned) for motion in motions]), halves)
    if maps is None:
        return None
    axes = rotations.to_matrix(skeleton.rest_orientations)
    partners = np.where(halves.partners == ONE_SIDED, np.arange(len(axes)), halves.partners)
    return np.asarray(axes @ maps @ axes[partners].transpose(0, 2, 1))


def _symmetry(halves: Halves, maps: Array) -> Symmetry:
    one_sided = halves.partners == ONE_SIDED
    partners = np.where(one_sided, np.arange(len(one_sided)), halves.partners)
    return Symmetry(partners, one_sided, maps)
