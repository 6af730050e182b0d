# SPDX-License-Identifier: GPL-3.0-or-later
"""Time maps that bring accents of a motion onto beats, within a range of rates."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...examples.transition_costs import Bounds
from ...planning.segments import Segments

Float64 = NDArray[np.float64]

SLOWEST, FASTEST = 0.85, 1.18
"""Rates, in example frames per frame, that are not noticed as slow or fast motion."""
SKIPPED = 4
"""Largest number of beats in a row that a time map may pass without an accent and still bring the next one onto its
beat. More leave time enough to begin again from any accent."""

ROUNDING = 1e-6
"""Rounding error of places in the examples, in frames, since they are sums of rates."""


@dataclass(frozen=True)
class TimeMap:
    """A piecewise linear map from result frames `frames` `(K,)` to planned frames `planned` `(K,)`, both ascending."""

    frames: Float64
    planned: Float64

    def at(self, frames: Float64) -> Float64:
        """Return the planned frames of result frames.

        >>> TimeMap(np.array([0.0, 10.0]), np.array([0.0, 11.0])).at(np.array([5.0])).tolist()
        [5.5]
        """
        return np.asarray(np.interp(frames, self.frames, self.planned))


def map_onto_beats(beats: Float64, accents: Float64, fixed: Float64, frames: int, planned: int) -> TimeMap:
    """Return the time map that brings the most accents onto beats, and of these the most even one.

    beats: `(B,)` ascending, in result frames. accents: `(A,)` ascending, in planned frames. fixed: `(K,)` result frames
    that keep their place, if there are as many planned frames as result frames. Rates are from SLOWEST to FASTEST.
    """
    pace = (planned - 1) / max(frames - 1, 1)
    anchors = np.unique(np.concatenate(([0.0], fixed, [frames - 1.0])))
    knots = [(0.0, 0.0)]
    for first, last in pairwise(anchors.tolist()):
        inside = beats[(beats > first) & (beats < last)]
        knots += _between((first, first * pace), (last, last * pace), inside, accents, pace)
    return TimeMap(*np.array(knots).T)


def _between(
    first: tuple[float, float], last: tuple[float, float], beats: Float64, accents: Float64, pace: float
) -> list[tuple[float, float]]:
    """Return the knots after `first` up to `last`, both pairs of a result frame and a planned frame.

    Dynamic programming over pairs of a beat and an accent near it; each pair counts one, less its unevenness.
    """
    # Each pair: frame, planned frame, score, and the pair before it.
    pairs: list[tuple[float, float, float, int]] = [(*first, 0.0, -1)]
    of_beat: list[range] = [range(1)]
    for beat in beats.tolist():
        begin = len(pairs)
        reach = slice(
            np.searchsorted(accents, first[1] + (beat - first[0]) * SLOWEST),
            np.searchsorted(accents, first[1] + (beat - first[0]) * FASTEST, side="right"),
        )
        before = [index for group in of_beat[-SKIPPED - 1 :] for index in group]
        for accent in accents[reach].tolist():
            best = _best_before(pairs, before, beat, accent, pace)
            if best is not None:
                pairs.append((beat, accent, *best))
        if len(pairs) > begin:
            of_beat.append(range(begin, len(pairs)))
    best = _best_before(pairs, [*range(len(pairs))], *last, pace)
    knots, index = [last], 0 if best is None else best[1]
    while index > 0:
        knots.append(pairs[index][:2])
        index = pairs[index][3]
    return knots[::-1]


def _best_before(
    pairs: list[tuple[float, float, float, int]], before: list[int], frame: float, planned: float, pace: float
) -> tuple[float, int] | None:
    """Return the best score of a pair and the pair before it; None if no rate in range leads to it."""
    earlier = np.array([pairs[index][:3] for index in before])
    rates = (planned - earlier[:, 1]) / np.maximum(frame - earlier[:, 0], 1e-9)
    scores = np.where((rates >= SLOWEST) & (rates <= FASTEST), earlier[:, 2] + 1.0 - np.square(rates - pace), -np.inf)
    best = int(scores.argmax())
    return (float(scores[best]), before[best]) if np.isfinite(scores[best]) else None


def retimed(segments: Segments, times: TimeMap, frames: int, bounds: Bounds) -> Segments:
    """Return planned segments at the pace of a time map, in `frames` result frames."""
    planned = times.at(np.arange(frames, dtype=np.float64))
    starts = np.searchsorted(planned, segments.starts - 1e-9)
    is_shown = np.append(np.diff(starts), frames - starts[-1]) > 0
    starts, firsts = starts[is_shown], segments.starts[is_shown]
    lasts = planned[np.append(starts[1:], frames) - 1]
    sources = segments.sources[is_shown] + (planned[starts] - firsts)
    # The last place of a segment may be up to a frame beyond that of the plan, and so beyond the example.
    example = bounds.example_of(segments.sources[is_shown])
    sources -= np.maximum(sources + lasts - planned[starts] - (bounds.ends[example] - 1) + ROUNDING, 0.0)
    sources = np.maximum(sources, bounds.starts[example])
    steps = np.diff(planned) if frames > 1 else np.ones(1)
    rates = np.append(steps, steps[-1])[:frames]
    return Segments(starts, sources, frames, rates)
