# SPDX-License-Identifier: GPL-3.0-or-later
"""The scale between two bodies, by the lengths of their legs."""

from collections.abc import Collection, Mapping

import numpy as np

from ..motion.skeleton import Skeleton
from .meanings import meanings_of
from .separate_limbs import is_control_rig

KNEE, ANKLE = "shin", "foot"
"""Joints at the ends of the bones that make up a leg's length."""


def leg_scale(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> float:
    """Return the length of the target's legs over that of the source's; without legs, that of all bones.

    matched: the source joint of each target joint.

    >>> leg_scale(skeleton, skeleton, {0: 0, 1: 1})
    1.0
    """
    lengths = [
        (_length_here(source, target, matched, joint), _length_to(source, source_joint, matched.values()), joint)
        for joint, source_joint in matched.items()
    ]
    legs = [pair for *pair, joint in lengths if meanings_of(target)[joint].name in (KNEE, ANKLE)]
    target_length, source_length = np.sum(legs or [pair for *pair, _ in lengths], axis=0)
    return float(target_length / source_length) if min(target_length, source_length) > 0 else target.size / source.size


def _length_here(source: Skeleton, target: Skeleton, matched: Mapping[int, int], joint: int) -> float:
    """Return the distance to a target joint from the counterpart of its parent in the source; 0 if there is none.

    The distance is along the bones if the joint is below that counterpart.
    """
    targets = {source_joint: target_joint for target_joint, source_joint in matched.items()}
    above = [targets[source_joint] for source_joint in source.chain(matched[joint])[:-1] if source_joint in targets]
    if not above or above[-1] in target.chain(joint) or is_control_rig(target, matched):
        return _length_to(target, joint, matched.keys())
    return float(np.linalg.norm(target.rest_positions[joint] - target.rest_positions[above[-1]]))


def _length_to(skeleton: Skeleton, joint: int, matched: Collection[int]) -> float:
    """Return the distance along the bones to a joint from the matched one above it; 0 if there is none."""
    length, above = 0.0, joint
    while above >= 0:
        if above != joint and above in matched:
            return length
        length += float(np.linalg.norm(skeleton.rest_translations[above]))
        above = int(skeleton.parents[above])
    return 0.0
