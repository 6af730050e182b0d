# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossfades of segments: channels with the examples' own frames, crossfaded around the transitions.

Nothing is decoded from averaged features, so rotations cannot collapse, and accelerations are those of the examples.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float32, Float64, Int64
from ..examples.example_data import Examples
from ..motion import rotations
from ..motion.channels import Channels
from ..motion.piecewise import pieces
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from ..planning.sources import Source, values_at


def assemble(examples: Examples, segments: Segments, crossfades: Crossfades) -> Channels:
    """Return the channels of the output: the segments' sources, crossfaded around the transitions."""
    channels = examples.channels
    if segments.plain:
        source = segments.source_frames()
        orientations, linear = channels.orientations[source], channels.linear[source]
    else:
        blended = channels_of_sources(examples, segments.weighted_sources())
        orientations, linear = blended.orientations, blended.linear
    if len(crossfades.frames):
        if crossfades.sides is None:
            signs = _signs(channels, crossfades)
            for piece in pieces(len(crossfades.frames)):
                _lay(orientations, linear, crossfades, piece, *both_sides(examples, crossfades, piece), signs[piece])
        else:
            before, after = both_sides(examples, crossfades, slice(None))
            _lay(
                orientations, linear, crossfades, slice(None), before, after, _signs_of_sides(before, after, crossfades)
            )
    return Channels(orientations, linear, channels.rates)


def both_sides(examples: Examples, crossfades: Crossfades, piece: slice) -> tuple[Channels, Channels]:
    """Return the channels of both sides of a piece of the crossfades, each as its example continues."""
    if crossfades.sides is not None:
        frames = np.arange(len(crossfades.frames))[piece]
        before, after = (
            channels_of_sources(examples, tuple(source.take(frames) for source in side)) for side in crossfades.sides
        )
        return before, after
    return (
        _going_on(examples, crossfades.before[piece], crossfades.behind[piece]),
        _going_on(examples, crossfades.after[piece], crossfades.ahead[piece]),
    )


def _lay(
    orientations: Float32,
    linear: Float32,
    crossfades: Crossfades,
    piece: slice,
    before: Channels,
    after: Channels,
    signs: Float32,
) -> None:
    """Write a piece of the crossfades into the output's channels; before, after: channels of its two sides."""
    frames, weights = crossfades.frames[piece], crossfades.weights[piece, None]
    orientations[frames] = rotations.slerp_as_signed(before.orientations, after.orientations * signs, weights)
    linear[frames] = before.linear * (1 - weights) + after.linear * weights


def _signs(channels: Channels, crossfades: Crossfades) -> Float32:
    """Return the sign `(X, J, 1)` with which the later side of each crossfade turns by the shortest way.

    The sign is chosen once for each crossfade, at its transition; if it were chosen for each frame, it could change
    within the crossfade.
    """
    new = np.append(True, (np.diff(crossfades.leaves) != 0) | (np.diff(crossfades.arrivals) != 0))
    leaves, arrivals = crossfades.leaves[new], crossfades.arrivals[new]
    at_transition = np.einsum("xjc,xjc->xj", channels.orientations[leaves], channels.orientations[arrivals])
    signs = np.where(at_transition < 0, -1.0, 1.0).astype(np.float32)
    return np.asarray(signs[np.cumsum(new) - 1][..., None])


def _signs_of_sides(before: Channels, after: Channels, crossfades: Crossfades) -> Float32:
    """Return these signs for sides of several sources each, chosen at the middle of each crossfade."""
    first = crossfades.starts
    middle = (first + np.append(first[1:], len(crossfades.frames))) // 2
    at_middle = np.einsum("xjc,xjc->xj", before.orientations[middle], after.orientations[middle])
    signs = np.where(at_middle < 0, -1.0, 1.0).astype(np.float32)
    return np.repeat(signs, np.diff(first, append=len(crossfades.frames)), axis=0)[..., None]


def _going_on(examples: Examples, index: Int64, mirrored: Array) -> Channels:
    """Return the channels at `index`; beyond an example's end, its movement is rotated about that end and continues.

    mirrored: see Crossfades.
    """
    channels = examples.channels
    side = Channels(channels.orientations[index], channels.linear[index], channels.rates)
    continue_beyond_ends(examples, side, index, mirrored)
    return side


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
