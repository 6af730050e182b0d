# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of feet: onto their stances while they stand, and between them without a kink."""

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import smooth, smoothstep
from .footsteps import Stance, Step, take_steps

Float64 = NDArray[np.float64]

LIFT = 0.3
"""A step rises by this share of its length ..."""
HIGHEST_LIFT = 0.06
"""... up to this share of the skeleton's size."""
LOW = 0.05
"""A foot in the air, less than this share of the skeleton's size above its lowest place, is kept from sinking."""
EASE_SECONDS = 0.25
"""Time in which a foot reaches its place, and leaves it, in seconds."""
GUARD_SECONDS = 0.05
"""Time over which a rise that keeps a foot from sinking comes and goes, in seconds."""


def target_moves(
    places: Float64,
    own: Float64,
    found: list[Stance],
    turns: dict[int, int],
    heights: NDArray[np.floating],
    up: Float64,
    rate: float,
    size: float,
) -> Float64:
    """Return by how much `(T, 3)` a foot shall move: onto its stances and to its height there, eased in and out.

    places: `(T, 3)` where it is; own: `(T, 3)` where it goes by itself while it stands, as in the examples; found: its
    stances, their places without what it goes by itself; turns: see take_steps; heights: `(T,)` how high it is to be
    while it stands.
    """
    now = places @ up
    level = places - now[:, None] * up - own
    moves, stands = np.zeros_like(level), np.zeros(len(level), bool)
    kept, steps = take_steps(found, turns, level, rate, size)
    for stance in kept:
        inside = slice(stance.first, stance.end)
        moves[inside] = stance.place - level[inside] + (heights[inside] - now[inside])[:, None] * up
        stands[inside] = True
    for index, stance in enumerate(kept):
        before = kept[index - 1].end if index else 0
        after = kept[index + 1].first if index + 1 < len(kept) else len(moves)
        _ease(moves, stance.first, -1, stance.first - before, stance.end, rate)
        _ease(moves, stance.end - 1, 1, after - stance.end, stance.end - stance.first, rate)
    lift = _guard(now + moves @ up, heights, stands, rate, size)
    for step in steps:
        _raise(lift, now + moves @ up - heights, step, stands, size)
    return np.asarray(moves + lift[:, None] * up)


def _ease(moves: Float64, edge: int, direction: int, room: int, inside: int, rate: float) -> None:
    """Add to the frames beyond the edge of a stance a move that leaves it as fast as the stance's moves change there.

    direction: -1 before, 1 after the stance; room: frames to the next stance; inside: frames of the stance.
    """
    length = min(round(EASE_SECONDS * rate), room)
    if length < 1:
        return
    share = np.arange(1, length + 1)[:, None] / (length + 1)
    slope = moves[edge] - moves[edge - direction] if inside > 1 else np.zeros(3)
    # The cubic with this value and slope at the edge, level at zero at its other end.
    eased = moves[edge] * (1.0 - smoothstep(share)) + slope * (length + 1) * share * (1.0 - share) ** 2
    frames = edge + direction * np.arange(1, length + 1)
    within = (frames >= 0) & (frames < len(moves))
    moves[frames[within]] += eased[within]


def _guard(now: Float64, heights: NDArray[np.floating], stands: NDArray[np.bool_], rate: float, size: float) -> Float64:
    """Return by how much `(T,)` a foot in the air must rise so as not to pass lower than the examples' feet do."""
    low = 1.0 - smoothstep(np.clip((now - heights.min()) / (LOW * size), 0.0, 1.0))
    missed = np.where(stands, 0.0, np.maximum(heights - now, 0.0) * low)
    if not missed.any():
        return np.zeros(len(now))
    raised = smooth(np.stack((missed, missed, missed), axis=1), GUARD_SECONDS, rate)[:, 0]
    return np.where(stands, 0.0, raised)


def _raise(lift: Float64, clear: Float64, step: Step, stands: NDArray[np.bool_], size: float) -> None:
    """Lift a foot for a step, less by how far it is in the air by itself."""
    frames = np.arange(max(step.first, 0), min(step.end, len(lift)))
    frames = frames[~stands[frames]]
    if len(frames):
        share = (np.arange(len(frames)) + 0.5) / len(frames)
        needed = min(LIFT * step.length, HIGHEST_LIFT * size) - max(float(clear[frames].max()), 0.0)
        lift[frames] += np.sin(np.pi * share) ** 2 * max(needed, 0.0)
