# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of a trunk at all frames at once: pelvis and spine move until the limbs are long enough.

The method is damped least squares (Wampler 1986) with weights. Each frame is solved by itself from the same start, so
that smooth goals give smooth motion. Turns and shifts approach their limits asymptotically. The goals are distances
between the beginning of a limb and the target of its end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...feet.leg_ik import move_root
from ...feet.two_bone_ik import Leg
from ...motion import rotations
from ...motion.filters import smooth_beside, spread_smoothly
from ...motion.motion import Motion, joint_path, pose_along
from .balance import CenterGoal
from .closing import longest_reach
from .ends import ReachTask

ITERATIONS = 10
"""Number of iterations; one more follows each tightening of goals."""
ROUNDS = 6
"""Largest number of times that goals are tightened because smoothing moved the trunk away from them, and that balance
is corrected."""
TURN_LIMIT = 0.6
"""Largest turn of a joint of the trunk, in radians; a spine of three such joints bends by 100 degrees."""
SHIFT_LIMIT = 0.3
"""Largest shift of the pelvis, as a share of the skeleton's size: a deep squat."""
SHIFT_WEIGHT = 0.2
"""Shift of the pelvis, as a share of the size, that is made as readily as a turn of one radian."""
LEG_WEIGHT = 4.0
"""Weight of legs that must not be too long, relative to arms that must be long enough."""
SMALL = 0.01
"""Distance, as a share of the skeleton's size, that is preferred to large turns (the damping), and the width of the
transition at a leg's limit."""
COMFORT = 0.86
"""Distance, as a share of an arm's length, up to which the arm reaches alone; beyond it the trunk comes along."""
FADING = 0.08
"""Width of the transition between both, as a share of the arm's length."""
STRAIGHTEST = 0.99
"""Longest limb, as a share of its length, unless it is longer in the motion."""


@dataclass(frozen=True, eq=False)
class DistanceGoal:
    """A goal for the distance `(T,)` of a joint from points `(T, 3)`; distance None: the joint goes to the points.

    present: `(T,)` the present distance, if distances below `distance` are allowed; at that distance the goal has no
    effect. most: `(T,)` largest distance that is acceptable after smoothing; None: any is.
    """

    joint: int
    points: Float64
    distance: Float64 | None
    present: Float64 | None = None
    most: Float64 | None = None

    def excess(self, motion: Motion) -> Float64:
        """Return the amounts `(T,)` by which the distance exceeds the largest acceptable one."""
        return np.zeros(len(self.points)) if self.most is None else np.linalg.norm(self.missing(motion), axis=1)

    def lacking(self, motion: Motion) -> Float64:
        """Return the amounts `(T,)` by which the distance exceeds the preferred one."""
        away = np.linalg.norm(self.points - joint_path(motion, self.joint), axis=1)
        return np.asarray(away - (0.0 if self.distance is None else self.distance))

    def missing(self, motion: Motion) -> Float64:
        """Return the shortest moves `(T, 3)` of the joint to the points, or to the largest acceptable distance."""
        vectors = self.points - joint_path(motion, self.joint)
        away = np.linalg.norm(vectors, axis=1)
        beyond = np.maximum(away - (0.0 if self.most is None else self.most), 0.0)
        return np.asarray((beyond / np.maximum(away, 1e-12))[:, None] * vectors)

    def tightened(self, amounts: Float64) -> "DistanceGoal":
        """Return the goal with its distances reduced by amounts `(T,)`."""
        if self.distance is None:
            return self
        return replace(self, distance=np.maximum(self.distance - amounts, 0.0))


@dataclass(frozen=True, eq=False)
class Trunk:
    """Joints of a trunk that may move; joints: those that turn, ascending.

    root: the joint whose translation shifts the body. shifts: `(T,)` or a number, how readily, 0 to 1.
    """

    joints: tuple[int, ...]
    root: int
    shifts: Float64 | float = 1.0


