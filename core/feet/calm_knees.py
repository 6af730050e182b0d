# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: smoothing of knees that a crossfade, a pose or a move of the foot accelerates too much."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64
from ..motion import rotations
from ..motion.filters import smooth_beside
from ..motion.motion import Motion
from .calm_paths import (
    ALLOWED,
    FRAME_SECONDS,
    ROUNDS,
    LeastAccelerations,
    accelerations,
    around,
    beside,
    calm_path,
    quick_frames,
)
from .contact_detection import Foot
from .two_bone_ik import CALM_BEND, Leg, Solution, hinges_of, knee_path, pose_leg, solve_leg, write_turns

Solve = Callable[[Leg, Float64, Float64, float, float, Array], Solution]
"""Function that returns the turns of a leg for moves of its end, given hinge, frame rate, size and weights: see
solve_leg."""
MOST_RATE = 1.6
"""Highest rate of the examples: on stairs, and between two events of feet that are made to coincide with others. Knees
of eight walks accelerate 1.0 times as much in the median at 1.4 to 1.6 times the rate, on treads of 45 cm, and 1.4 to
1.9 times as much at twice the rate."""


@dataclass(frozen=True, eq=False)
class Knees:
    """The knees of the examples, and the feet below them.

    hinges: `(feet, 3)` the axis about which the knee above each foot bends, in its thigh's own axes.
    acceleration, foot_acceleration: `(feet,)` the largest of each knee and foot, in units per frame squared.
    """

    hinges: Float64
    acceleration: Float64
    foot_acceleration: Float64

    @property
    def quickest(self) -> float:
        """The largest acceleration of any knee, in units per frame squared."""
        return float(self.acceleration.max(initial=0.0))


def find_knees(motions: Sequence[Motion], feet: Sequence[Foot]) -> Knees:
    """Return the knees of feet, from all frames of the examples."""
    knees, ends = np.zeros((2, len(feet)))
    bends: list[list[Float64]] = [[] for _ in feet]
    for motion in motions:
        for index, foot in enumerate(feet):
            if foot.movable:
                leg = pose_leg(motion, foot)
                knees[index] = accelerations(leg.positions[:, leg.knee]).max(initial=knees[index])
                ends[index] = accelerations(leg.positions[:, -1]).max(initial=ends[index])
                bends[index].append(leg.bends())
    return Knees(hinges_of(bends), knees, ends)


def solve_calmly(
    leg: Leg,
    moves: Float64,
    knees: Knees,
    foot: int,
    weights: Array,
    rate: float,
    size: float,
    solve: Solve = solve_leg,
    loose: Array | None = None,
) -> Solution:
    """Return the turns of a leg for moves `(T, 3)` of its end, smoothed where its knee would accelerate too much.

    knees: of the examples. foot: the number of the foot. weights: `(T,)`, 0 at frames at which the leg is fixed and
    moves must not change. solve: the function that finds the turns. loose: `(T,)`, 0 at frames at which moves are not
    smoothed; None: the weights.
    """
    hinge = knees.hinges[foot]
    solution = solve(leg, moves, hinge, rate, size, weights)
    limit = np.maximum(max(ALLOWED * knees.acceleration[foot], 1e-12), accelerations(leg.positions[:, leg.knee]))
    frames, inner = beside(accelerations(knee_path(leg, solution)) > limit, rate)
    if not len(frames):
        return solution
    part, calm, limit, near = leg.at(frames), moves[frames], limit[frames], weights[frames]
    smoothed = near if loose is None else loose[frames]
    moves, least = moves.copy(), np.inf
    for _ in range(ROUNDS):
        path = knee_path(part, solve(part, calm, hinge, rate, size, near))
        ratios = np.where(inner, accelerations(path) / limit, 0.0)
        # Smoothing may not calm a leg that is nearly straight.
        if ratios.max() < least:
            moves[frames], least = calm, ratios.max()
        if least <= 1.0:
            break
        share = around(ratios > 1.0, rate)[:, None]
        calm = calm + share * (smooth_beside(calm, FRAME_SECONDS, rate, smoothed) - calm)
    return solve(leg, moves, hinge, rate, size, weights)


