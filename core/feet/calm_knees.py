# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: a knee that a crossfade, a pose or a move of its foot drives too fast is given more time."""

from collections.abc import Callable, Sequence
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
ROUNDS = 20
"""So many times a move is smoothed where it is too quick."""
SMOOTHING_SECONDS = 0.033
"""Each time it is smoothed by a Gaussian of this deviation, in seconds. More at once would take the swing out of a
run, whose strides last half a second."""
AROUND_SECONDS = 0.07
"""It is smoothed this long to either side of the frame at which a knee is too quick, in seconds."""
BESIDE_SECONDS = 0.4
"""Frames this near to one that is too quick are looked at again in each round, the others only once, in seconds ..."""
EDGE_SECONDS = 0.2
"""... those less near than this only for what they lend to others."""


Solve = Callable[[Leg, Float64, Float64, float, float, NDArray[np.floating]], Solution]
"""Turns of a leg for moves of its end, given its hinge, the frame rate, the size and weights: see solve_leg."""


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
    largest = [float(accelerations(leg.positions[:, leg.knee]).max(initial=0.0)) for leg in legs]
    return Knees(find_hinges(motions, feet), max(largest, default=0.0))


def solve_calmly(
    leg: Leg,
    moves: Float64,
    knees: Knees,
    foot: int,
    weights: NDArray[np.floating],
    rate: float,
    size: float,
    solve: Solve = solve_leg,
) -> Solution:
    """Return the turns of a leg for moves `(T, 3)` of its end, smoothed where its knee would be too quick.

    knees: of the examples, foot: which of them; weights: `(T,)`, 0 where the leg is held and no move may change; solve:
    what finds the turns.
    """
    hinge = knees.hinges[foot]
    solution = solve(leg, moves, hinge, rate, size, weights)
    limit = np.maximum(max(ALLOWED * knees.acceleration, 1e-12), accelerations(leg.positions[:, leg.knee]))
    frames, inner = _beside(accelerations(knee_path(leg, solution)) > limit, rate)
    if not len(frames):
        return solution
    part, calm, limit, own = leg.at(frames), moves[frames], limit[frames], weights[frames]
    moves, least = moves.copy(), np.inf
    for _ in range(ROUNDS):
        path = knee_path(part, solve(part, calm, hinge, rate, size, own))
        haste = np.where(inner, accelerations(path) / limit, 0.0)
        # A leg that is nearly straight may be no calmer for it.
        if haste.max() < least:
            moves[frames], least = calm, haste.max()
        if least <= 1.0:
            break
        share = around(haste > 1.0, rate)[:, None]
        calm = calm + share * (smooth_beside(calm, SMOOTHING_SECONDS, rate, own) - calm)
    return solve(leg, moves, hinge, rate, size, weights)


def calm_leg(
    motion: Motion, foot: Foot, leg: Leg, knees: Knees, weights: NDArray[np.floating], *, in_place: bool = False
) -> tuple[Motion, Leg]:
    """Return the motion and a leg of it, the leg's joints smoothed where its knee is too quick without any locking.

    leg: as posed in the motion; weights: `(T,)`, 0 at frames at which the leg is held; in_place: in the rotations and
    the leg's arrays themselves, where nobody else needs them.
    """
    rate, joints = motion.frames_per_second, [leg.chain[place] for place in range(leg.hip, leg.end + 1)]
    limit = ALLOWED * knees.acceleration
    frames, inner = _beside(accelerations(leg.positions[:, leg.knee]) > limit, rate)
    if not len(frames):
        return motion, leg
    part, posed, own = motion.take(frames), leg.at(frames), weights[frames]
    for _ in range(ROUNDS):
        too_quick = inner & (accelerations(posed.positions[:, leg.knee]) > limit)
        if not too_quick.any():
            break
        share = around(too_quick, rate)[:, None]
        turns: NDArray[np.floating] = rotations.make_continuous(part.rotations[:, joints])
        columns = turns.reshape(len(turns), -1).astype(np.float64)
        smoothed = smooth_beside(columns, SMOOTHING_SECONDS, rate, own)
        calm = rotations.normalize((columns + share * (smoothed - columns)).reshape(turns.shape))
        changed = np.flatnonzero((share[:, 0] > 0) & (own > 0))
        turned = part.rotations.copy()
        turned[np.ix_(changed, np.array(joints))] = calm[changed]
        part = replace(part, rotations=turned)
        posed = pose_leg(part, foot)
    joint_rotations, matrices, positions = motion.rotations, leg.matrices, leg.positions
    if not in_place:
        joint_rotations, matrices, positions = joint_rotations.copy(), matrices.copy(), positions.copy()
    joint_rotations[frames], matrices[frames], positions[frames] = part.rotations, posed.matrices, posed.positions
    return replace(motion, rotations=joint_rotations), replace(leg, matrices=matrices, positions=positions)


def _beside(too_quick: NDArray[np.bool_], rate: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the frames `(K,)` near to those that are too quick, of `(T,)`, and a mask `(K,)` without their edges.

    Stretches that lie one after another there are far apart in time: what is found at their edges is of no meaning.
    """
    far, near = (max(1, round(seconds * rate)) for seconds in (BESIDE_SECONDS, BESIDE_SECONDS - EDGE_SECONDS))
    frames = np.flatnonzero(_spread(too_quick, far))
    return frames, _spread(too_quick, near)[frames]


def _spread(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return a mask `(T,)` of the frames up to `reach` from one of another."""
    return np.asarray(np.convolve(mask, np.ones(2 * reach + 1))[reach : reach + len(mask)] > 0)


def around(too_quick: NDArray[np.bool_], rate: float) -> Float64:
    """Return the share `(T,)` to which frames are smoothed: 1 beside those that are too quick, less farther off."""
    reach = max(1, round(AROUND_SECONDS * rate))
    around = 1.0 - np.abs(np.arange(-reach, reach + 1)) / (reach + 1)
    return np.asarray(np.minimum(2 * np.convolve(too_quick, around)[reach : reach + len(too_quick)], 1.0))


def accelerations(path: Float64) -> Float64:
    """Return the accelerations `(T,)` on a path `(T, 3)`; none at its ends."""
    found = np.zeros(len(path))
    if len(path) > 2:
        found[1:-1] = rotations.lengths(np.diff(path, 2, axis=0))
    return found
