# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossfades over transitions: their places, and the lengths that the gaps between both sides require."""

from dataclasses import dataclass, replace
from itertools import zip_longest
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
from .sources import SOURCE_COLUMNS, Source, mean_of, nearest_frames

SHORTEST_CROSSFADE_SECONDS = 1 / 3
LONGEST_CROSSFADE_SECONDS = 2.0
"""Durations, in seconds, of crossfades between nearly equal poses and between the most different ones."""
LEAST_ROOM = 0.25
"""Speed that a crossfade may always add to a joint, even a fast one, as a share of the example's highest speed; other
joints may become as fast as the example's fastest."""
ANGULAR_ACCELERATION_SHARE = 0.1
"""Largest change of a joint's angular speed in a crossfade, from one frame to the next, as a share of the example's
highest."""
COLUMNS = ("frames", "before", "after", "behind", "ahead", "leaves", "arrivals", "weights")
"""The names of the arrays of crossfades."""


@dataclass(frozen=True, eq=False)
class Crossfades:
    """The overlaps of segments: for X output frames, both sources and the weight of the later one.

    frames, before, after: `(X,)` indices of output frames and of both sides' example frames. behind, ahead: `(X,)` the
    same as before and after, except that frames beyond an example's end are mirrored, see `_mirrored`. leaves,
    arrivals: `(X,)` the two sides of the transition itself. weights: `(X,)`, 0 to 1. sides: if segments are not plain,
    or a crossfade reaches over others, all sources before and all after each transition; the indices are then the
    frames nearest to the first source.
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

    def take(self, chosen: Mask) -> "Crossfades":
        """Return the crossfades at some of the X frames, by a mask."""
        columns = {name: getattr(self, name)[chosen] for name in COLUMNS}
        sides = None
        if self.sides is not None:
            before, after = (tuple(source.take(chosen) for source in side) for side in self.sides)
            sides = (before, after)
        return Crossfades(**columns, sides=sides)

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
    needed_halves = np.rint(longest / 2).astype(np.int64)
    if seamless is not None:
        needed_halves[seamless] = 0
    halves = np.minimum(needed_halves, np.minimum(lengths[:-1], lengths[1:]) // 2)
    wide = _widened(needed_halves, halves, starts, segments.frames)
    is_wide = wide > halves
    planned = _around(segments, bounds, leaving, arriving, np.where(is_wide, 0, halves), rate)
    if segments.plain and not is_wide.any():
        return planned
    sources = segments.weighted_sources()
    planned = _with_sides(planned, sources, bounds, rate)
    if not is_wide.any():
        return planned
    over = _around(
        segments, bounds, leaving, arriving, np.where(is_wide, wide, 0), rate, _covered(wide, is_wide, starts)
    )
    return _over(_with_sides(over, _crossfaded(sources, planned), bounds, rate), planned)


def _widened(needed: Int64, halves: Int64, places: Int64, frames: int) -> Int64:
    """Return half the lengths `(K,)` of crossfades at `places`, of which those beside short segments are longer.

    They reach over transitions that need less than half as long, and up to halfway to others.
    """
    wide, taken = halves.copy(), np.zeros(len(halves), bool)
    short = np.flatnonzero(needed > halves)
    for index in short[np.argsort(-needed[short], kind="stable")]:
        place, first, end = places[index], places - wide, places + wide
        if (taken & (first < place) & (place < end)).any():
            continue
        rivals = np.append(places[(2 * needed >= needed[index]) & (places != place)], (0, frames))
        room = min(
            (place - rivals[rivals < place].max()) // 2,
            (rivals[rivals > place].min() - place) // 2,
            place - end[taken & (places < place)].max(initial=0),
            first[taken & (places > place)].min(initial=frames) - place,
        )
        wide[index], taken[index] = max(min(needed[index], room), halves[index]), True
    return wide


def _covered(wide: Int64, is_wide: Mask, places: Int64) -> tuple[Int64, Int64]:
    """Return the first frames `(K,)` and the ends of wide crossfades, with all of each narrow one that they meet."""
    first, end = places - wide, places + wide
    for index in np.flatnonzero(is_wide):
        met = ~is_wide & (first < end[index]) & (first[index] < end)
        before = end[is_wide & (places < places[index])].max(initial=0)
        after = first[is_wide & (places > places[index])].min(initial=np.iinfo(np.int64).max)
        first[index] = max(first[met].min(initial=first[index]), before)
        end[index] = min(end[met].max(initial=end[index]), after)
    return first, end


def _around(
    segments: Segments,
    bounds: Bounds,
    leaving: Int64,
    arriving: Int64,
    halves: Int64,
    rate: float,
    covered: tuple[Int64, Int64] | None = None,
) -> Crossfades:
    """Return crossfades over `halves` `(K,)` frames before and after each transition, from `leaving` to `arriving`.

    covered: the first frames `(K,)` and the ends of those that have more frames, at which they show one side alone.
    """
    places = segments.starts[1:]
    first, end = (places - halves, places + halves) if covered is None else covered
    counts = np.where(halves > 0, end - first, 0)
    number = np.repeat(np.arange(len(halves)), counts)
    around = consecutive_from(first - places, counts)
    share = (around + halves[number] + 0.5) / (2 * halves[number])
    leave, arrive = leaving[number], arriving[number]
    return Crossfades(
        places[number] + around,
        _inside(bounds, leave, 1 + around),
        _inside(bounds, arrive, around),
        _mirrored(bounds, leave + 1 + around, bounds.example_of(leave), rate),
        _mirrored(bounds, arrive + around, bounds.example_of(arrive), rate),
        leave,
        arrive,
        np.asarray(smoothstep(np.clip(share, 0.0, 1.0)), np.float32),
    )


def _with_sides(crossfades: Crossfades, sources: tuple[Source, ...], bounds: Bounds, rate: float) -> Crossfades:
    """Return the crossfades with all sources of both sides, which continue at their own rates beyond the transition."""
    starts = crossfades.starts
    early = np.add.reduceat(crossfades.weights < 0.5, starts, dtype=np.int64) if len(starts) else starts
    edges = np.repeat(crossfades.frames[starts] + early, np.diff(starts, append=len(crossfades.frames)))
    before = tuple(_going_on(source, crossfades.frames, edges - 1, np.minimum, bounds, rate) for source in sources)
    after = tuple(_going_on(source, crossfades.frames, edges, np.maximum, bounds, rate) for source in sources)
    return replace(
        crossfades,
        before=nearest_frames(before[0].positions),
        after=nearest_frames(after[0].positions),
        sides=(before, after),
    )


def _crossfaded(sources: tuple[Source, ...], crossfades: Crossfades) -> tuple[Source, ...]:
    """Return the sources of all output frames, and as further ones the weaker side of each crossfade."""
    assert crossfades.sides is not None
    at, late = crossfades.frames, crossfades.weights >= 0.5
    share = np.zeros(len(sources[0].weights))
    share[at] = np.where(late, 1.0 - crossfades.weights, crossfades.weights)
    stronger = tuple(replace(source, weights=source.weights * (1.0 - share)) for source in sources)
    weaker = []
    for source, before, after in zip(sources, *crossfades.sides, strict=True):
        columns = {name: np.where(late, getattr(before, name), getattr(after, name)) for name in SOURCE_COLUMNS}
        columns["weights"] *= share[at]
        weaker.append(source.weightless().with_values(at, columns))
    return (*stronger, *weaker)


def _over(wide: Crossfades, planned: Crossfades) -> Crossfades:
    """Return the wide crossfades, and what they do not cover of those planned."""
    rest = planned.take(~np.isin(planned.frames, wide.frames))
    order = np.argsort(np.concatenate((wide.frames, rest.frames)), kind="stable")
    columns = {name: np.concatenate((getattr(wide, name), getattr(rest, name)))[order] for name in COLUMNS}
    assert wide.sides is not None and rest.sides is not None
    before, after = (
        tuple(
            source.followed_by(other).take(order)
            for source, other in zip_longest(side, others, fillvalue=others[0].weightless())
        )
        for side, others in zip(wide.sides, rest.sides, strict=True)
    )
    return Crossfades(**columns, sides=(before, after))


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
    example = bounds.example_of(np.floor(source.positions[inside]).astype(np.int64))
    beyond = source.positions[inside] + source.rates[edges] * (frames - inside)
    positions = np.clip(beyond, bounds.starts[example], bounds.ends[example] - 1)
    mirrored = _mirrored(bounds, beyond, example, rate)
    if source.mirrored is not None:
        mirrored = np.where(inside == frames, source.mirrored[inside], mirrored)
    return Source(positions, source.rates[inside], source.weights[inside], mirrored)


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
    seen = crossfades.take((crossfades.frames >= first) & (crossfades.frames < end))
    return inside, replace(seen, frames=seen.frames - first)


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
