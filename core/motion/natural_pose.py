# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural poses of skeletons, from their motion, for files whose rest pose is not plausible."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Float64
from .motion import Motion, joined
from .piecewise import MOMENTS, evenly
from .root_motion import find_anchored
from .skeleton import Skeleton


def with_typical_pose(motions: Sequence[Motion]) -> tuple[Motion, ...]:
    """Return the motions with the skeleton's natural pose filled in: the sampled frame nearest to the mean of all.

    >>> (typical,) = with_typical_pose([swing])
    >>> typical.skeleton.typical_positions.shape
    (2, 3)
    """
    skeleton = motions[0].skeleton
    if skeleton.typical_positions is not None or not skeleton.names:
        return tuple(motions)
    plan = find_anchored(motions)
    samples = [motion.take(evenly(motion.frames, MOMENTS // len(motions) + 1)) for motion in motions]
    positions = _standing_at_rest(skeleton, plan, joined(samples).pose()[1].astype(np.float64))
    distances = np.linalg.norm(positions - positions.mean(axis=0), axis=2).sum(axis=1)
    with_pose = replace(skeleton, typical_positions=positions[int(np.argmin(distances))])
    return tuple(replace(motion, skeleton=with_pose) for motion in motions)


def _standing_at_rest(skeleton: Skeleton, plan: tuple[int, ...], positions: Float64) -> Float64:
    """Return positions `(T, J, 3)` without the travel of the root, the first of `plan`, and its companions.

    Joints above the root may have stayed far behind, and are put where the root is.
    """
    up, root = np.array(skeleton.up), plan[0]
    drift = positions[:, root] - skeleton.rest_positions[root]
    drift -= (drift @ up)[:, None] * up
    traveling = np.any([skeleton.descendants(joint) for joint in plan], axis=0)
    moved = positions.copy()
    moved[:, traveling] -= drift[:, None]
    for joint in skeleton.chain(root)[:-1]:
        moved[:, joint] = moved[:, root]
    return moved
