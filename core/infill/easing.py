# SPDX-License-Identifier: GPL-3.0-or-later
"""Easing of differences at the ends of a window: it meets the poses and speeds around a gap, and keeps its inside.

Differences decay smoothly from the ends on (motion warping: Witkin, Popovic 1995); trajectories are bent as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..motion.filters import smoothstep
from ..motion.motion import Motion

SPEED_SECONDS = 0.2
"""Time, in seconds, in which a difference of speeds decays, unless another is given."""
SOFTER_SECONDS = (SPEED_SECONDS, 0.35, 0.7)
"""Times, in seconds, in which a difference of speeds decays; a longer one is tried if the seam is not soft."""
TRAJECTORY_SPEED = 0.5
"""Share of a difference in the root's speed that bends its trajectory over the whole gap; the rest decays like others.
"""


@dataclass(frozen=True, eq=False)
class Side:
    """Differences at one end: of the `pose`, and of the `speed` per frame, forward in time; both `(...)`."""

    pose: Float64
    speed: Float64


@dataclass(frozen=True)
class Ease:
    """Numbers of frames in which differences decay: of poses, at most over the whole gap, and of speeds."""

    pose: float
    speed: float


def ease_of(rate: float, speed_seconds: float = SPEED_SECONDS) -> Ease:
    """Return the ease of poses over the whole gap, at a rate in frames per second.

    speed_seconds: time in which a difference of speeds decays.
    """
    return Ease(np.inf, speed_seconds * rate)


def eased_softly(
    laid: Callable[[float], Motion], quickest: Callable[[Motion], float], limit: float
) -> tuple[Motion, float]:
    """Return the motion that differences of speed ease in the shortest time that is calm enough, else in the calmest.

    laid: function that returns the motion for a time in seconds, see SOFTER_SECONDS. quickest: function that returns
    the largest acceleration of a motion; that of the result is returned as well. limit: the largest that is calm
    enough.
    """
    tried: list[tuple[Motion, float]] = []
    for seconds in SOFTER_SECONDS:
        motion = laid(seconds)
        tried.append((motion, quickest(motion)))
        if tried[-1][1] <= limit:
            break
    return min(tried, key=lambda motion_and_largest: motion_and_largest[1])


def decay(sides: tuple[Side, Side], last: int, ease: Ease) -> Float64:
    """Return the moves `(last + 1, ...)` that equal the differences at both ends and decay between."""
    frames = np.arange(last + 1.0).reshape(-1, *([1] * sides[0].pose.ndim))
    long, short = (max(min(last, frames_of_ease), 1.0) for frames_of_ease in (ease.pose, ease.speed))

    def moves_of(side: Side, away: Float64, sign: float) -> Float64:
        share, brief = np.clip(away / long, 0, 1), np.clip(away / short, 0, 1)
        return side.pose * (1 - smoothstep(share)) + sign * side.speed * short * brief * (1 - brief) ** 2

    return np.asarray(moves_of(sides[0], frames, 1.0) + moves_of(sides[1], last - frames, -1.0))


def bend(sides: tuple[Side, Side], last: int, ease: Ease) -> Float64:
    """Return the moves `(last + 1, C)` of a trajectory, zero at first, the difference at the end; speeds meet there."""
    start, end = sides
    share = (np.arange(last + 1.0) / last)[:, None]
    slow, remaining = (TRAJECTORY_SPEED * last, 1 - TRAJECTORY_SPEED)
    moves = smoothstep(share) * end.pose
    moves += share * (1 - share) ** 2 * slow * start.speed - share * share * (1 - share) * slow * end.speed
    zero = np.zeros_like(start.pose)
    brief = (Side(zero, remaining * start.speed), Side(zero, remaining * end.speed))
    return np.asarray(moves + decay(brief, last, ease))
