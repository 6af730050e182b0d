# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches: several paths through the examples, stored as segments in one array so that they are planned together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Indices, Int64, Mask, Rows
from ..examples.transition_costs import Bounds
from .segments import Segments

WINDOW_SEGMENTS = 3
"""Segments of a window. Changing two at once escapes minima that changing one does not; the third leaves room."""
NONE = -1
"""Number in place of an example frame's where there is none, as after the last segment of a path."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """B paths of up to R segments each.

    sources: `(B, R)` example frame that each segment begins with. lengths: `(B, R)` number of frames that it shows; 0
    after the last segment of a path.
    """

    sources: Indices
    lengths: Indices

    @classmethod
    def of_path(cls, path: Indices, bounds: Bounds) -> "Stretches":
        """Return the stretches of a single path of example frames `(F,)`."""
        segments = Segments.of_path(path, bounds)
        return cls.of_pieces([Piece(segments.sources, segments.lengths)])

    @classmethod
    def of_pieces(cls, pieces: Sequence["Piece"]) -> "Stretches":
        """Return the stretches of several pieces."""
        most = max(len(piece.sources) for piece in pieces)
        sources, lengths = np.zeros((len(pieces), most), np.int64), np.zeros((len(pieces), most), np.int64)
        for row, piece in enumerate(pieces):
            sources[row, : len(piece.sources)], lengths[row, : len(piece.sources)] = piece.sources, piece.lengths
        return cls(sources, lengths)

    def pieces(self) -> "list[Piece]":
        """Return each path as a piece."""
        return [
            Piece(sources[:count], lengths[:count])
            for sources, lengths, count in zip(self.sources, self.lengths, self.counts.tolist(), strict=True)
        ]

    @cached_property
    def counts(self) -> Indices:
        """`(B,)` the number of segments."""
        return np.asarray(np.count_nonzero(self.lengths, axis=1))

    @cached_property
    def frames(self) -> Indices:
        """`(B,)` the stage frames of each path."""
        return np.asarray(self.lengths.sum(axis=1))

    @property
    def targets(self) -> Indices:
        """`(B, R)` the example frame that comes after each segment; NONE after the last one."""
        targets = np.full(self.sources.shape, NONE)
        targets[:, :-1] = np.where(self.lengths[:, 1:] > 0, self.sources[:, 1:], NONE)
        return targets

    def take(self, which: Int64 | Mask) -> "Stretches":
        """Return some of the paths."""
        return Stretches(self.sources[which], self.lengths[which])


@dataclass(frozen=True, eq=False)
class Piece:
    """A single path: the example frame `(R,)` that each of its segments begins with, and their lengths `(R,)`."""

    sources: Indices
    lengths: Indices

    def part(self, which: slice) -> "Piece":
        """Return some of the segments."""
        return Piece(self.sources[which], self.lengths[which])

    @cached_property
    def frames(self) -> int:
        """Return the stage frames of all segments."""
        return int(self.lengths.sum())

    @property
    def path(self) -> Indices:
        """`(F,)` the example frame of each stage frame."""
        before = np.cumsum(self.lengths) - self.lengths
        return np.asarray(np.arange(int(self.lengths.sum())) + np.repeat(self.sources - before, self.lengths))


@dataclass(frozen=True, eq=False)
class PathWindow:
    """A piece of a path to replan in the same number of frames.

    first_costs: `(N,)` cost of beginning at each example frame; None: the first frame is kept. free_end: True if the
    piece may end anywhere; otherwise its last frame is kept. rewards: `(N,)` reward of showing each example frame, in
    edge cost; None: no rewards.
    """

    piece: Piece
    first_costs: Rows | None = None
    free_end: bool = False
    rewards: Rows | None = None


def one_after_another(pieces: Sequence[Piece]) -> Piece:
    """Return pieces joined one after another."""
    return Piece(
        np.concatenate([piece.sources for piece in pieces]), np.concatenate([piece.lengths for piece in pieces])
    )
