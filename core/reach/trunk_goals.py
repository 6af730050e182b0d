# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of a trunk: how near the beginning of a limb is to come to where the limb's end goes."""

import numpy as np
from numpy.typing import NDArray

from ..feet.two_bone_ik import Leg
from ..motion.motion import Motion
from .closing import longest_and_shortest
from .ends import Task
from .trunk_ik import DistanceGoal

Float64 = NDArray[np.float64]

COMFORT = 0.86
"""Up to this share of its length an arm goes to a place alone; beyond it the trunk comes along more and more."""
FADING = 0.08
"""It begins to come along so gradually, as a share of the arm's length."""
BEGINNING = 0.004
"""The trunk's own movement begins within this share of the arm's length, so that nothing jumps."""
STRAIGHTEST_ARM = 0.985
"""An arm is stretched to this share of its length at most, unless it was longer in the motion."""
CLOSEST = 1.05
"""An arm is bent so far that its ends are this many times as far from each other as can be, at most."""
STRAIGHTEST_LEG = 0.995
"""A leg gets no longer than this share of its length, or than it was."""


def limb_goal(motion: Motion, task: Task, ends: Float64) -> DistanceGoal:
    """Return how far a limb's beginning shall be from where its end goes: no farther than it reaches with ease."""
    if task.limb is None:
        return DistanceGoal(task.reach.joint, ends, None)
    leg = task.limb.posed(motion, rigid=task.rigid)
    longest, shortest = longest_and_shortest(leg, task.hinge)
    now = np.linalg.norm(leg.positions[:, leg.end] - leg.positions[:, leg.hip], axis=1)
    after = np.linalg.norm(ends - leg.positions[:, leg.hip], axis=1)
    beyond = _excess(after, longest) - _excess(now, longest)
    positive = np.maximum(beyond, 0.0)
    asked = positive**2 / np.sqrt(positive**2 + (BEGINNING * longest) ** 2)
    most = np.maximum(now, STRAIGHTEST_ARM * longest)
    return DistanceGoal(task.limb.hip, ends, np.clip(after - asked, CLOSEST * shortest, most), most=most)


def _excess(distance: Float64, longest: Float64) -> Float64:
    """Return by how much `(T,)` a distance exceeds what an arm reaches with ease, fading in."""
    beyond = distance - COMFORT * longest
    return np.asarray(0.5 * (beyond + np.sqrt(beyond**2 + (FADING * longest) ** 2)))


def leg_goal(leg: Leg, hinge: Float64) -> DistanceGoal:
    """Return how far a hip shall be from its foot, which stays: no farther than the leg is long."""
    longest, _ = longest_and_shortest(leg, hinge)
    now = np.linalg.norm(leg.positions[:, leg.end] - leg.positions[:, leg.hip], axis=1)
    straightest = STRAIGHTEST_LEG * longest
    ends = leg.positions[:, leg.end]
    return DistanceGoal(leg.chain[leg.hip], ends, straightest, now, most=np.maximum(straightest, now))
