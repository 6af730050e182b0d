# SPDX-License-Identifier: GPL-3.0-or-later
"""Time map: the moment of the examples for each frame of a motion (registration curve: Kovar, Gleicher 2003).

The match's steps of whole frames are smoothed within each segment, and then changed so that feet come down and lift at
the same moments. At a transition, both segments are shown for a while.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..motion.filters import smooth_line, smoothstep
from .events import Event, event_moves
from .matching import FASTEST, SLOWEST, STEPS

SMOOTH_SECONDS = 0.12
"""Deviation, in seconds, of the Gaussian that smooths the whole frames of a match."""
CROSSFADE_SECONDS = 0.4
"""Duration, in seconds, of a crossfade between two segments."""


@dataclass(frozen=True, eq=False)
class TimeMap:
    """Places among the examples' frames for each of T frames, two of them during a crossfade.

    Segments alternate between the two, so that each continues from one frame to the next.

    places: `(2, T)`, fractional, within an example. rates: `(2, T)` example frames to the next frame. weights: `(T,)`
    of the second place, 0 to 1. segments: their number.
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
        """Return the number of example frames that pass in each frame `(T,)`."""
        return np.asarray((1 - self.weights) * self.rates[0] + self.weights * self.rates[1])

    @property
    def usual_rate(self) -> float:
        """Return the median rate."""
        return float(np.median(self.rates))

    def at(self, positions: Float64, seconds: Float64) -> "TimeMap":
        """Return the map at fractional frames `(T',)`; seconds: `(T',)` frames that pass from each to the next."""
        before = np.clip(np.floor(positions).astype(np.int64), 0, max(self.frames - 1, 0))
        after = np.minimum(before + 1, self.frames - 1)
        share, rates = positions - before, self.rates[:, before]
        # Both segments continue up to the next frame, even if another segment is shown there.
        places = self.places[:, before] + share * rates
        weights = self.weights[before] * (1 - share) + self.weights[after] * share
        return TimeMap(places, rates * seconds, weights, self.segments)


def make_time_map(
    matched: Indices,
    clips: Indices,
    limits: tuple[Indices, Indices],
    events: tuple[Sequence[Event], Sequence[Event]],
    stands: Mask,
    rate: float,
) -> TimeMap:
    """Return the time map of a match with frames `matched` `(T,)` of the examples, at `rate` frames per second.

    clips: `(T,)` the clip of each. limits: `(M,)` the first and `(M,)` the last frame of each clip. events: those of
    the motion, and of the examples, at frames among all of theirs. stands: `(T, feet)` of the motion.
    """
    frames, half = len(matched), CROSSFADE_SECONDS * rate / 2
    steps = np.diff(matched)
    breaks = np.flatnonzero((np.diff(clips) != 0) | (steps < 0) | (steps > STEPS[-1][0] * FASTEST)) + 1
    segments = list(itertools.pairwise([0, *breaks.tolist(), frames]))
    places, rates, shares = np.zeros((2, frames)), np.ones((2, frames)), np.zeros((2, frames))
    for number, (first, end) in enumerate(segments):
        clip = int(clips[first])
        within = float(limits[0][clip]), float(limits[1][clip])
        line = np.asarray(smooth_line(matched[first:end].astype(np.float64), SMOOTH_SECONDS * rate))
        line = line + event_moves(line, first, within, events, stands, rate)
        lead, tail = min(round(half), first), min(round(half), frames - end)
        # One more frame follows, so that each has the rate at which its example goes on.
        extended = _extended(line, lead, tail + 1, within, rate)
        at, row = np.arange(first - lead, end + tail), number % 2
        # Distances from the border to a neighbor, negative beyond it.
        since, left = at + 0.5 - first if first else np.inf, end - 0.5 - at if end < frames else np.inf
        share = smoothstep(0.5 + 0.5 * np.clip(np.minimum(since, left) / max(half, 1.0), -1.0, 1.0))
        nearer = np.broadcast_to(share, at.shape) > shares[row, at]
        for values, new in ((places, extended[:-1]), (rates, np.diff(extended)), (shares, share)):
            values[row, at[nearer]] = np.broadcast_to(new, at.shape)[nearer]
    # Where one segment is shown alone both places are the same, so that interpolation at their ends is defined.
    for row in (0, 1):
        alone = shares[row] == 0
        places[row, alone], rates[row, alone] = places[1 - row, alone], rates[1 - row, alone]
    return TimeMap(places, rates, shares[1] / shares.sum(axis=0), len(segments))


def _extended(line: Float64, lead: int, tail: int, within: tuple[float, float], rate: float) -> Float64:
    """Return the increasing places of a segment, with `lead` frames before it and `tail` frames after it.

    Beyond an end it goes on at the mean rate near it, for as long as a crossfade lasts there.
    """
    steps = np.maximum(np.diff(line), SLOWEST)
    reach = max(2, round(CROSSFADE_SECONDS / 2 * rate))
    ahead, behind = (float(np.mean(steps)) if len(steps) else 1.0 for steps in (steps[:reach], steps[-reach:]))
    inside = line[0] + np.concatenate(([0.0], np.cumsum(steps)))
    before = inside[0] - ahead * np.arange(lead, 0, -1)
    after = inside[-1] + behind * np.arange(1, tail + 1)
    places = np.concatenate((before, inside, after))
    slowed = -_slowed(-places[::-1], -within[0], reach)[::-1]
    return _slowed(slowed, within[1], reach)


def _slowed(places: Float64, last: float, reach: int) -> Float64:
    """Return increasing places that slow down to end at `last` if they go beyond it, instead of stopping there at once.

    They slow down over `reach` frames before, and over as many more as they would stop for.
    """
    beyond = int((places > last).sum())
    first = max(0, len(places) - beyond - max(reach, beyond))
    if not beyond or places[first] >= last:
        return np.minimum(places, last)
    passed = (places[first:] - places[first]) / (places[-1] - places[first])
    # A parabola that leaves at the rate before.
    left = (last - places[first]) / (places[-1] - places[first])
    eased = passed - (1.0 - left) * passed**2
    return np.concatenate((places[:first], np.minimum(places[first] + eased * (places[-1] - places[first]), last)))
