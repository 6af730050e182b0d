# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of limbs on an approach: their places and orientations, and joints that no limb moves."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, Float64
from ...feet.leg_ik import move_root, turn_joint
from ...motion import rotations
from ...motion.motion import Motion, joint_path, pose_along
from ...motion.spans import nearest_marks
from .approach import Approach, Detour
from .closing import past_shoulder, shoulder_side
from .limbs import Limb
from .reach import Reach


@dataclass(frozen=True, eq=False)
class ReachTask:
    """An approach of one joint to its places; limb: the limb that moves it, None if there is none.

    rigid: the joints below the limb's wrist turn with it; otherwise they keep their orientations.
    """

    reach: Reach
    approach: Approach
    limb: Limb | None
    hinge: Float64
    rigid: bool

    def at(self, frames: slice) -> "ReachTask":
        """Return the task for some of its frames."""
        approach = Approach(self.approach.moves[frames], self.approach.shares[frames])
        return replace(self, reach=self.reach.at(frames), approach=approach)


def places_of(motion: Motion, task: ReachTask) -> Float64:
    """Return the places `(T, 3)` of a joint on its approach, which does not pass through its own shoulder."""
    places = joint_path(motion, task.reach.joint) + task.approach.moves
    if task.limb is None:
        return places
    return places + detour_of(motion, task.limb, task.hinge, task.rigid)(places, task.approach.shares, slice(None))


def detour_of(motion: Motion, limb: Limb, hinge: Float64, rigid: bool) -> Detour:
    """Return the detour of a limb's joint around the limb's beginning; for arguments see Task."""
    leg = limb.posed(motion, rigid=rigid)
    beginning, side = leg.positions[:, leg.hip].astype(np.float64), shoulder_side(leg, hinge)

    def detour(places: Float64, shares: Float64, frames: slice) -> Float64:
        return past_shoulder(side[frames], places - beginning[frames], shares)

    return detour


def orientations_of(motion: Motion, task: ReachTask) -> Array:
    """Return the target orientation `(T, 4)` of a limb's wrist, or of the joint itself if there is no limb."""
    joint = task.reach.joint if task.limb is None else task.limb.wrist
    chain = motion.skeleton.chain(task.reach.joint)
    matrices = rotations.without_scale(pose_along(motion, chain)[0].astype(np.float64))
    now, joint_now = (rotations.from_matrix(matrices[:, chain.index(place)]) for place in (joint, task.reach.joint))
    if task.reach.orientations is None:
        return now
    to_target = rotations.multiply(task.reach.orientations, rotations.inverse(joint_now))
    turn = _spread_turns(rotations.to_vector(to_target).astype(np.float64), task)
    return rotations.multiply(rotations.from_vector(turn), now)


def _spread_turns(turns: Float64, task: ReachTask) -> Float64:
    """Return the turns `(T, 3)` of active frames; beside them, those of the nearest active frame times its share."""
    active = np.flatnonzero(task.reach.active)
    if not len(active):
        return np.zeros_like(turns)
    return np.asarray(turns[nearest_marks(active, len(turns))] * task.approach.shares[:, None])


def end_places(motion: Motion, task: ReachTask, places: Float64, turned: Array) -> Float64:
    """Return the places `(T, 3)` of a limb's end that bring its joint to its own places."""
    if task.limb is None or task.rigid:
        return places
    chain = motion.skeleton.chain(task.reach.joint)
    matrices, positions = (values.astype(np.float64) for values in pose_along(motion, chain))
    wrist = chain.index(task.limb.wrist)
    now = rotations.from_matrix(rotations.without_scale(matrices[:, wrist]))
    turn = rotations.multiply(turned, rotations.inverse(now))
    return np.asarray(places - rotations.rotate(turn, positions[:, -1] - positions[:, wrist]))


def carried(motion: Motion, task: ReachTask, places: Float64, turned: Array) -> Motion:
    """Return the motion with a joint that has no limb moved to its places by its own translation, if it has one."""
    joint = task.reach.joint
    if joint in motion.translated:
        motion = move_root(motion, joint, places - joint_path(motion, joint))
    if task.reach.orientations is None:
        return motion
    matrices = pose_along(motion, motion.skeleton.chain(joint))[0][:, -1].astype(np.float64)
    now = rotations.from_matrix(rotations.without_scale(matrices))
    return turn_joint(motion, joint, rotations.multiply(turned, rotations.inverse(now)))
