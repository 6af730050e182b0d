# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: where a move of a foot would drive its knee faster than the examples do, the move takes more time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import smooth
from ..motion.motion import Motion
from .contact_detection import Foot
from .two_bone_ik import Leg, Solution, find_hinges, knee_path, pose_leg, solve_leg

Float64 = NDArray[np.float64]

ALLOWED = 1.1
"""A knee may accelerate up to this share of the largest acceleration of any knee in the examples."""
ROUNDS = 3
"""So many times a move is smoothed where it is too quick, each time over a longer while; once where poses are held."""
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
    rounds: int,
    rate: float,
    size: float,
) -> Solution:
    """Return the turns of a leg for moves `(T, 3)` of its end, smoothed where its knee would be too quick.

    knees: of the examples, foot: which of them; weights: `(T,)`, 0 where the leg is held and nothing may move; rounds:
    so many times at most a move is smoothed.
    """
    solution = solve_leg(leg, moves, knees.hinges[foot], rate, size, weights == 0)
    limit = np.maximum(ALLOWED * knees.acceleration, _accelerations(leg.positions[:, leg.knee]))
    reach = max(1, round(AROUND_SECONDS * rate))
    around = 1.0 - np.abs(np.arange(-reach, reach + 1)) / (reach + 1)
    for turn in range(rounds):
        too_quick = _accelerations(knee_path(leg, solution)) > limit
        if not too_quick.any():
            break
        share = np.minimum(2 * np.convolve(too_quick, around)[reach : reach + len(moves)], 1.0)[:, None]
        smoothed = smooth(moves, (turn + 1) * SMOOTHING_SECONDS, rate)
        moves = np.where(weights[:, None] > 0, moves + share * (smoothed - moves), 0.0)
        solution = solve_leg(leg, moves, knees.hinges[foot], rate, size, weights == 0)
    return solution


def _accelerations(path: Float64) -> Float64:
    """Return the accelerations `(T,)` on a path `(T, 3)`; none at its ends."""
    found = np.zeros(len(path))
    if len(path) > 2:
        found[1:-1] = np.linalg.norm(np.diff(path, 2, axis=0), axis=1)
    return found
