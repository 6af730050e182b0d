# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of output frames: places in the examples, possibly between two frames, with a rate and a weight."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Int64

LOWEST_RATE, HIGHEST_RATE = 0.5, 2.0
"""Limits of example frames per output frame. Beyond them, a motion looks slowed down or sped up artificially."""
SOURCE_COLUMNS = ("positions", "rates", "weights", "mirrored")
"""The names of the arrays of a source."""


@dataclass(frozen=True, eq=False)
class Source:
    """One source of X output frames.

    positions: `(X,)` frames of the examples, one after another; fractional between two. rates: `(X,)` example frames
    that pass until the next output frame. weights: `(X,)` its share of each output frame, 0 to 1. mirrored: `(X,)` the
    positions, except that those beyond an example's end are mirrored into it; None: the positions.
    """

    positions: Array
    rates: Array
    weights: Array
    mirrored: Array | None = None

    def take(self, frames: NDArray[np.generic]) -> "Source":
        """Return the source of some of the frames, by indices or by a mask."""
        mirrored = None if self.mirrored is None else self.mirrored[frames]
        return Source(self.positions[frames], self.rates[frames], self.weights[frames], mirrored)

    def weightless(self) -> "Source":
        """Return the source with no share of any frame."""
        return replace(self, weights=np.zeros(len(self.weights)))

    def with_values(self, frames: Int64, values: dict[str, Array]) -> "Source":
        """Return the source with other values `(K,)` of all arrays at K frames."""
        columns = self._columns()
        for name in SOURCE_COLUMNS:
            columns[name] = np.asarray(columns[name], np.float64).copy()
            columns[name][frames] = values[name]
        return Source(**columns)

    def followed_by(self, other: "Source") -> "Source":
        """Return the source of the frames of this one and then of the other."""
        own, others = self._columns(), other._columns()
        return Source(**{name: np.concatenate((own[name], others[name])) for name in SOURCE_COLUMNS})

    def _columns(self) -> dict[str, Array]:
        mirrored = self.positions if self.mirrored is None else self.mirrored
        return {"positions": self.positions, "rates": self.rates, "weights": self.weights, "mirrored": mirrored}


@dataclass(frozen=True, eq=False)
class AddedSource:
    """A source of F output frames in addition to that of the segments: positions `(F,)` and weights `(F,)`.

    The segments' own source has the rest of the weight. A position may jump where a segment begins, and nowhere else.
    """

    positions: Array
    weights: Array

    def take(self, frames: Int64) -> "AddedSource":
        """Return the source of some of the frames."""
        return AddedSource(self.positions[frames], self.weights[frames])


@dataclass(frozen=True, eq=False)
class PartSources:
    """Sources of all parts of a result: positions, rates and weights, `(T, P, W)` each, with W per frame and part."""

    positions: NDArray[Any]
    rates: Array
    weights: Array

    def take(self, frames: Int64) -> "PartSources":
        """Return the sources of some of the frames."""
        return PartSources(self.positions[frames], self.rates[frames], self.weights[frames])


def values_at(values: Array, positions: Array) -> Array:
    """Return values `(N, ...)` at places `(X,)`, interpolated linearly between whole frames."""
    low = np.floor(positions).astype(np.int64)
    share = (positions - low).reshape((-1,) + (1,) * (values.ndim - 1)).astype(values.dtype)
    before = values[low]
    return np.asarray(before + (values[np.ceil(positions).astype(np.int64)] - before) * share)


def nearest_frames(positions: Array) -> Int64:
    """Return the frame nearest to each place."""
    return np.asarray(np.floor(positions + 0.5), np.int64)


def mean_of(values: Array, sources: tuple[Source, ...]) -> Array:
    """Return the weighted mean `(X, ...)` of the examples' values `(N, ...)` over the sources of X frames."""
    shape = (-1,) + (1,) * (values.ndim - 1)
    parts = [values_at(values, source.positions) * source.weights.reshape(shape) for source in sources]
    return np.asarray(np.sum(parts, axis=0))
