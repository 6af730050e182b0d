# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossfades over transitions: their places, and the lengths that the gaps between both sides require."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..examples.speeds import Speeds
from ..examples.transition_costs import Bounds, half_window
from ..motion import rotations
from ..motion.channels import Channels
from ..motion.filters import SMOOTHSTEP_SLOPE, smoothstep
from ..motion.piecewise import pieces
from ..motion.spans import consecutive_from
from .segments import Segments
from .sources import Source, mean_of, nearest_frames

SHORTEST_CROSSFADE_SECONDS = 1 / 3
LONGEST_CROSSFADE_SECONDS = 2.0
"""Durations, in seconds, of crossfades between nearly equal poses and between the most different ones."""
LEAST_ROOM = 0.25
"""Speed that a crossfade may always add to a joint, even a fast one, as a share of the example's highest speed; other
joints may become as fast as the example's fastest."""
ANGULAR_ACCELERATION_SHARE = 0.1
"""Largest change of a joint's angular speed in a crossfade, from one frame to the next, as a share of the example's
highest."""


@dataclass(frozen=True, eq=False)
class Crossfades:
    """The overlaps of segments: for X output frames, both sources and the weight of the later one.

    frames, before, after: `(X,)` indices of output frames and of both sides' example frames. behind, ahead: `(X,)` the
    same as before and after, except that frames beyond an example's end are mirrored, see `_mirrored`. leaves,
    arrivals: `(X,)` the two sides of the transition itself. weights: `(X,)`, 0 to 1. sides: if segments are not plain,
    all sources before and all after each transition; the indices are then the frames nearest to the first source.
    """

    frames: Int64
    before: Int64
    after: Int64
    behind: Float64
    ahead: Float64
    leaves: Int64
    arrivals: Int64
    weights: Float32
    sides: tuple[tuple[Source, ...], tuple[Source, ...]] | None = None

    @property
    def starts(self) -> Int64:
        """The first place `(K,)` of each of K crossfades among the X frames."""
        new = np.append(True, (np.diff(self.frames) != 1) | (np.diff(self.weights) < 0))
        return np.flatnonzero(new[: len(self.frames)])

    def of_examples(self, values: Array) -> tuple[Array, Array]:
        """Return the values `(X, ...)` of each side from values `(N, ...)` of the examples."""
        if self.sides is None:
            return values[self.before], values[self.after]
        before, after = self.sides
        return mean_of(values, before), mean_of(values, after)


