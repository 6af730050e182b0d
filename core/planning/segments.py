# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: unbroken stretches of an example that a result shows one after another."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Int64
from ..errors import InputError
from ..examples.transition_costs import Bounds
from ..motion.comparing import ROUNDING
from .sources import HIGHEST_RATE, LOWEST_RATE, AddedSource, Source, mean_of, nearest_frames


@dataclass(frozen=True, eq=False)
class Segments:
    """An output of `frames` frames as R segments.

    starts: `(R,)` output frames at which the segments begin, ascending from 0.
    sources: `(R,)` example frame (of all examples, one after another) shown at each start; an integer unless there are
    rates.
    rates: `(F,)` example frames that pass from each output frame to the next, 0.5 to 2; None is 1 throughout.
    added: further sources; their weights are subtracted from that of the segments' own source.
    """

    starts: Int64
    sources: NDArray[Any]
    frames: int
    rates: Array | None = None
    added: tuple[AddedSource, ...] = ()

    @property
    def plain(self) -> bool:
        """True if each output frame is one example frame, and consecutive ones are consecutive within a segment."""
        return self.rates is None and not self.added

    @cached_property
    def lengths(self) -> Int64:
        """The lengths `(R,)` of the segments."""
        return np.diff(np.append(self.starts, self.frames))

    def source_frames(self) -> Int64:
        """Return the example frame `(F,)` of each output frame; the nearest one for a place between two."""
        if self.rates is not None:
            return nearest_frames(self.positions())
        return np.arange(self.frames) + np.repeat(self.sources - self.starts, self.lengths)

    def positions(self) -> Array:
        """Return the place `(F,)` of each output frame in the examples."""
        if self.rates is None:
            return self.source_frames().astype(np.float64)
        passed = np.concatenate(([0.0], np.cumsum(self.rates[:-1])))
        return np.asarray(passed + np.repeat(self.sources - passed[self.starts], self.lengths))

    def weighted_sources(self) -> tuple[Source, ...]:
        """Return all sources of the output frames, the segments' own first."""
        weight = 1.0 - np.sum([source.weights for source in self.added], axis=0) if self.added else 1.0
        rates = np.ones(self.frames) if self.rates is None else self.rates
        first = Source(self.positions(), rates, np.broadcast_to(np.asarray(weight, np.float64), (self.frames,)))
        added = (Source(source.positions, self._rates_along(source.positions), source.weights) for source in self.added)
        return (first, *added)

    def _rates_along(self, positions: Array) -> Array:
        """Return the example frames `(F,)` that pass from each position to the next one of its segment."""
        steps = np.append(np.diff(positions), 1.0)
        lasts = np.append(self.starts[1:], self.frames) - 1
        long = self.lengths > 1
        steps[lasts[long]] = steps[lasts[long] - 1]
        steps[lasts[~long]] = 1.0
        return steps

    def of_examples(self, values: Array) -> Array:
        """Return the output's values `(F, ...)` from values `(N, ...)` of the examples."""
        return values[self.source_frames()] if self.plain else mean_of(values, self.weighted_sources())

    def timed_as(self, other: "Segments", frames: Int64) -> "Segments":
        """Return the segments with the rates and added sources of another output at some frames `(F,)`."""
        rates = None if other.rates is None else other.rates[frames]
        return replace(self, rates=rates, added=tuple(source.take(frames) for source in other.added))

    def check(self, bounds: Bounds) -> None:
        """Raise InputError if a rate is out of range, a source leaves its example, or weights are not shares."""
        if self.plain:
            return
        for source in self.weighted_sources():
            beginnings = np.floor(source.positions[self.starts]).astype(np.int64)
            example = np.repeat(bounds.example_of(beginnings), self.lengths)
            inside = (source.positions >= bounds.starts[example]) & (source.positions <= bounds.ends[example] - 1)
            if not inside.all():
                raise InputError(f"The source of frame {int(np.argmin(inside)) + 1} lies outside its example.")
            if source.weights.min() < -ROUNDING or source.weights.max() > 1 + ROUNDING:
                raise InputError("The weights of a frame's sources must be 0 to 1 and add up to 1.")
        if self.rates is not None and not ((self.rates >= LOWEST_RATE) & (self.rates <= HIGHEST_RATE)).all():
            raise InputError(f"The rate of a segment must be {LOWEST_RATE:g} to {HIGHEST_RATE:g}.")

    @classmethod
    def of_path(cls, path: Int64, bounds: Bounds) -> "Segments":
        """Return the segments of a path `(F,)` of example frames."""
        broken = np.diff(path) != 1
        broken |= np.diff(bounds.example_of(path)) != 0
        starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(broken) + 1))
        return cls(starts, path[starts], len(path))


