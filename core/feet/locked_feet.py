# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are locked in one place over given frames, regardless of their own contacts."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float64, Int64, Mask
from ..motion.spans import spans
from .footsteps import SHORTEST_STANCE_SECONDS, Stance, step_seconds


@dataclass(frozen=True, eq=False)
class LockedFeet:
    """Feet locked over T frames.

    frames: mask `(T, feet)` of the frames in which each is locked. stands: `(T, feet)` each foot's own contacts.
    """

    frames: Mask
    stands: Mask

    def spans(self, foot: int) -> list[tuple[int, int]]:
        """Return the (first, end) frames over which a foot is locked."""
        return spans(self.frames[:, foot])


def in_one_place(level: Float64, locked: LockedFeet, foot: int) -> Float64:
    """Return the places `(T, 3)` of a foot along the ground, in each span at its own first stance in it.

    If it has no stance of its own in a span, the place is the median of its places there.
    """
    result = level.copy()
    for first, end in locked.spans(foot):
        stands = np.flatnonzero(locked.stands[first:end, foot])
        if len(stands):
            breaks = np.flatnonzero(np.diff(stands) > 1)
            stands = stands[: int(breaks[0]) + 1 if len(breaks) else len(stands)]
        rows = first + stands if len(stands) else np.arange(first, end)
        result[first:end] = np.median(level[rows], axis=0)
    return result


def edges_around(edges: Int64, locked: LockedFeet, foot: int) -> Int64:
    """Return the frames that may divide a stance: none inside a span, but its first frame and its end."""
    spans = locked.spans(foot)
    outside = [frame for frame in edges.tolist() if not any(first < frame < end for first, end in spans)]
    inside = [frame for span in spans for frame in span if 0 < frame < len(locked.frames)]
    return np.unique(np.array([*outside, *inside], np.int64))


def with_time_beside(
    planned: list[Stance], locked: LockedFeet, foot: int, level: Float64, rate: float, size: float
) -> list[Stance]:
    """Return the stances, with those next to a locked span shortened by the time of a step from or to it.

    Otherwise a step is centered between two stances, and the foot would leave the span's place too early.
    """
    stances = list(planned)
    is_locked = locked.frames[:, foot]
    for index in range(len(stances) - 1):
        before, after = stances[index], stances[index + 1]
        displacement = after.place - before.place
        if after.first > before.end:
            displacement = displacement - (level[after.first] - level[before.end - 1])
        length = float(np.linalg.norm(displacement))
        missing = int(np.ceil(step_seconds(length, size) * rate)) - (after.first - before.end)
        if missing <= 0 or (after.first == before.end and length < 1e-9):
            continue
        if is_locked[before.end - 1]:
            stances[index + 1] = replace(after, first=min(after.first + missing, after.end))
        elif is_locked[after.first]:
            stances[index] = replace(before, end=max(before.end - missing, before.first))
    least = SHORTEST_STANCE_SECONDS * rate
    return [stance for stance in stances if stance.end - stance.first >= least]
