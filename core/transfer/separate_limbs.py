# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that hang from another joint than in the source, so that they do not move with the travel.

Many game characters have their legs beside the hips, below a common parent, and their feet at the skeleton's root,
where inverse kinematics once moved them. Such joints are moved to their places by translations.
"""

from collections.abc import Collection, Mapping

import numpy as np

from ..arrays import Array
from ..feet.leg_ik import move_root
from ..motion import rotations
from ..motion.motion import Motion, joint_path, pose_along
from ..motion.skeleton import Skeleton
from .bone_names import MECHANISM, meanings_by_name
from .meanings import meanings_of


def separate_limbs(source: Skeleton, target: Skeleton, matched: Mapping[int, int], pelvis: int) -> dict[int, int]:
    """Return the joints that are not below the one that carries the legs, each with the joint that it follows.

    A joint follows the counterpart of its parent in the source; joints that others follow come first. A foot beside its
    leg is separate even below the one that carries the legs, as where that is a root above the body. A control rig has
    none, since its constraints move them.
    """
    if is_control_rig(target, matched):
        return {}
    meanings = meanings_of(target)
    targets = {source_joint: target_joint for target_joint, source_joint in matched.items()}
    separate = {}
    for joint, source_joint in sorted(matched.items(), key=lambda pair: (len(source.chain(pair[1])), pair[0])):
        above = [targets[other] for other in source.chain(source_joint)[:-1] if other in targets]
        chain = target.chain(joint)
        if not above or above[-1] in chain or joint in target.chain(pelvis):
            continue
        if pelvis not in chain or meanings[above[-1]].side:
            separate[joint] = above[-1]
    return separate


def is_control_rig(target: Skeleton, matched: Collection[int]) -> bool:
    """Return whether bones of a rig's mechanism have the same meanings as the joints that follow the source."""
    meanings = meanings_by_name(target.names)
    known = {meanings[target.names[joint]] for joint in matched}
    others = (name for joint, name in enumerate(target.names) if joint not in matched)
    return any(MECHANISM.match(name) and meanings[name] in known for name in others)


def brought_along(motion: Motion, separate: Mapping[int, int]) -> Motion:
    """Return the motion with separate joints, if translated, at their rest places relative to those they follow."""
    skeleton, at_rest = motion.skeleton, motion.skeleton.rest_orientations
    for joint, leader in separate.items():
        if joint in motion.translated:
            away = skeleton.rest_positions[joint] - skeleton.rest_positions[leader]
            motion = put_beside(motion, joint, leader, rotations.rotate(rotations.inverse(at_rest[leader]), away))
    return motion


def put_beside(motion: Motion, joint: int, leader: int, beside: Array) -> Motion:
    """Return the motion with a joint, if translated, at places `(T, 3)` or `(3,)` in the axes of another one."""
    matrices, places = (values[:, -1] for values in pose_along(motion, motion.skeleton.chain(leader)))
    turns = rotations.without_scale(matrices).astype(np.float64)
    there = places + np.einsum("tab,tb->ta", turns, np.broadcast_to(beside, places.shape))
    return move_root(motion, joint, there - joint_path(motion, joint))