@dataclass(frozen=True, eq=False)
class Surrounded:
    """Segments of a result and of the frames around it.

    begin: the frame of `segments` at which the result begins. margin: number of frames before and after the result that
    are composed with it.
    """

    segments: Segments
    begin: int = 0
    margin: int = 0


def without_short_segments(segments: Segments, bounds: Bounds, shortest: int) -> Segments:
    """Return the segments, with those below `shortest` frames replaced by an extension of a neighbor, if possible."""
    starts, sources = list(segments.starts), list(segments.sources)
    index = 0
    while index < len(starts) and len(starts) > 1:
        end = starts[index + 1] if index + 1 < len(starts) else segments.frames
        length = end - starts[index]
        if length >= shortest:
            index += 1
        elif index > 0 and _can_show(bounds, sources[index - 1], end - starts[index - 1]):
            del starts[index], sources[index]
            index = max(index - 1, 0)
        elif index + 1 < len(starts) and _can_show(bounds, sources[index + 1] - length, length + 1):
            starts[index + 1], sources[index + 1] = starts[index], sources[index + 1] - length
            del starts[index], sources[index]
        else:
            index += 1
    return Segments(np.array(starts), np.array(sources), segments.frames)


def _can_show(bounds: Bounds, source: int, length: int) -> bool:
    """Return True if the `length` frames from `source` on lie within one example."""
    last = source + length - 1
    if source < 0 or last >= bounds.frames:
        return False
    first, second = bounds.example_of(np.array((source, last)))
    return bool(first == second)


def at_full_rate(stage: Segments, stage_bounds: Bounds, bounds: Bounds, frames: int) -> Segments:
    """Return a stage's segments at the full rate, in `frames` frames, each segment at the example's own speed.

    A whole example may be shorter than the time that its stage frames stand for. The neighbors last longer then.
    """
    starts = np.round(stage.starts * (frames / stage.frames)).astype(np.int64)
    starts, order = np.unique(starts, return_index=True)
    lengths = np.diff(np.append(starts, frames))
    middles = stage.sources[order] + (stage.lengths[order] - 1) / 2
    example = stage_bounds.example_of(stage.sources[order])
    share = (middles + 0.5 - stage_bounds.starts[example]) / (stage_bounds.ends - stage_bounds.starts)[example]
    full_lengths = (bounds.ends - bounds.starts)[example]
    if (lengths > full_lengths).any():
        lengths = _lengths_within(lengths, full_lengths)
        starts = np.cumsum(lengths) - lengths
    sources = np.round(share * full_lengths - lengths / 2).astype(np.int64)
    sources = np.clip(sources, 0, np.maximum(full_lengths - lengths, 0)) + bounds.starts[example]
    return _within_examples(Segments(starts, sources, frames), bounds)


def _lengths_within(lengths: Int64, most: Int64) -> Int64:
    """Return the lengths, with any excess over `most` from rounding moved to the nearest segments with room for it."""
    lengths = lengths.copy()
    for index in np.flatnonzero(lengths > most):
        roomy = np.flatnonzero(lengths < most)
        for other in roomy[np.argsort(np.abs(roomy - index), kind="stable")]:
            moved = min(lengths[index] - most[index], most[other] - lengths[other])
            lengths[index] -= moved
            lengths[other] += moved
            if lengths[index] <= most[index]:
                break
    return lengths


def _within_examples(segments: Segments, bounds: Bounds) -> Segments:
    """Return the segments, with those that are still longer than their example continued from its start."""
    starts, sources = [], []
    for start, source, length in zip(segments.starts, segments.sources, segments.lengths, strict=True):
        example = int(bounds.example_of(np.array(source)))
        while length > 0:
            piece = min(length, int(bounds.ends[example]) - int(source))
            starts.append(start)
            sources.append(source)
            start, length, source = start + piece, length - piece, bounds.starts[example]
    return Segments(np.array(starts), np.array(sources), segments.frames)
