# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that bring a joint to a place: two long bones, the joint between them, and the joints at their end."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...feet.contact_detection import Foot
from ...feet.leg_copies import limb_of
from ...feet.two_bone_ik import Leg
from ...motion.comparing import ROUNDING
from ...motion.motion import Motion, pose_along
from ...motion.skeleton import Skeleton

SHORT_BONE = 0.6
"""Length of a last bone, as a share of the bone before, below which it belongs to the hand or foot, not to the limb."""
LONG_SHARE = 0.5
"""Smallest length of the two bones together, as a share of the limb's length; the rest is a collarbone and the like."""


@dataclass(frozen=True)
class Limb:
    """Two bones that bring a joint to a place.

    joint: the joint that is brought. hip, knee: the joints at the beginnings of the two bones. wrist: the joint at
    their end, from which `joint` hangs.
    """

    joint: int
    hip: int
    knee: int
    wrist: int

    def posed(self, motion: Motion, *, rigid: bool) -> Leg:
        """Return the posed limb; rigid: it ends at the joint, otherwise at the wrist."""
        chain = motion.skeleton.chain(self.joint)
        matrices, positions = pose_along(motion, chain)
        end = len(chain) - 1 if rigid else chain.index(self.wrist)
        places = chain.index(self.hip), chain.index(self.knee), end
        return Leg(chain, *places, matrices.astype(np.float64), positions.astype(np.float64))


def find_limb(skeleton: Skeleton, joint: int) -> Limb | None:
    """Return the limb that brings a joint to a place; None if no two bones form one.

    The two bones are those that are most nearly equal in length: upper arm and forearm, or thigh and shin, even if each
    is of several pieces. Fingers and toes hang from the wrist or ankle.
    """
    chain = limb_of(skeleton, joint)
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    for place in range(3, len(chain)):
        if children[chain[place]] > 1:
            chain = chain[: place + 1]
            break
    lengths = np.linalg.norm(np.diff(skeleton.stance[chain], axis=0), axis=1)
    while len(lengths) > 2 and lengths[-1] < SHORT_BONE * lengths[-2] and children[chain[-1]] <= 1:
        chain, lengths = chain[:-1], lengths[:-1]
    along = np.concatenate(([0.0], np.cumsum(lengths)))
    pairs = [
        (abs(2 * along[knee] - along[hip] - along[-1]) / max(along[-1] - along[hip], 1e-12), hip, knee)
        for hip in range(len(chain) - 2)
        for knee in range(hip + 1, len(chain) - 1)
        if along[-1] - along[hip] > LONG_SHARE * along[-1]
    ]
    if not pairs:
        return None
    _, hip, knee = min(pairs)
    return Limb(joint, chain[hip], chain[knee], chain[-1])


def is_of_foot(skeleton: Skeleton, joint: int, foot: Foot) -> bool:
    """Return whether a joint belongs to a foot's leg, or hangs from its end."""
    return joint == foot.joint or bool(foot.leg and (joint in foot.leg or foot.leg[-1] in skeleton.chain(joint)))


def elbow_hinge(leg: Leg) -> Float64:
    """Return the axis `(3,)` about which a limb bends, in the axes of its first bone, from all of its frames.

    For a limb that never bends, it is the coordinate axis of the bone nearest to perpendicular, made perpendicular.
    """
    thigh, shin = (bone / np.maximum(np.linalg.norm(bone, axis=1, keepdims=True), 1e-12) for bone in leg.bones)
    directions = leg.directions()
    total = np.einsum("tba,tb->a", directions, np.cross(thigh, shin))
    if np.linalg.norm(total) > ROUNDING * len(thigh):
        return np.asarray(total / np.linalg.norm(total))
    bone = directions[0].T @ thigh[0]
    across = np.eye(3)[int(np.argmin(np.abs(bone)))]
    across = across - (across @ bone) * bone
    return np.asarray(across / np.linalg.norm(across))
