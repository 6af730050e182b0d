# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossfades of segments: channels with the examples' own frames, crossfaded around the transitions.

Nothing is decoded from averaged features, so rotations cannot collapse, and accelerations are those of the examples.
"""

import numpy as np

from ..arrays import Array, Float32, Int64
from ..examples.example_data import Examples
from ..motion import rotations
from ..motion.channels import Channels
from ..motion.piecewise import pieces
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from .source_channels import channels_of_sources, continue_beyond_ends


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
