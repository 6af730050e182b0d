# SPDX-License-Identifier: GPL-3.0-or-later
"""A time map: the moment of the examples that goes with each frame of a motion (registration curve: Kovar, Gleicher
2003).

The match's steps of whole frames are smoothed within each segment, then moved so that feet come down and leave the
ground at the same moments. Where a segment follows another one, both are shown for a while.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import smooth_line, smoothstep
from .events import Event, event_moves

Float64 = NDArray[np.float64]
Indices = NDArray[np.int64]

SMOOTH_SECONDS = 0.12
"""Whole frames of a match are smoothed by a Gaussian of this deviation."""
SLOWEST = 0.15
"""Within a segment the examples go on by at least this share of a frame in each frame."""
FARTHEST_STEP = 4
"""A match that goes on by more frames at once has jumped: twice the fastest tempo is four."""
CROSSFADE_SECONDS = 0.4
"""Two segments are shown together for this long."""
RATE_SECONDS = 0.2
"""Beyond its ends a segment goes on at the rate of this long before."""


@dataclass(frozen=True, eq=False)
class TimeMap:
    """Places among the examples' frames for each of T frames, of two segments where they are crossfaded.

    places: `(2, T)`, between the first and the last frame of an example. rates: `(2, T)` example frames that pass in a
    frame. weights: `(T,)` of the second place, 0 to 1. segments: how many there are.
    """

    places: Float64
    rates: Float64
    weights: Float64
    segments: int

    @property
    def frames(self) -> int:
        """Return the number of frames, T."""
        return int(self.places.shape[1])

    @property
    def rate(self) -> Float64:
        """Return how many example frames pass in each frame `(T,)`."""
        return np.asarray((1 - self.weights) * self.rates[0] + self.weights * self.rates[1])

    @property
    def usual_rate(self) -> float:
        """Return the median rate."""
        return float(np.median(self.rates))

    def at(self, positions: Float64, seconds: Float64) -> "TimeMap":
        """Return the map at fractional frames `(T',)`; seconds: `(T',)` frames that pass from each to the next."""
        before = np.clip(np.floor(positions).astype(np.int64), 0, max(self.frames - 1, 0))
        after = np.minimum(before + 1, self.frames - 1)
        share = positions - before
        steps = self.places[:, after] - self.places[:, before]
        # From one segment to the next there is no place between: the earlier one goes on.
        steps = np.where(np.abs(steps - self.rates[:, before]) < 1.5, steps, 0.0)
        weights = self.weights[before] * (1 - share) + self.weights[after] * share
        return TimeMap(self.places[:, before] + share * steps, self.rates[:, before] * seconds, weights, self.segments)


def make_time_map(
    matched: Indices,
    clips: Indices,
    limits: tuple[Indices, Indices],
    events: tuple[Sequence[Event], Sequence[Event]],
    stands: NDArray[np.bool_],
    rate: float,
) -> TimeMap:
    """Return the time map of a match with `matched` `(T,)` frames of the examples, at `rate` frames per second.

    clips: `(T,)` the clip of each; limits: `(M,)` the first and `(M,)` the last frame of each clip. events: those of
    the motion, and of the examples, at frames among all of theirs. stands: `(T, feet)` of the motion.
    """
    frames, half = len(matched), CROSSFADE_SECONDS * rate / 2
    steps = np.diff(matched)
    breaks = np.flatnonzero((np.diff(clips) != 0) | (steps < 0) | (steps > FARTHEST_STEP)) + 1
    spans = list(itertools.pairwise([0, *breaks.tolist(), frames]))
    places, rates, weights = np.zeros((2, frames)), np.ones((2, frames)), np.zeros(frames)
    for first, end in spans:
        clip = int(clips[first])
        within = float(limits[0][clip]), float(limits[1][clip])
        line = np.asarray(smooth_line(matched[first:end].astype(np.float64), SMOOTH_SECONDS * rate))
        line = line + event_moves(line, first, within, events, stands, rate)
        lead, tail = min(round(half), first), min(round(half), frames - end)
        whole = _extended(line, lead, tail, within, rate)
        passed = np.maximum(np.gradient(whole), 0.0) if len(whole) > 1 else np.ones(1)
        at = np.arange(first - lead, end + tail)
        inside = (at >= first) & (at < end)
        places[0, first:end], rates[0, first:end] = whole[inside], passed[inside]
        # Beyond its own frames a segment is shown beside its neighbor, the more the nearer.
        away = np.where(at < first, first - at - 0.5, at + 0.5 - end) / max(half, 1.0)
        share = 0.5 * (1 - smoothstep(np.clip(away, 0.0, 1.0)))
        played = ~inside & (share > weights[at])
        places[1, at[played]], rates[1, at[played]], weights[at[played]] = whole[played], passed[played], share[played]
    # Alone, a place is shown twice: what is between a frame with and one without a neighbor is then defined.
    alone = weights == 0
    places[1, alone], rates[1, alone] = places[0, alone], rates[0, alone]
    return TimeMap(places, rates, weights, len(spans))


def _extended(line: Float64, lead: int, tail: int, within: tuple[float, float], rate: float) -> Float64:
    """Return the places of a segment, which always go on, `lead` frames before it and `tail` behind it included."""
    steps = np.maximum(np.diff(line), SLOWEST)
    reach = max(2, round(RATE_SECONDS * rate))
    ahead, behind = (float(np.mean(some)) if len(some) else 1.0 for some in (steps[:reach], steps[-reach:]))
    inside = line[0] + np.concatenate(([0.0], np.cumsum(steps)))
    before = inside[0] - ahead * np.arange(lead, 0, -1)
    after = inside[-1] + behind * np.arange(1, tail + 1)
    return np.asarray(np.clip(np.concatenate((before, inside, after)), *within))
