# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of a trunk over all frames at once: pelvis and spine move until the limbs are long enough.

Damped least squares (Wampler 1986) with weights; each frame is solved on its own from the same start, so that a
motion whose goals move smoothly stays smooth. Turns and shifts fade out toward their limits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.leg_ik import move_root
from ..motion import rotations
from ..motion.filters import largest_beside, smooth, smooth_beside
from ..motion.motion import Motion, joint_path, pose_along

Float64 = NDArray[np.float64]

ITERATIONS = 10
"""Iterations; one more follows each time that goals were tightened."""
ROUNDS = 6
"""So many times at most goals are tightened after the movement was smoothed, which took it off some of them."""
DAMPING = 0.01
"""Damping, as a share of the skeleton's size: distances below it are no worse than large turns."""
TURN_LIMIT = 0.6
"""Largest turn of a joint of the trunk, radians; a spine of three such joints bends by 100 degrees."""
SHIFT_LIMIT = 0.3
"""Farthest shift of the pelvis, as a share of the skeleton's size: a deep squat."""
SHIFT_WEIGHT = 0.2
"""Shift of the pelvis, as a share of the size, that is as readily made as a turn of a radian."""
PELVIS_TURN = 0.5
"""Share of its turn that a joint above both legs makes: it takes them along."""
LEG_WEIGHT = 4.0
"""Legs that must not be too long count so many times as much as arms that want to be long enough."""
LEAST_SHARE = 0.2
"""A goal is tightened to this share of its distance at most."""
SMALL = 0.01
"""Share of the size within which a leg's distance from its limit fades in."""


@dataclass(frozen=True, eq=False)
class DistanceGoal:
    """A distance between a joint of the trunk and a point `(T, 3)`: `distance` `(T,)`; None: the joint goes there.

    own: `(T,)` the distance that it has, where it may also be smaller than `distance`; as it is it asks for nothing.
    most: `(T,)` the distance that is still good enough where the movement was smoothed; None: any is.
    """

    joint: int
    points: Float64
    distance: Float64 | None
    own: Float64 | None = None
    most: Float64 | None = None

    def excess(self, motion: Motion) -> Float64:
        """Return by how much `(T,)` the distance is larger than is good enough."""
        if self.most is None:
            return np.zeros(len(self.points))
        away = np.linalg.norm(self.points - joint_path(motion, self.joint), axis=1)
        return np.asarray(np.maximum(away - self.most, 0.0))

    def tightened(self, amounts: Float64) -> "DistanceGoal":
        """Return the goal asking for distances smaller by amounts `(T,)`."""
        if self.distance is None:
            return self
        return replace(self, distance=np.maximum(self.distance - amounts, LEAST_SHARE * self.distance))


@dataclass(frozen=True, eq=False)
class Trunk:
    """Joints of a trunk that may move. joints: those that turn, ascending; turns: `(D,)` how readily, 0 to 1.

    root: the joint whose translation shifts the body; shifts: `(T,)` or a number, how readily, 0 to 1.
    """

    joints: tuple[int, ...]
    turns: Float64
    root: int
    shifts: NDArray[np.float64] | float = 1.0


@dataclass(frozen=True, eq=False)
class TrunkTask:
    """A motion whose trunk is to bring its goals about, moving as little as that takes, as far as its limits allow.

    Distances that are one's own already ask for nothing. free: `(T,)` 0 at frames that stay as they are, less than 1
    beside them.
    """

    motion: Motion
    trunk: Trunk
    goals: Sequence[DistanceGoal]
    free: Float64

    def solved(self) -> Float64:
        """Return turns and shifts `(T, D + 1, 3)`, before their limits, that bring the goals about."""
        state, moved = np.zeros((self.motion.frames, len(self.trunk.joints) + 1, 3)), self.motion
        for _ in range(ITERATIONS):
            state, moved = self._next(state, moved)
        return state

    def moved(self, state: Float64) -> Motion:
        """Return the motion with its trunk moved by what `solved` returned."""
        return self._next(state, self._with(state))[1]

    def smoothed(self, state: Float64, seconds: float) -> Motion:
        """Return the motion with its trunk moved by that, smoothed by a Gaussian of this deviation, in seconds."""
        rate = self.motion.frames_per_second
        columns = smooth_beside(state.reshape(len(state), -1), seconds, rate, self.free)
        return self._with(columns.reshape(state.shape))

    def tightened(self, state: Float64, seconds: float) -> Motion | None:
        """Return the motion smoothed as that, its goals tightened where smoothing left them; None where it did not.

        More is asked for, over so long and so gradually that smoothing takes no more than that away: what is brought
        back frame by frame would jerk.
        """
        moved, rate, task = self.smoothed(state, seconds), self.motion.frames_per_second, self
        reach = max(1, round(seconds * rate))
        amounts = np.zeros((len(self.goals), self.motion.frames))
        for number in range(ROUNDS):
            excess = [np.where(self.free > 0, goal.excess(moved), 0.0) for goal in self.goals]
            if not np.any(excess):
                return moved if number else None
            amounts += [smooth(largest_beside(one, reach)[:, None], seconds / 2, rate)[:, 0] for one in excess]
            goals = [goal.tightened(amount) for goal, amount in zip(self.goals, amounts, strict=True)]
            task = replace(self, goals=goals)
            state, _ = task._next(state, task._with(state))
            moved = self.smoothed(state, seconds)
        return moved

    def _limits(self) -> Float64:
        turns, shift = np.full(len(self.trunk.joints), TURN_LIMIT), SHIFT_LIMIT * self.motion.skeleton.size
        return np.append(turns, shift)[:, None]

    def _with(self, state: Float64) -> Motion:
        return _moved(self.motion, self.trunk, _within(state, self._limits()))

    def _next(self, state: Float64, moved: Motion) -> tuple[Float64, Motion]:
        """Return turns and shifts that are one step nearer to the goals, and the motion moved by them."""
        trunk, (frames, size) = self.trunk, (self.motion.frames, self.motion.skeleton.size)
        may_shift = trunk.root in self.motion.translated
        weights = np.concatenate((np.repeat(trunk.turns, 3), np.full(3, SHIFT_WEIGHT * size if may_shift else 0.0)))
        jacobian, lacking = _rows(moved, trunk, self.goals, size)
        room = 1.0 / (1.0 + np.sum(state**2, axis=2, keepdims=True) / self._limits() ** 2)
        room[:, -1, 0] *= np.broadcast_to(np.asarray(trunk.shifts, np.float64), (frames,))
        own = weights * np.repeat(room, 3, axis=2).reshape(frames, -1)
        scaled = jacobian * own[:, None]
        squares = scaled @ np.swapaxes(scaled, 1, 2) + (DAMPING * size) ** 2 * np.eye(lacking.shape[1])
        step = own * np.einsum("tgx,tg->tx", scaled, np.linalg.solve(squares, lacking[..., None])[..., 0])
        state = state + step.reshape(state.shape)
        return state, self._with(state)