def calm_solved(motion: Motion, foot: Foot, path: Float64, knees: Knees, index: int, weights: Array) -> None:
    """Smooth in place the path of a knee that accelerates too much after its leg's turns.

    The foot stays nearly in place; it moves only by the change of the leg's length as the knee moves forward or back. A
    knee that would pass the line from the hip to the foot, and bend the other way, moves about that line instead.
    path: `(T, 3)` positions of the knee. index: the number of the foot. weights: `(T,)`, 0 at frames at which the leg
    is fixed.
    """
    quick = quick_frames(path, ALLOWED * float(knees.acceleration[index]), weights, motion.frames_per_second)
    if quick is None:
        return
    part = motion.take(quick.frames)
    leg = pose_leg(part, foot)
    hip, knee, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    thigh = rotations.lengths(knee - hip)[:, None]

    def around_hip(place: Float64) -> Float64:
        return np.asarray(hip + (place - hip) * (thigh / np.maximum(rotations.lengths(place - hip)[:, None], 1e-12)))

    calm = calm_path(knee, quick, around_hip)
    axis = np.einsum("tab,b->ta", leg.directions(), knees.hinges[index])
    before, after = (np.einsum("ta,ta->t", axis, rotations.cross(place - hip, end - place)) for place in (knee, calm))
    across = around(after < np.minimum(before, 0.0), motion.frames_per_second) > 0
    calm = np.where(across[:, None], _near_foot(hip, knee, end, calm), calm)
    # A knee held straight between others that bend back may jump.
    least = LeastAccelerations(quick.frames)
    least.lowered(quick.acceleration_ratios(knee))
    calm = np.where(least.lowered(quick.acceleration_ratios(calm))[:, None], calm, knee)
    moved = np.flatnonzero((calm != knee).any(axis=1))
    aim = rotations.shortest_turn((knee - hip)[moved], (calm - hip)[moved])
    shin = rotations.shortest_turn((end - knee)[moved], (end - calm)[moved])
    solution = Solution(moved, rotations.multiply(rotations.inverse(aim), shin), aim)
    # Only the leg's joints are written: another thread may write to others at the same time.
    write_turns(part, leg, solution)
    joints = [*(leg.chain[place] for place in (leg.hip, leg.knee, leg.end)), *itertools.chain(*leg.copies)]
    motion.rotations[quick.frames[:, None], joints] = part.rotations[:, joints]


def _near_foot(hip: Float64, knee: Float64, end: Float64, calm: Float64) -> Float64:
    """Return calm places `(T, 3)` of a knee on its own side, the nearer to their former distance from the foot the more
    it bends, see CALM_BEND.
    """
    thigh, shin, line = (rotations.lengths(bone)[:, None] for bone in (knee - hip, end - knee, end - hip))
    line = np.maximum(line, 1e-12)
    along = (end - hip) / line
    bend = np.arccos(np.clip((line**2 - thigh**2 - shin**2) / np.maximum(2 * thigh * shin, 1e-12), -1.0, 1.0))
    foot = shin + (rotations.lengths(end - calm)[:, None] - shin) / (1.0 + (bend / CALM_BEND) ** 2)
    far = np.clip((thigh**2 + line**2 - foot**2) / (2 * line), -thigh, thigh)
    own, side = (_unit(bone - np.sum(bone * along, axis=1, keepdims=True) * along) for bone in (knee - hip, calm - hip))
    side = _unit(side - np.minimum(np.sum(side * own, axis=1, keepdims=True), 0.0) * own + 1e-6 * own)
    return np.asarray(hip + far * along + np.sqrt(thigh**2 - far**2) * side)


def _unit(vectors: Float64) -> Float64:
    return np.asarray(vectors / np.maximum(rotations.lengths(vectors)[:, None], 1e-12))
