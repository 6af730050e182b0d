# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of arms that bring the hands to other places, with the hands' orientations unchanged."""

import numpy as np

from ...arrays import Array, Float64
from ...environment.reach.closing import close_limb
from ...environment.reach.limbs import Limb, elbow_hinge
from ...feet.two_bone_ik import Leg, Solution, soft_distance, swivel_axis, swiveled, turn_leg
from ...motion import rotations
from ...motion.motion import Motion

NEARLY_FOLDED, FOLDED = 0.38, 0.3
"""Shortest length of a bending arm, FOLDED, as a share of its full length: an elbow bent by 145 degrees. From
NEARLY_FOLDED the arm gives way softly."""


def reach_with(motion: Motion, arm: Limb, moves: Float64, weights: Float64, swivel: Float64 | None = None) -> Motion:
    """Return the motion with the wrist of an arm moved by `(T, 3)`, or as far as the arm reaches.

    weights: `(T,)`, 0 at frames at which the arm does not change. swivel: `(T,)` angles in radians by which the elbow
    then turns about the line from the shoulder to the wrist; None is 0.
    """
    changed = np.flatnonzero(weights > 0)
    if not len(changed):
        return motion
    leg = arm.posed(motion, rigid=False)
    first, stop = int(changed[0]), int(changed[-1]) + 1
    piece, part = motion.slice(first, stop), leg.at(np.arange(first, stop))
    ends = rotations.from_matrix(rotations.without_scale(part.matrices[:, part.end]))
    turns = None if swivel is None else swivel[first:stop]
    solution = turns_to_reach(part, elbow_hinge(leg), moves[first:stop], weights[first:stop], turns)
    solved = turn_leg(piece, part, solution, ends)
    turned, arms = motion.rotations.copy(), solved.rotations[changed - first]
    # Of the two signs of each quaternion, the one nearer to the rotation before the move: neighboring signs must agree.
    against = np.einsum("tjc,tjc->tj", arms, turned[changed]) < 0
    turned[changed] = np.where(against[..., None], -arms, arms)
    return motion.with_channels({**motion.channels(), "rotations": turned})


def turns_to_reach(arm: Leg, hinge: Float64, moves: Float64, weights: Array, swivel: Float64 | None = None) -> Solution:
    """Return the turns of a posed arm for `reach_with`; hinge: of its elbow, see `elbow_hinge`."""
    solution = close_limb(arm, within_reach(arm, moves), hinge, weights)
    return solution if swivel is None else swiveled(solution, swivel_axis(arm, solution), swivel)


def within_reach(arm: Leg, moves: Float64) -> Float64:
    """Return the moves `(T, 3)` of an arm's end, reduced where the arm would become straight or fold up."""
    now = arm.positions[:, arm.end] - arm.positions[:, arm.hip]
    goal = now + moves
    before, after = np.linalg.norm(now, axis=1), np.linalg.norm(goal, axis=1)
    distance = before + _soft(after, arm.reach) - _soft(before, arm.reach)
    return np.asarray(goal * (distance / np.maximum(after, 1e-12))[:, None] - now)


def _soft(distance: Float64, reach: Float64) -> Float64:
    """Return the distance `(T,)`, softened near both of its limits so that it exceeds neither."""
    start, room = NEARLY_FOLDED * reach, (NEARLY_FOLDED - FOLDED) * reach
    short = np.maximum(start - distance, 0.0)
    folded = start - room * (1.0 - np.exp(-short / room))
    return np.where(distance < start, folded, soft_distance(distance, reach / 2, reach / 2))
