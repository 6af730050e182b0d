# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of a trunk: distances between the beginning of a limb and the target of the limb's end."""

import numpy as np

from ...arrays import Float64
from ...feet.two_bone_ik import Leg
from ...motion.motion import Motion
from .closing import longest_reach
from .ends import ReachTask
from .trunk_ik import DistanceGoal

COMFORT = 0.86
"""Distance, as a share of an arm's length, up to which the arm reaches alone; beyond it the trunk comes along."""
FADING = 0.08
"""Width of the transition between both, as a share of the arm's length."""
STRAIGHTEST = 0.99
"""Longest limb, as a share of its length, unless it is longer in the motion."""


def limb_goal(motion: Motion, task: ReachTask, ends: Float64) -> DistanceGoal:
    """Return the goal that a limb's beginning is near enough to the limb's target for an easy reach."""
    if task.limb is None:
        return DistanceGoal(task.reach.joint, ends, None)
    leg = task.limb.posed(motion, rigid=task.rigid)
    longest = longest_reach(leg, task.hinge)
    now = np.linalg.norm(leg.positions[:, leg.end] - leg.positions[:, leg.hip], axis=1)
    after = np.linalg.norm(ends - leg.positions[:, leg.hip], axis=1)
    asked = np.maximum(_excess(after, longest) - _excess(now, longest), 0.0)
    most = np.maximum(now, STRAIGHTEST * longest)
    return DistanceGoal(task.limb.hip, ends, np.minimum(after - asked, most), most=most)


def _excess(distance: Float64, longest: Float64) -> Float64:
    """Return the distances `(T,)` beyond an easy reach of an arm, with a smooth transition."""
    beyond = distance - COMFORT * longest
    return np.asarray(0.5 * (beyond + np.sqrt(beyond**2 + (FADING * longest) ** 2)))


def leg_goal(leg: Leg, hinge: Float64) -> DistanceGoal:
    """Return the goal that a hip is no farther from its foot, which stays, than the leg is long."""
    longest = longest_reach(leg, hinge)
    now = np.linalg.norm(leg.positions[:, leg.end] - leg.positions[:, leg.hip], axis=1)
    straightest = STRAIGHTEST * longest
    ends = leg.positions[:, leg.end]
    return DistanceGoal(leg.chain[leg.hip], ends, straightest, now, most=np.maximum(straightest, now))
