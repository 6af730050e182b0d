# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a body that have attributes: legs, arms, and the joints above the legs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...environment.reach.limbs import Limb, find_limb
from ...errors import InputError
from ...feet.contact_detection import Foot
from ...feet.leg_copies import limb_of
from ...feet.planting import Standing
from ...feet.twin_limbs import TWIN
from ...feet.two_bone_ik import pose_leg
from ...library.indexed_motions import IndexedMotions
from ...motion.root_motion import RootPlan
from ...motion.skeleton import LIMB_REACH, Skeleton
from ...settings import Facing


@dataclass(frozen=True, eq=False)
class AttributeBody:
    """A body as its motions show it.

    standing: its feet, their ground, its knees and the root's plan. arms: in pairs. above: joints that neither belong
    to a leg nor carry a foot. leg_length: of the longest leg, in units; 0 if there is none.

    >>> isinstance(body_of(index_motions([swing])), AttributeBody)
    True
    """

    skeleton: Skeleton
    standing: Standing
    arms: tuple[Limb, ...]
    above: tuple[int, ...]
    leg_length: float

    @property
    def plan(self) -> RootPlan:
        """Return the plan by which the root is encoded."""
        return self.standing.plan

    @property
    def feet(self) -> tuple[Foot, ...]:
        """Return the joints that stand."""
        return self.standing.feet

    @property
    def steps(self) -> bool:
        """Return whether each foot has a leg that inverse kinematics can turn."""
        return bool(self.feet) and all(foot.has_leg for foot in self.feet)


def body_of(library: IndexedMotions) -> AttributeBody:
    """Return the body of motions on one skeleton.

    >>> body_of(index_motions([swing])).steps
    False
    """
    motion, recorded = library.motions[0], library.standing
    # Attributes are relative to the body's heading.
    plan = RootPlan(recorded.plan.joint, recorded.plan.companions, Facing.FREE, False)
    standing = Standing(recorded.feet, recorded.ground, recorded.knees, plan)
    skeleton = motion.skeleton
    legs = {joint for foot in standing.feet for joint in (*skeleton.chain(foot.joint), *foot.leg)}
    legs |= {int(joint) for foot in standing.feet for joint in np.flatnonzero(skeleton.descendants(_top(foot)))}
    anchored = set(plan.anchored.tolist()) | set(skeleton.chain(plan.joint))
    above = tuple(joint for joint in range(len(skeleton.names)) if joint not in legs | anchored)
    lengths = [float(np.max(pose_leg(motion, foot).reach)) for foot in standing.feet if foot.has_leg]
    return AttributeBody(skeleton, standing, _arms(skeleton, above), above, max(lengths, default=0.0))


def _top(foot: Foot) -> int:
    return foot.leg[0] if foot.leg else foot.joint


def _arms(skeleton: Skeleton, above: Sequence[int]) -> tuple[Limb, ...]:
    """Return the limbs above the legs that are long enough, and have a twin of the same length."""
    arms: dict[int, tuple[float, Limb]] = {}
    for leaf in above:
        if np.any(skeleton.parents == leaf):
            continue
        limb = find_limb(skeleton, leaf)
        first = limb_of(skeleton, leaf)[0]
        if limb is None or first not in above:
            continue
        length = _length(skeleton.stance[[limb.hip, limb.knee, limb.wrist]])
        if length >= LIMB_REACH * skeleton.size and length > arms.get(first, (0.0, limb))[0]:
            arms[first] = length, limb
    return tuple(
        limb
        for first, (length, limb) in sorted(arms.items())
        if any(abs(length - other) <= TWIN * length for number, (other, _) in arms.items() if number != first)
    )


def _length(places: Float64) -> float:
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def joint_of(body: AttributeBody, bone: str) -> int:
    """Return the joint of a bone above the legs. Raises InputError for any other bone."""
    if bone not in body.skeleton.names:
        raise InputError(f'There is no bone "{bone}"; choose one of the character.')
    joint = body.skeleton.names.index(bone)
    if joint not in body.above:
        raise InputError(f'Bone "{bone}" carries the body; choose one of the trunk, the arms or the head.')
    return joint
