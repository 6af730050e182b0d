# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops and starts too hard for the feet that stand, and their repair: the body brakes or starts over a longer time.

Over a time T, the ground pushes on average at p = (e^(w T) a - b) / (e^(w T) - 1), where a and b are the extrapolated
centers of mass at both ends, and w is the frequency of the pendulum (Hof, Gazendam, Sinke, "The condition for dynamic
stability", 2005). No foot pushes from outside of the support.
"""

from dataclasses import replace

import numpy as np

from ...arrays import Float64
from ...evaluation.body.center import center_of_mass, extrapolated_center, velocity_of
from ...evaluation.body.flights import frames_in_air
from ...evaluation.body.support import Support, find_support
from ...feet.calm_paths import accelerations
from ...feet.contact_detection import label_contacts
from ...feet.fixed_stances import LEAST_DRIFT
from ...feet.foot_moves import EASE_SECONDS
from ...motion.filters import smooth_line
from ...motion.motion import Motion, joint_path
from ...motion.spans import joined_spans
from .balancing import LEANING, SHORTEST_SECONDS
from .bodies import ROUNDS, BodyOnGround, carried_along, eased_ends, with_feet_kept


def impossible_braking(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each stop or start too hard may change, all joints, and how
    far outside of the support the ground would have to push, in sizes.

    None is found in bodies on more than two feet, whose masses are not known well enough.
    """
    if len(body.standing.feet) != 2:
        return []
    center, rate = center_of_mass(motion, body.model), motion.frames_per_second
    pushed = _pushed_outside(motion, body, center, _find_support(motion, body))
    window, beside, hard = _window(rate), round(3 * EASE_SECONDS * rate), []
    for first, end in joined_spans(pushed > LEANING, window, 1):
        joints = tuple(range(len(motion.skeleton.names)))
        last = min(end - 1 + window + beside, motion.frames - 1)
        hard.append((max(first - beside, 0), last, joints, float(pushed[first:end].max())))
    return hard


def with_longer_braking(motion: Motion, body: BodyOnGround, span: tuple[int, int], strength: float) -> Motion:
    """Return the motion whose body brakes or starts over a longer time where that is hardest in a span; feet stay.

    span: first and last frame. The body is moved less where legs are too short for feet to stay. The motion itself is
    returned if the ground would still push from as far outside.
    """
    first, last = span
    part = motion.slice(first, last + 1)
    before = _pushed_outside(part, body, center_of_mass(part, body.model), _find_support(part, body)).max()
    ends = eased_ends(
        part.frames, (first > 0, last + 1 < motion.frames), round(3 * EASE_SECONDS * part.frames_per_second)
    )
    moves = strength * _longer(part, body, ends) if before > 0.0 else np.zeros((part.frames, 3))
    contacts = label_contacts(part, body.standing.feet, body.standing.ground)
    for _ in range(2 * ROUNDS):
        made = _moved(part, body, moves)
        slides = [
            np.linalg.norm(joint_path(made, foot.joint) - joint_path(part, foot.joint), axis=1)[stands].max(initial=0.0)
            for foot, stands in zip(body.standing.feet, contacts.T, strict=True)
        ]
        if max(slides) < LEAST_DRIFT * motion.skeleton.size:
            after = _pushed_outside(made, body, center_of_mass(made, body.model), _find_support(made, body)).max()
            # A body that brakes over a longer time accelerates less.
            calmer = _hardest(made, body) <= _hardest(part, body)
            return motion.with_frames(np.arange(first, last + 1), made) if after < before and calmer else motion
        moves = moves / 2
    return motion


def _hardest(motion: Motion, body: BodyOnGround) -> float:
    """Return the highest acceleration of the root, in units per frame squared."""
    return float(accelerations(joint_path(motion, body.standing.plan.joint)).max(initial=0.0))


def _longer(part: Motion, body: BodyOnGround, ends: Float64) -> Float64:
    """Return moves `(T, 3)` of the center of mass that smooth its path along its change of speed where that is hardest.

    They are the smallest at which the ground pushes within the support, or pushes from the least far outside. ends:
    `(T,)` weights of moves.
    """
    center, support, rate = center_of_mass(part, body.model), _find_support(part, body), part.frames_per_second
    pushed, up = _pushed_outside(part, body, center, support), np.array(part.skeleton.up)
    hardest, best, least = int(pushed.argmax()), np.zeros_like(center), float(pushed.max())
    velocity = velocity_of(center, rate)
    change = velocity[hardest + _window(rate)] - velocity[hardest]
    change -= (change @ up) * up
    direction = change / np.linalg.norm(change)
    # Smoothed over the time of the pendulum, the ground would push about where the center of mass was before.
    longest = rate * float(np.sqrt(max(center[hardest] @ up - support.level, 0.0) / body.gravity))
    along = center @ direction
    for width in range(1, max(round(longest), 1) + 1):
        moves = (ends * (smooth_line(along, width) - along))[:, None] * direction
        farthest = float(_pushed_outside(part, body, center + moves, support).max())
        if farthest < least:
            best, least = moves, farthest
        if least == 0.0:
            break
    return best


def _moved(part: Motion, body: BodyOnGround, moves: Float64) -> Motion:
    """Return a part of a motion with its center of mass moved by `(T, 3)` along the ground, and its feet in place."""
    goal, up = center_of_mass(part, body.model) + moves, np.array(part.skeleton.up)
    still, made = np.zeros((part.frames, len(body.standing.feet), 3)), part
    for _ in range(ROUNDS):
        made = carried_along(part, body.standing, moves, np.zeros_like(moves))
        made = with_feet_kept(part, made, body.standing, still)
        missing = goal - center_of_mass(made, body.model)
        moves = moves + missing - (missing @ up)[:, None] * up
    return made


def _window(rate: float) -> int:
    """Return the number of frames over which a push is measured."""
    return max(round(SHORTEST_SECONDS * rate), 1)


def _find_support(motion: Motion, body: BodyOnGround) -> Support:
    """Return the support of a body at frames at which it is not in the air."""
    support = find_support(motion, body.standing)
    return replace(support, carries=support.carries & ~frames_in_air(motion, body.standing)[:, None])


def _pushed_outside(motion: Motion, body: BodyOnGround, center: Float64, support: Support) -> Float64:
    """Return how far ahead of the support `(T,)`, in sizes, the ground pushes on a body that brakes from each frame on,
    or behind it on a body that starts; 0 for any other, and where it does not stand all the time.

    center: `(T, 3)` of mass.
    """
    rate, up, window = motion.frames_per_second, np.array(motion.skeleton.up), _window(motion.frames_per_second)
    outside = np.zeros(motion.frames)
    if motion.frames < window + 3:
        return outside
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
    stands = np.lib.stride_tricks.sliding_window_view(support.exists, window + 1).all(axis=1)
    outward, before, after = outward[:-window], slice(-window), slice(window, None)
    brakes = (speed[after] < speed[before]) & (np.einsum("ta,ta->t", outward, level[before]) > 0.0)
    starts = (speed[after] > speed[before]) & (np.einsum("ta,ta->t", outward, level[after]) < 0.0)
    hard = stands & (brakes | starts)
    # Velocities at the ends are known from one side only.
    hard[[0, -1]] = False
    outside[:-window] = np.where(hard, np.maximum(np.nan_to_num(distance[:-window]), 0.0), 0.0) / motion.skeleton.size
    return outside
