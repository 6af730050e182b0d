# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops too hard for the feet that stand, and their repair: the body slows down over a longer time.

Over a time T, the ground pushes on average at p = (e^(w T) a - b) / (e^(w T) - 1), where a and b are the extrapolated
centers of mass at both ends, and w is the frequency of the pendulum (Hof, Gazendam, Sinke, "The condition for dynamic
stability", 2005). No foot pushes from outside of the support.
"""

import numpy as np
from numpy.typing import NDArray

from ...evaluation.body.center import center_of_mass, extrapolated_center, velocity_of
from ...evaluation.body.flights import frames_in_air
from ...evaluation.body.support import Support, find_support
from ...feet.foot_moves import EASE_SECONDS
from ...motion.filters import smooth_line
from ...motion.motion import Motion
from ...motion.spans import Mask, joined_spans
from .balancing import LEANING, SHORTEST_SECONDS
from .bodies import ROUNDS, BodyOnGround, carried_along, eased_ends, put_into, with_feet_at

Float64 = NDArray[np.float64]


def impossible_stops(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each impossible stop may change, all joints, and how far
    ahead of the support the ground would have to push, in sizes.
    """
    if not body.standing.feet:
        return []
    center, rate = center_of_mass(motion, body.model), motion.frames_per_second
    ahead = _pushed_ahead(motion, body, center, find_support(motion, body.standing), _grounded(motion, body))
    window, beside, stops = _window(rate), round(3 * EASE_SECONDS * rate), []
    for first, end in joined_spans(ahead > LEANING, window, 1):
        joints = tuple(range(len(motion.skeleton.names)))
        last = min(end - 1 + window + beside, motion.frames - 1)
        stops.append((max(first - beside, 0), last, joints, float(ahead[first:end].max())))
    return stops


def with_longer_stop(motion: Motion, body: BodyOnGround, span: tuple[int, int], strength: float) -> Motion:
    """Return the motion whose body slows down over a longer time around the hardest stop in a span, while feet stay.

    span: first and last frame. The path of the center of mass is smoothed along its direction, by no more than it takes
    for the ground to push within the support. The motion itself is returned if the stop would not be less hard.
    """
    if body.standing.plan.joint not in motion.translated:
        return motion
    first, last = span
    part = motion.slice(first, last + 1)
    center, support, grounded = center_of_mass(part, body.model), find_support(part, body.standing), _grounded(part, body)
    ahead = _pushed_ahead(part, body, center, support, grounded)
    hardest, rate = int(ahead.argmax()), part.frames_per_second
    if not ahead[hardest] > 0.0:
        return motion
    up = np.array(part.skeleton.up)
    level = velocity_of(center, rate)[hardest]
    level = level - (level @ up) * up
    direction = level / np.linalg.norm(level)
    ends = eased_ends(part.frames, (first > 0, last + 1 < motion.frames), round(3 * EASE_SECONDS * rate))
    along, best, least = center @ direction, np.zeros(part.frames), float(ahead[hardest])
    # Smoothed over the time of the pendulum, the ground would push about where the center of mass was before.
    longest = float(np.sqrt((center[hardest] @ up - support.level) / body.gravity)) * rate
    for width in range(1, max(round(longest), 1) + 1):
        shift = ends * (smooth_line(along, width) - along)
        farthest = _pushed_ahead(part, body, center + shift[:, None] * direction, support, grounded).max()
        if farthest < least:
            best, least = shift, float(farthest)
        if least <= 0.0:
            break
    moves, still = best, np.zeros((part.frames, len(body.standing.feet), 3))

    def moved(shifts: Float64) -> Motion:
        made = carried_along(part, body.standing, shifts[:, None] * direction, np.zeros((part.frames, 3)))
        return with_feet_at(part, made, body.standing, still)

    for _ in range(ROUNDS):
        moves = moves + best - (center_of_mass(moved(moves), body.model) - center) @ direction
    made = moved(strength * moves)
    after = _pushed_ahead(
        made, body, center_of_mass(made, body.model), find_support(made, body.standing), _grounded(made, body)
    )
    return put_into(motion, made, first) if after.max() < ahead[hardest] else motion


def _window(rate: float) -> int:
    """Return the number of frames over which a push is measured."""
    return max(round(SHORTEST_SECONDS * rate), 1)


def _grounded(motion: Motion, body: BodyOnGround) -> Mask:
    return ~frames_in_air(motion, body.standing)


def _pushed_ahead(motion: Motion, body: BodyOnGround, center: Float64, support: Support, grounded: Mask) -> Float64:
    """Return how far ahead of the support `(T,)`, in sizes, the ground pushes on a body that slows down from each frame
    on; 0 where it does not slow down, or does not stand all the time. center: `(T, 3)` of mass.
    """
    rate, up, window = motion.frames_per_second, np.array(motion.skeleton.up), _window(motion.frames_per_second)
    ahead = np.zeros(motion.frames)
    if motion.frames < window + 3:
        return ahead
    heights = np.maximum(center @ up - support.level, 1e-6 * motion.skeleton.size)
    frequency = np.lib.stride_tricks.sliding_window_view(np.sqrt(body.gravity / heights), window + 1).mean(axis=1)
    growth = np.exp(frequency * window / rate)[:, None]
    heading = extrapolated_center(center, support.level, motion.skeleton.up, body.gravity, rate)
    pushed = np.zeros_like(center)
    pushed[:-window] = (growth * heading[:-window] - heading[window:]) / (growth - 1.0)
    distance, outward = support.outside(pushed, window + 1)
    level = velocity_of(center, rate)
    level -= (level @ up)[:, None] * up
    speed = np.linalg.norm(level, axis=1)
    stands = np.lib.stride_tricks.sliding_window_view(support.exists & grounded, window + 1).all(axis=1)
    brakes = stands & (speed[window:] < speed[:-window]) & (np.einsum("ta,ta->t", outward, level)[:-window] > 0.0)
    # Velocities at the ends are known from one side only.
    brakes[[0, -1]] = False
    ahead[:-window] = np.where(brakes, np.maximum(np.nan_to_num(distance[:-window]), 0.0), 0.0) / motion.skeleton.size
    return ahead