def plan_crossfades(
    segments: Segments,
    bounds: Bounds,
    channels: Channels,
    speeds: Speeds,
    rate: float,
    seamless: Mask | None = None,
) -> Crossfades:
    """Return crossfades over all transitions, as long as the gaps between their sides need and the segments allow.

    seamless: `(R - 1,)` transitions between equal frames, which need none; None if there are none.
    """
    lengths, starts = segments.lengths, segments.starts[1:]
    if segments.plain:
        arriving, leaving = segments.sources[1:], (segments.sources + lengths - 1)[:-1]
    else:
        source_frames = segments.source_frames()
        arriving, leaving = source_frames[starts], source_frames[starts - 1]
    half, needed = half_window(rate), np.empty(len(leaving))
    for piece in pieces(len(leaving), 2 * half * channels.orientations[0].size):
        needed[piece] = _frames_needed(bounds, channels, speeds, leaving[piece], arriving[piece], half)
    longest = np.clip(needed, SHORTEST_CROSSFADE_SECONDS * rate, LONGEST_CROSSFADE_SECONDS * rate)
    halves = np.minimum(np.rint(longest / 2).astype(np.int64), np.minimum(lengths[:-1], lengths[1:]) // 2)
    if seamless is not None:
        halves[seamless] = 0
    number = np.repeat(np.arange(len(starts)), 2 * halves)
    length = 2 * halves[number]
    around = consecutive_from(-halves, 2 * halves)
    leave, arrive = leaving[number], arriving[number]
    planned = Crossfades(
        starts[number] + around,
        _inside(bounds, leave, 1 + around),
        _inside(bounds, arrive, around),
        _mirrored(bounds, leave + 1 + around, bounds.example_of(leave), rate),
        _mirrored(bounds, arrive + around, bounds.example_of(arrive), rate),
        leave,
        arrive,
        np.asarray(smoothstep((around + length / 2 + 0.5) / np.maximum(length, 1)), np.float32),
    )
    return planned if segments.plain or not len(number) else _with_sides(planned, segments, bounds, rate)


def _with_sides(crossfades: Crossfades, segments: Segments, bounds: Bounds, rate: float) -> Crossfades:
    """Return the crossfades with all sources of both sides, which continue at their own rates beyond the transition."""
    # The transition is where a crossfade's weight passes one half: the later side begins there.
    number = np.searchsorted(segments.starts, crossfades.frames, side="right") - 1
    first = np.where(crossfades.weights < 0.5, number + 1, number)
    edges = segments.starts[first]
    sources = segments.weighted_sources()
    before = tuple(_going_on(source, crossfades.frames, edges - 1, np.minimum, bounds, rate) for source in sources)
    after = tuple(_going_on(source, crossfades.frames, edges, np.maximum, bounds, rate) for source in sources)
    return replace(
        crossfades,
        before=nearest_frames(before[0].positions),
        after=nearest_frames(after[0].positions),
        sides=(before, after),
    )


def _going_on(
    source: Source,
    frames: Int64,
    edges: Int64,
    within: np.ufunc,
    bounds: Bounds,
    rate: float,
) -> Source:
    """Return a source at output frames `(X,)`; beyond the edges `(X,)` of segments it continues at the rate there.

    within: np.minimum if the edges are last frames, np.maximum if they are first frames.
    """
    inside = within(frames, edges)
    example = bounds.example_of(np.floor(source.positions[edges]).astype(np.int64))
    beyond = source.positions[inside] + source.rates[edges] * (frames - inside)
    positions = np.clip(beyond, bounds.starts[example], bounds.ends[example] - 1)
    return Source(positions, source.rates[inside], source.weights[inside], _mirrored(bounds, beyond, example, rate))


def cropped(segments: Segments, crossfades: Crossfades, first: int, end: int) -> tuple[Segments, Crossfades]:
    """Return the segments and crossfades of the frames from `first` up to `end`, counted from 0."""
    kept = np.flatnonzero((segments.starts < end) & (segments.starts + segments.lengths > first))
    starts = np.maximum(segments.starts[kept], first)
    if segments.plain:
        inside = Segments(starts - first, segments.sources[kept] + starts - segments.starts[kept], end - first)
    else:
        places = segments.source_frames() if segments.rates is None else segments.positions()
        inside = Segments(starts - first, places[starts], end - first)
        inside = inside.timed_as(segments, np.arange(first, end))
    seen = (crossfades.frames >= first) & (crossfades.frames < end)
    columns = {
        name: getattr(crossfades, name)[seen] for name in ("before", "after", "behind", "ahead", "leaves", "arrivals")
    }
    sides = None
    if crossfades.sides is not None:
        before, after = (tuple(source.take(seen) for source in side) for side in crossfades.sides)
        sides = (before, after)
    frames, weights = crossfades.frames[seen] - first, crossfades.weights[seen]
    return inside, Crossfades(frames=frames, weights=weights, sides=sides, **columns)


def _frames_needed(
    bounds: Bounds,
    channels: Channels,
    speeds: Speeds,
    leaves: Int64,
    arrivals: Int64,
    half: int,
) -> Float64:
    """Return crossfade lengths `(X,)`, in frames, that keep all joints within the limits of speed and acceleration.

    half: frames on each side that give the speeds.
    """
    around = np.arange(-half, half + 1)
    before, after = (channels.orientations[_inside(bounds, frames[:, None], around)] for frames in (leaves, arrivals))
    turns = np.maximum(
        rotations.angle_between(before[:, 1:], before[:, :-1]).max(axis=1),
        rotations.angle_between(after[:, 1:], after[:, :-1]).max(axis=1),
    )
    turn_room = np.maximum(speeds.highest_turns - turns, LEAST_ROOM * speeds.highest_turns)
    # The gap is measured to the frame that would have come next.
    turn_gap = rotations.angle_between(before[:, half + 1], after[:, half])
    out, into = speeds.nearest_sample(leaves + 1), speeds.nearest_sample(arrivals)
    gap = rotations.lengths(speeds.poses[out] - speeds.poses[into]).max(axis=1, initial=0.0)
    fastest = np.maximum(speeds.fastest[out], speeds.fastest[into])
    room = np.maximum(np.maximum(speeds.highest - fastest, LEAST_ROOM * speeds.highest), 1e-9)
    # The second derivative at the ends of a smooth step is 6 over its length squared.
    by_speed = SMOOTHSTEP_SLOPE * np.maximum(np.max(turn_gap / turn_room, axis=1, initial=0.0), gap / room)
    most_changed = turn_gap / (ANGULAR_ACCELERATION_SHARE * speeds.highest_angular_accelerations)
    by_acceleration = np.sqrt(6.0 * np.max(most_changed, axis=1, initial=0.0))
    return np.asarray(np.maximum(by_speed, by_acceleration), np.float64)


def _inside(bounds: Bounds, frames: Int64, around: Int64) -> Int64:
    """Return frames around those of examples; beyond its ends an example holds its first or last frame."""
    example = bounds.example_of(frames)
    return np.asarray(np.clip(frames + around, bounds.starts[example], bounds.ends[example] - 1))


def _mirrored(bounds: Bounds, positions: NDArray[Any], examples: Int64, rate: float) -> Float64:
    """Return positions `(X,)` in examples; those beyond an end are mirrored, by less and less until they come to rest.

    A movement beyond an end slows down steadily over a transition's window, in which it goes half as far as at its
    speed at the end. If it stopped at once, joints would jerk.
    """
    first, last, window = bounds.starts[examples], bounds.ends[examples] - 1, 2 * half_window(rate)
    past = np.clip(np.maximum(positions - last, first - positions), 0.0, window)
    inside = past - past**2 / (2 * window)
    mirrored = np.where(positions > last, last - inside, np.where(positions < first, first + inside, positions))
    return np.asarray(np.clip(mirrored, first, last), np.float64)