@dataclass(frozen=True, eq=False)
class TrunkTask:
    """A motion whose trunk moves as little as its goals need, and within its limits.

    free: `(T,)`, 0 at frames that do not change, less than 1 near them. center: a goal for the body's balance.
    """

    motion: Motion
    trunk: Trunk
    goals: Sequence[DistanceGoal]
    free: Float64
    center: CenterGoal | None = None

    def solved(self) -> Float64:
        """Return the turns and shifts `(T, D + 1, 3)`, before their limits, that meet the goals."""
        state, moved = np.zeros((self.motion.frames, len(self.trunk.joints) + 1, 3)), self.motion
        for _ in range(ITERATIONS):
            state, moved = self._next(state, moved)
        return state

    def moved(self, state: Float64) -> Motion:
        """Return the motion with its trunk moved; state: as `solved` returns it."""
        return self._next(state, self._with(state))[1]

    def smoothed(self, state: Float64, seconds: float) -> Motion:
        """Return the motion with its trunk moved by a state smoothed by a Gaussian; seconds: its deviation."""
        rate = self.motion.frames_per_second
        columns = smooth_beside(state.reshape(len(state), -1), seconds, rate, self.free)
        return self._with(columns.reshape(state.shape))

    def tightened(self, state: Float64, seconds: float) -> Motion | None:
        """Return the smoothed motion with tightened goals; None if smoothing leaves all goals met.

        Goals are tightened around the frames that miss them, so widely and gradually that smoothing keeps the change;
        corrections of single frames would jerk.
        """
        moved, task = self.smoothed(state, seconds), self
        reach = max(1, round(seconds * self.motion.frames_per_second))
        amounts = np.zeros((len(self.goals), self.motion.frames))
        for number in range(ROUNDS):
            excess = [np.where(self.free > 0, goal.excess(moved), 0.0) for goal in self.goals]
            if not np.any(excess):
                return moved if number else None
            amounts += [spread_smoothly(misses, reach) for misses in excess]
            goals = [goal.tightened(amount) for goal, amount in zip(self.goals, amounts, strict=True)]
            task = replace(self, goals=goals)
            state, _ = task._next(state, task._with(state))
            moved = self.smoothed(state, seconds)
        return moved

    def _limits(self) -> Float64:
        turns, shift = np.full(len(self.trunk.joints), TURN_LIMIT), SHIFT_LIMIT * self.motion.skeleton.size
        return np.append(turns, shift)[:, None]

    def within(self, state: Float64) -> Float64:
        """Return turns and shifts `(T, D + 1, 3)`, limited asymptotically."""
        return np.asarray(state / np.sqrt(1.0 + np.sum(state**2, axis=2, keepdims=True) / self._limits() ** 2))

    def _with(self, state: Float64) -> Motion:
        return moved_trunk(self.motion, self.trunk, self.within(state))

    def _next(self, state: Float64, moved: Motion) -> tuple[Float64, Motion]:
        """Return the turns and shifts after one step toward the goals, and the motion moved by them."""
        trunk, (frames, size) = self.trunk, (self.motion.frames, self.motion.skeleton.size)
        may_shift = trunk.root in self.motion.translated
        weights = np.append(np.ones(3 * len(trunk.joints)), np.full(3, SHIFT_WEIGHT * size if may_shift else 0.0))
        jacobian, lacking = _rows(moved, trunk, self.goals, size)
        if self.center is not None:
            row, missing = _row_of_center(moved, trunk, self.center)
            jacobian, lacking = np.concatenate((jacobian, row), axis=1), np.concatenate((lacking, missing), axis=1)
        room = 1.0 / (1.0 + np.sum(state**2, axis=2, keepdims=True) / self._limits() ** 2)
        room[:, -1, 0] *= np.broadcast_to(np.asarray(trunk.shifts, np.float64), (frames,))
        column_weights = weights * np.repeat(room, 3, axis=2).reshape(frames, -1)
        scaled = jacobian * column_weights[:, None]
        squares = scaled @ np.swapaxes(scaled, 1, 2) + (SMALL * size) ** 2 * np.eye(lacking.shape[1])
        step = column_weights * np.einsum("tgx,tg->tx", scaled, np.linalg.solve(squares, lacking[..., None])[..., 0])
        state = state + step.reshape(state.shape)
        return state, self._with(state)


