# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels at fractional frames of the examples, and of several weighted sources together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float32, Float64
from ..examples.example_data import Examples
from ..motion import rotations
from ..motion.channels import Channels
from ..planning.sources import Source, values_at


def channels_of_sources(examples: Examples, sources: tuple[Source, ...]) -> Channels:
    """Return the channels of X output frames: those of the sources, blended by their weights.

    Rotations are interpolated spherically by the shortest way, since blended sources are similar. A single source at
    whole frames gives the example's own values; a source of weight 0 changes nothing.
    """
    first = _channels_at(examples, sources[0])
    orientations, linear = first.orientations, first.linear
    total = np.asarray(sources[0].weights, np.float64)
    for source in sources[1:]:
        total = total + source.weights
        shares = np.where(total > 0, source.weights / np.maximum(total, 1e-12), 0.0).astype(np.float32)
        frames = np.flatnonzero(shares > 0)
        other, share = _channels_at(examples, source.take(frames)), shares[frames, None]
        turned = rotations.slerp(orientations[frames], other.orientations, share)
        orientations[frames] = np.where(share[..., None] < 1, turned, other.orientations)
        linear[frames] = np.where(share < 1, linear[frames] * (1 - share) + other.linear * share, other.linear)
    return Channels(orientations, linear, examples.channels.rates)


def _channels_at(examples: Examples, source: Source) -> Channels:
    """Return the channels of one source; beyond an example's end, its movement is rotated about that end."""
    channels, positions = examples.channels, source.positions
    orientations, linear = _orientations_at(examples, positions), _between_frames(examples, channels.linear, positions)
    if source.mirrored is not None:
        continue_beyond_ends(examples, Channels(orientations, linear, channels.rates), positions, source.mirrored)
    linear[:, channels.rates] = _traveled(examples, source)
    return Channels(orientations, linear, channels.rates)


def continue_beyond_ends(examples: Examples, channels: Channels, positions: NDArray[Any], mirrored: Array) -> None:
    """Rotate the movement of the examples about their ends in channels at `positions` `(X,)`, in place.

    mirrored: `(X,)` the positions, except that those beyond an end lie inside the example. Rates remain those at the
    end.
    """
    beyond = np.flatnonzero(mirrored != positions)
    if not len(beyond):
        return
    orientations, linear = channels.orientations, channels.linear
    inside, end = _orientations_at(examples, mirrored[beyond]), orientations[beyond]
    orientations[beyond] = rotations.multiply(rotations.multiply(end, rotations.inverse(inside)), end)
    rates = linear[beyond, channels.rates]
    linear[beyond] = 2 * linear[beyond] - _between_frames(examples, examples.channels.linear, mirrored[beyond])
    linear[beyond, channels.rates] = rates


def _orientations_at(examples: Examples, positions: Array) -> Float32:
    """Return the orientations `(X, J, 4)` at fractional frames of the examples."""
    orientations = examples.channels.orientations
    low = np.floor(positions).astype(np.int64)
    share = (positions - low).astype(np.float32)[:, None]
    here, following = orientations[low], orientations[np.ceil(positions).astype(np.int64)]
    between = rotations.slerp_as_signed(here, following, share) + _bend(examples, orientations, positions)
    return np.asarray(np.where(share[..., None] > 0, rotations.normalize(between), here), np.float32)


def _between_frames(examples: Examples, values: Array, positions: Array) -> Array:
    """Return values `(N, ...)` of the examples at places `(X,)` on smooth curves through their frames."""
    return np.asarray(values_at(values, positions) + _bend(examples, values, positions))


def _bend(examples: Examples, values: Array, positions: Array) -> Array:
    """Return the distance `(X, ...)` of curves through the frames of `values` `(N, ...)` from straight lines.

    Their second derivative is the mean over the nearest six frames: by that at the two nearest alone, a quick movement
    would accelerate more than at any frame, and on straight lines the end of a long chain of joints shakes.
    """
    low = np.floor(positions).astype(np.int64)
    example = examples.bounds.example_of(low)
    last_step = np.maximum(examples.bounds.ends[example] - 2, examples.bounds.starts[example])
    first = np.minimum(np.maximum(low - 2, examples.bounds.starts[example]), last_step)
    last = np.minimum(low + 2, last_step)
    end = np.minimum(1, examples.bounds.ends[example] - 1 - first)
    steps = (values[last + end] - values[last]) - (values[first + end] - values[first])
    share = positions - low
    weights = 0.5 * share * (1 - share) / np.maximum(last - first, 1)
    return np.asarray(steps * -weights.reshape((-1,) + (1,) * (values.ndim - 1)).astype(values.dtype))


def _traveled(examples: Examples, source: Source) -> Float64:
    """Return the root's travel and turn `(X, 4)` from each output frame to the next, complete at any rate."""
    rates = examples.channels.linear[:, examples.channels.rates].astype(np.float64)
    sums = np.concatenate((np.zeros((1, rates.shape[1])), np.cumsum(rates, axis=0)))
    last = examples.bounds.ends[examples.bounds.example_of(np.floor(source.positions).astype(np.int64))] - 1
    target = source.positions + source.rates
    over = np.maximum(target - (last + 1), 0.0)

    def until(positions: Array) -> Float64:
        frame = np.minimum(np.floor(positions).astype(np.int64), last)
        bend = _bend(examples, sums[:-1], np.minimum(positions, last))
        return np.asarray(sums[frame] + (positions - frame)[:, None] * rates[frame] + bend)

    return until(target - over) - until(source.positions) + over[:, None] * rates[last]
