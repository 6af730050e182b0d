# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: unbroken stretches of an example that a result shows one after another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..library.transition_costs import Bounds

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Segments:
    """An output of `frames` frames as R segments.

    starts: `(R,)` output frames at which the segments begin, ascending from 0.
    sources: `(R,)` the example frame (of all examples, one after another) shown at each start.
    """

    starts: NDArray[np.int64]
    sources: NDArray[np.int64]
    frames: int

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The lengths `(R,)` of the segments."""
        return np.diff(np.append(self.starts, self.frames))

    def source_frames(self) -> NDArray[np.int64]:
        """The example frame `(F,)` of each output frame."""
        return np.arange(self.frames) + np.repeat(self.sources - self.starts, self.lengths)

    @classmethod
    def of_path(cls, path: NDArray[np.int64], bounds: Bounds) -> "Segments":
        """The segments of a path `(F,)` of example frames."""
        broken = np.diff(path) != 1
        broken |= np.diff(bounds.example_of(path)) != 0
        starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(broken) + 1))
        return cls(starts, path[starts], len(path))


@dataclass(frozen=True, eq=False)
class Surrounded:
    """Segments of a result among those that lie around it.

    begin: the frame of `segments` at which the result begins. margin: how many frames before and after the result are
    composed with it.
    """

    segments: Segments
    begin: int = 0
    margin: int = 0


def without_short_segments(segments: Segments, bounds: Bounds, shortest: int) -> Segments:
    """The segments, those below `shortest` frames filled by a neighbor that can go on as long."""
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
    """Return True where `length` frames from `source` on lie within one example."""
    last = source + length - 1
    if source < 0 or last >= bounds.frames:
        return False
    first, second = bounds.example_of(np.array((source, last)))
    return bool(first == second)


def at_full_rate(stage: Segments, stage_bounds: Bounds, bounds: Bounds, frames: int, shift: int = 0) -> Segments:
    """Segments of a stage told in frames of the full rate: `frames` of them, every segment at the example's own speed.

    shift: by how many frames all segments show their example later, where it has as many.
    """
    starts = np.round(stage.starts * (frames / stage.frames)).astype(np.int64)
    starts, order = np.unique(starts, return_index=True)
    lengths = np.diff(np.append(starts, frames))
    middles = stage.sources[order] + (stage.lengths[order] - 1) / 2
    example = stage_bounds.example_of(stage.sources[order])
    share = (middles + 0.5 - stage_bounds.starts[example]) / (stage_bounds.ends - stage_bounds.starts)[example]
    full_lengths = (bounds.ends - bounds.starts)[example]
    sources = np.round(share * full_lengths - lengths / 2).astype(np.int64) + shift
    sources = np.clip(sources, 0, np.maximum(full_lengths - lengths, 0)) + bounds.starts[example]
    return _within_examples(Segments(starts, sources, frames), bounds)


def _within_examples(segments: Segments, bounds: Bounds) -> Segments:
    """Segments longer than their example (by rounding) begun again from its start."""
    starts, sources = [], []
    for start, source, length in zip(segments.starts, segments.sources, segments.lengths, strict=True):
        example = int(bounds.example_of(np.array(source)))
        while length > 0:
            piece = min(length, int(bounds.ends[example]) - int(source))
            starts.append(start)
            sources.append(source)
            start, length, source = start + piece, length - piece, bounds.starts[example]
    return Segments(np.array(starts), np.array(sources), segments.frames)