def _within(state: Float64, limits: Float64) -> Float64:
    """Return turns and shifts `(T, D + 1, 3)` faded out toward their limits."""
    return np.asarray(state / np.sqrt(1.0 + np.sum(state**2, axis=2, keepdims=True) / limits**2))


def _rows(motion: Motion, trunk: Trunk, goals: Sequence[DistanceGoal], size: float) -> tuple[Float64, Float64]:
    """Return the change of each wish `(T, G, 3 D + 3)` with turns and shift, and what each lacks `(T, G)`."""
    needed = sorted({joint for goal in goals for joint in motion.skeleton.chain(goal.joint)} | set(trunk.joints))
    needed = sorted({above for joint in needed for above in motion.skeleton.chain(joint)})
    matrices, positions = (values.astype(np.float64) for values in pose_along(motion, needed))
    axes = [_axes_before(motion, matrices, needed, joint) for joint in trunk.joints]
    changes, lacking = list[Float64](), list[Float64]()
    for goal in goals:
        there = positions[:, needed.index(goal.joint)]
        for direction, share, missing in _wishes(goal, goal.points - there, size):
            above, change = motion.skeleton.chain(goal.joint), np.zeros((motion.frames, 3 * len(trunk.joints) + 3))
            for place, joint in enumerate(trunk.joints):
                if joint in above and joint != goal.joint:
                    arm = there - positions[:, needed.index(joint)]
                    # About an axis a the joint goes by a x arm; along the direction that is a . (arm x direction).
                    turned = np.einsum("tab,ta->tb", axes[place], rotations.cross(arm, direction))
                    change[:, 3 * place : 3 * place + 3] = turned
            if trunk.root in above:
                change[:, -3:] = direction
            changes.append(share[:, None] * change)
            lacking.append(missing)
    return np.stack(changes, axis=1), np.stack(lacking, axis=1)


def _wishes(goal: DistanceGoal, ways: Float64, size: float) -> Iterator[tuple[Float64, Float64, Float64]]:
    """Yield directions `(T, 3)` in which a goal's joint is to go, how much each counts, and how far, both `(T,)`.

    ways: `(T, 3)` from the joint to its points.
    """
    if goal.distance is None:
        for axis in np.eye(3):
            yield np.broadcast_to(axis, ways.shape), np.ones(len(ways)), ways @ axis
        return
    distance = np.linalg.norm(ways, axis=1)
    direction, excess = ways / np.maximum(distance, 1e-12)[:, None], distance - goal.distance
    if goal.own is None:
        yield direction, np.ones(len(ways)), excess
        return
    share = LEG_WEIGHT * 0.5 * (1.0 + excess / np.sqrt(excess**2 + (SMALL * size) ** 2))
    yield direction, share, LEG_WEIGHT * (_beyond(excess, size) - _beyond(goal.own - goal.distance, size))


def _beyond(excess: Float64, size: float) -> Float64:
    """Return by how much `(T,)` a limit is exceeded, smooth on both sides of it and nearly nothing well within."""
    return np.asarray(0.5 * (excess + np.sqrt(excess**2 + (SMALL * size) ** 2)))


def _axes_before(motion: Motion, matrices: Float64, needed: list[int], joint: int) -> Float64:
    """Return the axes `(T, 3, 3)`, columns, in which a joint's rotation is told: its parent's, at rest."""
    skeleton, parent = motion.skeleton, int(motion.skeleton.parents[joint])
    rest = rotations.to_matrix(skeleton.rest_rotations[joint])
    if parent < 0:
        return np.broadcast_to(rest, (len(matrices), 3, 3))
    return np.asarray(rotations.without_scale(matrices[:, needed.index(parent)]) @ rest)


def _moved(motion: Motion, trunk: Trunk, state: Float64) -> Motion:
    """Return the motion with its joints turned and its root shifted by `(T, D + 1, 3)`."""
    turned = motion.rotations.copy()
    for place, joint in enumerate(trunk.joints):
        turn = rotations.from_vector(state[:, place])
        turned[:, joint] = rotations.normalize(rotations.multiply(turn, motion.rotations[:, joint].astype(np.float64)))
    moved = replace(motion, rotations=turned)
    return move_root(moved, trunk.root, state[:, -1]) if trunk.root in motion.translated else moved