def _rows(motion: Motion, trunk: Trunk, goals: Sequence[DistanceGoal], size: float) -> tuple[Float64, Float64]:
    """Return the derivatives `(T, G, 3 D + 3)` of G wishes by turns and shift, and the missing distances `(T, G)`."""
    needed = sorted({joint for goal in goals for joint in motion.skeleton.chain(goal.joint)} | set(trunk.joints))
    needed = sorted({above for joint in needed for above in motion.skeleton.chain(joint)})
    matrices, positions = (values.astype(np.float64) for values in pose_along(motion, needed))
    axes = [_axes_before(motion, matrices, needed, joint) for joint in trunk.joints]
    changes, lacking = list[Float64](), list[Float64]()
    for goal in goals:
        joint_positions = positions[:, needed.index(goal.joint)]
        for direction, share, missing in _wishes(goal, goal.points - joint_positions, size):
            above, change = motion.skeleton.chain(goal.joint), np.zeros((motion.frames, 3 * len(trunk.joints) + 3))
            for place, joint in enumerate(trunk.joints):
                if joint in above and joint != goal.joint:
                    arm = joint_positions - positions[:, needed.index(joint)]
                    # A turn about axis a moves the joint by a x arm; along the direction, by a . (arm x direction).
                    turned = np.einsum("tab,ta->tb", axes[place], rotations.cross(arm, direction))
                    change[:, 3 * place : 3 * place + 3] = turned
            if trunk.root in above:
                change[:, -3:] = direction
            changes.append(share[:, None] * change)
            lacking.append(missing)
    return np.stack(changes, axis=1), np.stack(lacking, axis=1)


def _row_of_center(motion: Motion, trunk: Trunk, goal: CenterGoal) -> tuple[Float64, Float64]:
    """Return the derivatives `(T, 1, 3 D + 3)` of a goal's center by turns and shift, and its distances `(T, 1)`."""
    needed = sorted({above for joint in (trunk.root, *trunk.joints) for above in motion.skeleton.chain(joint)})
    change, directions = np.zeros((motion.frames, 1, 3 * len(trunk.joints) + 3)), goal.directions
    matrices, positions = (values.astype(np.float64) for values in pose_along(motion, needed))
    places = np.swapaxes(positions[:, [needed.index(joint) for joint in trunk.joints]], 0, 1)
    arms, missing = goal.arms(motion, trunk.joints, places)
    for place, (joint, arm) in enumerate(zip(trunk.joints, arms, strict=True)):
        axes = _axes_before(motion, matrices, needed, joint)
        change[:, 0, 3 * place : 3 * place + 3] = np.einsum("tab,ta->tb", axes, rotations.cross(arm, directions))
    change[:, 0, -3:] = goal.share(motion, trunk.root) * directions
    return change, missing[:, None]


def _wishes(goal: DistanceGoal, vectors: Float64, size: float) -> Iterator[tuple[Float64, Float64, Float64]]:
    """Yield the directions `(T, 3)` in which a goal moves its joint, with weights and missing distances, both `(T,)`.

    vectors: `(T, 3)` from the joint to the goal's points.
    """
    if goal.distance is None:
        for axis in np.eye(3):
            yield np.broadcast_to(axis, vectors.shape), np.ones(len(vectors)), vectors @ axis
        return
    distance = np.linalg.norm(vectors, axis=1)
    direction, excess = vectors / np.maximum(distance, 1e-12)[:, None], distance - goal.distance
    if goal.present is None:
        yield direction, np.ones(len(vectors)), excess
        return
    share = LEG_WEIGHT * 0.5 * (1.0 + excess / np.sqrt(excess**2 + (SMALL * size) ** 2))
    yield direction, share, LEG_WEIGHT * (_beyond(excess, size) - _beyond(goal.present - goal.distance, size))


def _beyond(excess: Float64, size: float) -> Float64:
    """Return the amounts `(T,)` beyond a limit, smooth on both sides of it and nearly 0 well within it."""
    return np.asarray(0.5 * (excess + np.sqrt(excess**2 + (SMALL * size) ** 2)))


def _axes_before(motion: Motion, matrices: Float64, needed: list[int], joint: int) -> Float64:
    """Return the axes `(T, 3, 3)`, as columns, in which a joint's rotation is given: its parent's, at rest."""
    skeleton, parent = motion.skeleton, int(motion.skeleton.parents[joint])
    at_rest = rotations.to_matrix(skeleton.rest_rotations[joint])
    if parent < 0:
        return np.broadcast_to(at_rest, (len(matrices), 3, 3))
    return np.asarray(rotations.without_scale(matrices[:, needed.index(parent)]) @ at_rest)


def moved_trunk(motion: Motion, trunk: Trunk, state: Float64) -> Motion:
    """Return the motion with its joints turned and its root shifted by `(T, D + 1, 3)`."""
    turned = motion.rotations.copy()
    for place, joint in enumerate(trunk.joints):
        turn = rotations.from_vector(state[:, place])
        turned[:, joint] = rotations.normalize(rotations.multiply(turn, motion.rotations[:, joint].astype(np.float64)))
    moved = replace(motion, rotations=turned)
    return move_root(moved, trunk.root, state[:, -1])


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
