# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: a knee that a crossfade, a pose or a move of its foot drives too fast is given more time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.filters import smooth_beside
from ..motion.motion import Motion
from .contact_detection import Foot
from .two_bone_ik import Leg, Solution, find_hinges, knee_path, pose_leg, solve_leg

Float64 = NDArray[np.float64]

ALLOWED = 1.1
"""A knee may accelerate up to this share of the largest acceleration of any knee in the examples."""
ROUNDS = 3
"""So many times a move is smoothed where it is too quick, each time over a longer while."""
SMOOTHING_SECONDS = 0.05
"""The first time it is smoothed by a Gaussian of this deviation, in seconds."""
AROUND_SECONDS = 0.2
"""It is smoothed this long to either side of the frame at which a knee is too quick, in seconds."""


@dataclass(frozen=True, eq=False)
class Knees:
    """The knees of the examples.

    hinges: `(feet, 3)` the axis about which the knee of each foot bends, in its thigh's own axes.
    acceleration: the largest of any of them, units per frame squared.
    """

    hinges: Float64
    acceleration: float


def find_knees(motions: Sequence[Motion], feet: Sequence[Foot]) -> Knees:
    """Return the knees of feet, from all frames of the examples."""
    legs = [pose_leg(motion, foot) for motion in motions for foot in feet if len(foot.leg) >= 3]
    largest = [float(_accelerations(leg.positions[:, leg.knee]).max(initial=0.0)) for leg in legs]
    return Knees(find_hinges(motions, feet), max(largest, default=0.0))


def solve_calmly(
    leg: Leg,
    moves: Float64,
    knees: Knees,
    foot: int,
    weights: NDArray[np.floating],
    rate: float,
    size: float,
) -> Solution:
    """Return the turns of a leg for moves `(T, 3)` of its end, smoothed where its knee would be too quick.

    knees: of the examples, foot: which of them; weights: `(T,)`, 0 where the leg is held and nothing may move.
    """
    solution = solve_leg(leg, moves, knees.hinges[foot], rate, size, weights)
    limit = np.maximum(ALLOWED * knees.acceleration, _accelerations(leg.positions[:, leg.knee]))
    for turn in range(ROUNDS):
        too_quick = _accelerations(knee_path(leg, solution)) > limit
        if not too_quick.any():
            break
        share = _around(too_quick, rate)[:, None]
        smoothed = smooth_beside(moves, (turn + 1) * SMOOTHING_SECONDS, rate, weights)
        moves = moves + share * (smoothed - moves)
        solution = solve_leg(leg, moves, knees.hinges[foot], rate, size, weights)
    return solution


def calm_leg(motion: Motion, foot: Foot, leg: Leg, knees: Knees, weights: NDArray[np.floating]) -> tuple[Motion, Leg]:
    """Return the motion and a leg of it, the leg's joints smoothed where its knee is too quick without any locking.

    leg: as posed in the motion; weights: `(T,)`, 0 at frames at which the leg is held.
    """
    rate, joints = motion.frames_per_second, [leg.chain[place] for place in range(leg.hip, leg.end + 1)]
    for turn in range(ROUNDS):
        too_quick = _accelerations(leg.positions[:, leg.knee]) > ALLOWED * knees.acceleration
        if not too_quick.any():
            break
        share = _around(too_quick, rate)[:, None]
        turns: NDArray[np.floating] = rotations.make_continuous(motion.rotations[:, joints])
        columns = turns.reshape(len(turns), -1).astype(np.float64)
        smoothed = smooth_beside(columns, (turn + 1) * SMOOTHING_SECONDS, rate, weights)
        calm = rotations.normalize((columns + share * (smoothed - columns)).reshape(turns.shape))
        changed = np.flatnonzero((share[:, 0] > 0) & (weights > 0))
        posed = motion.rotations.copy()
        posed[np.ix_(changed, np.array(joints))] = calm[changed]
        motion = replace(motion, rotations=posed)
        leg = pose_leg(motion, foot)
    return motion, leg


def _around(too_quick: NDArray[np.bool_], rate: float) -> Float64:
    """Return the share `(T,)` to which frames are smoothed: 1 beside those that are too quick, less farther off."""
    reach = max(1, round(AROUND_SECONDS * rate))
    around = 1.0 - np.abs(np.arange(-reach, reach + 1)) / (reach + 1)
    return np.asarray(np.minimum(2 * np.convolve(too_quick, around)[reach : reach + len(too_quick)], 1.0))


def _accelerations(path: Float64) -> Float64:
    """Return the accelerations `(T,)` on a path `(T, 3)`; none at its ends."""
    found = np.zeros(len(path))
    if len(path) > 2:
        found[1:-1] = np.linalg.norm(np.diff(path, 2, axis=0), axis=1)
    return found
