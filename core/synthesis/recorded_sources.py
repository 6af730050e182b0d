# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of a result as recorded: the heaviest of each frame and part, and all if there are several."""

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float64, Int64
from ..examples.example_data import Examples
from ..planning.segments import Segments
from ..planning.sources import PartSources, values_at
from .result import WeightedSources


class Recorded(TypedDict):
    """Fields of a Synthesis with the sources of its frames."""

    source_examples: Int64
    source_frames: Float64
    source_rates: Float64 | None
    weighted_sources: WeightedSources | None


def sources_of_parts(segments: list[Segments]) -> PartSources:
    """Return the sources of all parts' output frames; if a part has fewer than another, the others have weight 0."""
    if all(part.plain for part in segments):
        positions = np.stack([part.source_frames() for part in segments], axis=1)[..., None]
        ones = np.broadcast_to(1.0, positions.shape)
        return PartSources(positions, ones, ones)
    every = [part.weighted_sources() for part in segments]
    most = max(len(sources) for sources in every)
    columns = np.zeros((3, segments[0].frames, len(segments), most))
    for part, sources in enumerate(every):
        for number in range(most):
            source = sources[min(number, len(sources) - 1)]
            weights = source.weights if number < len(sources) else np.zeros(segments[0].frames)
            columns[:, :, part, number] = source.positions, source.rates, weights
    return PartSources(*columns)


def recorded_sources(examples: Examples, sources: PartSources) -> Recorded:
    """Return the sources in the frames of the examples as they were passed in."""
    positions, handed_in = sources.positions, np.concatenate(examples.positions)
    which = examples.bounds.example_of(np.floor(positions).astype(np.int64))
    rounds = examples.rounds[which]
    if positions.dtype.kind == "i":
        return Recorded(
            source_examples=which[..., 0],
            source_frames=handed_in[positions[..., 0]] % rounds[..., 0],
            source_rates=None,
            weighted_sources=None,
        )
    frames = np.asarray(values_at(handed_in, np.ravel(positions)), np.float64).reshape(positions.shape) % rounds
    heaviest = sources.weights.argmax(axis=2)[..., None]

    def of_heaviest(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.take_along_axis(values, heaviest, axis=2)[..., 0])

    several = positions.shape[2] > 1
    return Recorded(
        source_examples=of_heaviest(which),
        source_frames=of_heaviest(frames),
        source_rates=of_heaviest(sources.rates),
        weighted_sources=WeightedSources(which, frames, sources.weights) if several else None,
    )
