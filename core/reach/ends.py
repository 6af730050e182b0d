# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of limbs on their way to places: where a joint goes, how its wrist stands, and joints that no limb brings."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.leg_ik import move_root
from ..motion import rotations
from ..motion.motion import Motion, joint_path, pose_along
from .approach import Approach, Detour
from .closing import past_shoulder, shoulder_side
from .limbs import Limb
from .reach import Reach

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """One joint on its way to its places; limb: None where no limb brings it there.

    rigid: what hangs from the limb's wrist goes along as it is bent; otherwise it keeps its orientation.
    """

    reach: Reach
    way: Approach
    limb: Limb | None
    hinge: Float64
    rigid: bool

    def at(self, frames: slice) -> "Task":
        """Return the task over some of its frames."""
        way = Approach(self.way.moves[frames], self.way.shares[frames])
        return replace(self, reach=self.reach.at(frames), way=way)


def places_of(motion: Motion, task: Task) -> Float64:
    """Return where a joint goes `(T, 3)`: to its places, and on the way there not through its own shoulder."""
    places = joint_path(motion, task.reach.joint) + task.way.moves
    if task.limb is None:
        return places
    return places + detour_of(motion, task.limb, task.hinge, task.rigid)(places, task.way.shares, slice(None))


def detour_of(motion: Motion, limb: Limb, hinge: Float64, rigid: bool) -> Detour:
    """Return what tells by how much a limb's joint goes around the limb's beginning; see Task for the rest."""
    leg = limb.posed(motion, rigid=rigid)
    beginning, side = leg.positions[:, leg.hip].astype(np.float64), shoulder_side(leg, hinge)

    def detour(places: Float64, shares: Float64, frames: slice) -> Float64:
        return past_shoulder(side[frames], places - beginning[frames], shares)

    return detour


def orientations_of(motion: Motion, task: Task) -> NDArray[np.floating]:
    """Return the orientation `(T, 4)` of the wrist of a limb, or of the joint itself, as it is to be."""
    joint = task.reach.joint if task.limb is None else task.limb.wrist
    chain = motion.skeleton.chain(task.reach.joint)
    matrices = rotations.without_scale(pose_along(motion, chain)[0].astype(np.float64))
    now, own = (rotations.from_matrix(matrices[:, chain.index(one)]) for one in (joint, task.reach.joint))
    if task.reach.orientations is None:
        return now
    there = rotations.multiply(task.reach.orientations, rotations.inverse(own))
    turn = _spread_turns(rotations.to_vector(there).astype(np.float64), task)
    return rotations.multiply(rotations.from_vector(turn), now)


def _spread_turns(turns: Float64, task: Task) -> Float64:
    """Return the turns `(T, 3)` of active frames, and beside them those of the nearest one, by its share."""
    active = np.flatnonzero(task.reach.active)
    frames = np.arange(len(turns))
    if not len(active):
        return np.zeros_like(turns)
    after = active[np.minimum(np.searchsorted(active, frames), len(active) - 1)]
    before = active[np.maximum(np.searchsorted(active, frames, side="right") - 1, 0)]
    nearest = np.where(np.abs(after - frames) < np.abs(frames - before), after, before)
    return np.asarray(turns[nearest] * task.way.shares[:, None])


def end_places(motion: Motion, task: Task, places: Float64, turned: NDArray[np.floating]) -> Float64:
    """Return where the end of a limb goes `(T, 3)` for its joint to be at its place."""
    if task.limb is None or task.rigid:
        return places
    chain = motion.skeleton.chain(task.reach.joint)
    matrices, positions = (values.astype(np.float64) for values in pose_along(motion, chain))
    wrist = chain.index(task.limb.wrist)
    now = rotations.from_matrix(rotations.without_scale(matrices[:, wrist]))
    turn = rotations.multiply(turned, rotations.inverse(now))
    return np.asarray(places - rotations.rotate(turn, positions[:, -1] - positions[:, wrist]))


def carried(motion: Motion, task: Task, places: Float64, turned: NDArray[np.floating]) -> Motion:
    """Return the motion with a joint that no limb brings to its place moved there by its own translation, if it has."""
    joint = task.reach.joint
    if joint in motion.translated:
        motion = move_root(motion, joint, places - joint_path(motion, joint))
    if task.reach.orientations is None:
        return motion
    chain = motion.skeleton.chain(joint)
    above = rotations.from_matrix(rotations.without_scale(pose_along(motion, chain)[0].astype(np.float64)))
    rest = motion.skeleton.rest_rotations[joint]
    base = rest if len(chain) == 1 else rotations.multiply(above[:, -2], rest)
    turned_joint = motion.rotations.copy()
    turned_joint[:, joint] = rotations.multiply(rotations.inverse(base), turned)
    return replace(motion, rotations=turned_joint)
