# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions: the cost of leaving the examples after one frame and continuing at another.

A transition from i to j is invisible if the frames around i look like the frames before j, as in motion
graphs (Kovar et al. 2002). The unit of costs is the example's own movement in a fifteenth of a second, so that a
transition of cost 1 is invisible in any kind of motion.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Int64, Mask, Rows
from ..features.nearest_patches import diagonal_sums, frame_distances

WINDOW_SECONDS = 1 / 6
"""Half the length of the window around a transition, in seconds."""
UNIT_SECONDS = 1 / 15
"""Time, in seconds, in which the example's own movement is the unit of costs."""
GAP_SECONDS = 1 / 3
"""Shortest jump that is a transition, in seconds from the frame that follows anyway."""
SIMILAR_COST = 0.25
"""Transition cost between similar frames, such as the same step of one walk. At 0.5 another step counted as similar,
and the example's windows were a third farther from the nearest of a result (median of 16 clips)."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The examples' ranges in the concatenated frames: `starts` and `ends` `(E,)`, ends exclusive."""

    starts: Int64
    ends: Int64

    @classmethod
    def of_lengths(cls, lengths: Int64) -> "Bounds":
        """Return the bounds of examples of these lengths, one after another."""
        ends = np.cumsum(lengths)
        return cls(ends - lengths, ends)

    @property
    def frames(self) -> int:
        """Return the number of frames of all examples."""
        return int(self.ends[-1])

    def example_of(self, frames: Int64) -> Int64:
        """Return the example that contains each concatenated frame."""
        return np.searchsorted(self.ends, frames, side="right")

    def patch_starts(self, length: int) -> Mask:
        """Return a mask `(N - p + 1,)` of the frames at which a patch of `length` p stays within its example."""
        allowed = np.zeros(max(self.frames - length + 1, 0), bool)
        for start, end in zip(self.starts, self.ends, strict=True):
            allowed[start : max(end - length + 1, start)] = True
        return allowed


@dataclass(frozen=True, eq=False)
class Transitions:
    """Transition costs between all frames of one stage, if there are few.

    costs: `(N, N)` of leaving after the row's frame and continuing at the column's; infinite if it is not a transition.
    similarity: `(N, N)`, the share of the row's frame that is seen when the column's is shown; rows sum to one.
    """

    costs: Rows
    similarity: Rows


def find_transitions(rows: Rows, bounds: Bounds, rate: float) -> Transitions:
    """Return the transition costs of stage rows `(N, C)` at `rate` frames per second."""
    costs = window_costs(rows, bounds, half_window(rate))
    costs /= movement_unit(rows, bounds, rate)
    frames = np.arange(len(rows))
    # Frame j is compared by the window of an arrival at j + 1.
    similar = np.exp(-0.5 * (costs[:, np.minimum(frames + 1, len(rows) - 1)] / SIMILAR_COST) ** 2)
    similar[frames, frames] = 1.0
    similar /= similar.sum(axis=1, keepdims=True)
    gap = gap_frames(rate, len(rows))
    example = bounds.example_of(frames)
    costs[(np.abs(frames - (frames[:, None] + 1)) < gap) & (example == example[:, None])] = np.inf
    return Transitions(costs, similar)


def window_costs(rows: Rows, bounds: Bounds, half: int) -> Rows:
    """Return the root mean squared distances `(N, N)` between the frames around leaving i and around arriving at j.

    The windows are i - half + 1 ... i + half and j - half ... j + half - 1; an example's end frames are repeated.
    """
    padded, place = padded_frames(bounds, half)
    distances = diagonal_sums(frame_distances(rows[padded], rows[padded]), 2 * half)
    return np.sqrt(distances[np.ix_(place - half + 1, place - half)] / (2 * half))


def movement_unit(rows: Rows, bounds: Bounds, rate: float) -> float:
    """Return the examples' root mean squared movement in a fifteenth of a second; never zero."""
    lag = max(1, round(UNIT_SECONDS * rate))
    total, count = 0.0, 0
    for start, end in zip(bounds.starts, bounds.ends, strict=True):
        if end - start > lag:
            steps = rows[start + lag : end] - rows[start : end - lag]
            total += float(np.sum(np.einsum("tc,tc->t", steps, steps)))
            count += len(steps)
    unit = np.sqrt(total / count) * (UNIT_SECONDS * rate / lag) if count else 0.0
    return max(unit, 1e-6)


def rows_around(rows: Rows, bounds: Bounds, reach: int) -> Rows:
    """Return rows `(N, C)` joined with those up to `reach` frames before and after them, `(N, (2 reach + 1) C)`.

    An example's end frames are repeated.
    """
    frames = np.arange(len(rows))
    example = bounds.example_of(frames)
    first, last = bounds.starts[example], bounds.ends[example] - 1
    return np.concatenate([rows[np.clip(frames + by, first, last)] for by in range(-reach, reach + 1)], axis=1)


def half_window(rate: float) -> int:
    """Return half the length, in frames, of a window around a transition at `rate` frames per second."""
    return max(1, round(WINDOW_SECONDS * rate))


def gap_frames(rate: float, frames: int) -> int:
    """Return the shortest jump, in frames from the one that follows anyway, that is a transition; frames: of all."""
    return min(max(1, round(GAP_SECONDS * rate)), max(1, frames // 4))


def padded_frames(bounds: Bounds, half: int) -> tuple[Int64, Int64]:
    """Return frame indices with `half` repeats at both ends of each example, and each frame's place among them."""
    pieces, places, offset = [], [], 0
    for start, end in zip(bounds.starts, bounds.ends, strict=True):
        pieces.append(np.clip(np.arange(start - half, end + half), start, end - 1))
        places.append(np.arange(end - start) + offset + half)
        offset += len(pieces[-1])
    return np.concatenate(pieces), np.concatenate(places)
