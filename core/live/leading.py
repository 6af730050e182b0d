# SPDX-License-Identifier: GPL-3.0-or-later
"""Leading: the trajectory that a wish requests for the next second, and the correction of motion toward it."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..feet.contact_detection import SLOW
from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.rotations import SMALLEST_NORM
from .candidates import AHEAD_SECONDS
from .examples import LiveExamples, trajectory_columns
from .inertia import Spring
from .state import LiveState
from .wish import TRAJECTORY_SECONDS, Wish

PACES = (0.87, 1.07)
"""Smallest and largest pace, in multiples of the examples' own: accelerations grow with the square of the pace."""
HALF_LIVES = (0.3, 0.1)
"""Times, in seconds, in which half of a change of velocity or facing is made: when smooth, and when responsive."""
CORRECTION_SHARE = 0.25
"""Largest correction of the place and the heading in a step, as a share of the step's movement and turn; see also
CORRECTION_RADIANS."""
CORRECTION_RADIANS = 0.8
"""Additional correction of the heading, in radians for a movement of one size. Standing feet stay planted meanwhile."""


@dataclass(frozen=True, eq=False)
class Lead:
    """The next second as requested.

    trajectory: `(W,)` as that of a frame. velocity, facing: the springs one step later. pace: frames per step that give
    the requested speed. lacking: `(2,)` error of the place now, relative to the heading, in sizes. turn: error of
    the heading, in radians. stands: whether the character is to stand.
    """

    trajectory: Float64
    velocity: Spring
    facing: Spring
    pace: float
    lacking: Float64
    turn: float
    stands: bool

    def corrected(self, speed: Float64) -> tuple[Float64, float]:
        """Return the movement `(2,)` and the turn of a step, corrected toward the requested place and heading."""
        along, turn = speed[:2], float(speed[2])
        length, away = float(np.linalg.norm(along)), float(np.linalg.norm(self.lacking))
        share = min(CORRECTION_SHARE * length / max(away, SMALLEST_NORM), 1.0)
        limit = CORRECTION_SHARE * abs(turn) + CORRECTION_RADIANS * length
        return along + share * self.lacking, turn + float(np.clip(self.turn, -limit, limit))


def lead(examples: LiveExamples, state: LiveState, wish: Wish, responsiveness: float) -> Lead:
    """Return the request of a wish for the next second, and the springs one step later."""
    axes, size, rate = examples.axes, examples.skeleton.size, examples.index.frames_per_second
    slow, quick = HALF_LIVES
    half_life, ahead = slow + responsiveness * (quick - slow), np.array(AHEAD_SECONDS)
    if wish.trajectory is None:
        goal = np.zeros(2) if wish.velocity is None else axes @ np.asarray(wish.velocity, np.float64) / size
        places = state.velocity.integral(goal, half_life, ahead)
        velocity, lacking = state.velocity.toward(goal, half_life, 1.0 / rate), np.zeros(2)
        going = np.broadcast_to(goal, (len(ahead), 2))
    else:
        trajectory = np.asarray(wish.trajectory, np.float64) @ axes.T / size
        targets = _along(trajectory, ahead)
        places, going = targets - state.place, (targets - _along(trajectory, ahead - 0.1)) / 0.1
        lacking = trajectory[0] - state.place
        velocity = Spring((trajectory[1] - trajectory[0]) * (len(trajectory) - 1) / TRAJECTORY_SECONDS, np.zeros(2))
    turns, facing = _facings(examples, state, wish, going, half_life)
    # A body that turns on the spot steps; one that stands is left to correct what is hardly a turn.
    has_to_turn = wish.facing is not None and bool((np.abs(turns - state.heading) >= SLOW * ahead).any())
    seen = rotations.turn_on_ground(places, -state.heading)
    columns = trajectory_columns(seen[None], (turns - state.heading)[None])[0]
    return Lead(
        trajectory=np.asarray(columns),
        velocity=velocity,
        facing=facing,
        pace=_pace(examples, state, float(np.linalg.norm(places[0])) / AHEAD_SECONDS[0]),
        lacking=np.asarray(rotations.turn_on_ground(lacking, -state.heading)),
        turn=float(wrap_angle(facing.value - state.heading)),
        stands=not has_to_turn and bool((np.linalg.norm(going, axis=1) < SLOW).all()),
    )


def _facings(
    examples: LiveExamples, state: LiveState, wish: Wish, going: Float64, half_life: float
) -> tuple[Float64, Spring]:
    """Return the headings `(S,)` requested ahead, and their spring one step later; going: `(S, 2)` velocities."""
    spring, rate = state.facing, examples.index.frames_per_second
    if wish.facing is not None:
        directions = np.broadcast_to(examples.axes @ np.asarray(wish.facing, np.float64), going.shape)
    else:
        directions = going
    angles = np.arctan2(directions[:, 1], directions[:, 0]) - examples.forward
    still = np.linalg.norm(going, axis=1) < SLOW if wish.facing is None else np.zeros(len(going), bool)
    goals = spring.value + np.where(still, 0.0, wrap_angle(angles - spring.value))
    turns = [spring.toward(goal, half_life, ahead).value for goal, ahead in zip(goals, AHEAD_SECONDS, strict=True)]
    return np.array(turns), spring.toward(goals[0], half_life, 1.0 / rate)


def _along(trajectory: Float64, seconds: Float64) -> Float64:
    """Return the places `(S, 2)` on a trajectory at some times, in seconds."""
    times = np.linspace(0.0, TRAJECTORY_SECONDS, len(trajectory))
    return np.stack([np.interp(seconds, times, trajectory[:, axis]) for axis in (0, 1)], axis=1)


def _pace(examples: LiveExamples, state: LiveState, target: float) -> float:
    """Return the pace, in frames per step, at which the motion that is played has a target speed, within bounds."""
    usual = float(np.linalg.norm(examples.trajectories[int(state.frame), :2]))
    return 1.0 if min(usual, target) < SLOW else float(np.clip(target / usual, *PACES))
