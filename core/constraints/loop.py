# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion without end: segments around its seam, and the root from one round to the next."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.root_motion import RootTrack
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments

AROUND_SECONDS = 1.0
"""Stretch of the neighboring rounds that is composed with a loop, in seconds."""
STEEPEST_CLOSING = 0.6
"""A round that would end facing elsewhere is turned back by at most so many radians per second."""


@dataclass(frozen=True, eq=False)
class Closing:
    """The next round's placement: turned by `turn` radians about up through the origin, then moved by `shift`."""

    shift: NDArray[np.float64]
    turn: float

    @property
    def closes(self) -> bool:
        """True where every round faces as the one before."""
        return abs(self.turn) < 1e-4


def segments_around(segments: Segments, least: int) -> tuple[Segments, int]:
    """The segments of one round with whole segments of its neighbors, `least` frames or more, and where the round
    begins."""
    starts, sources = list(segments.starts), list(segments.sources)
    lengths = list(segments.lengths)
    before: list[tuple[int, int]] = []
    count, total = 0, 0
    while total < least or count < 2:
        index = -1 - count % len(starts)
        total += int(lengths[index])
        before.insert(0, (-total, int(sources[index])))
        count += 1
    after: list[tuple[int, int]] = []
    count, behind = 0, 0
    while behind < least or count < 2:
        index = count % len(starts)
        after.append((segments.frames + behind, int(sources[index])))
        behind += int(lengths[index])
        count += 1
    every = [*before, *zip(starts, sources, strict=True), *after]
    return Segments(
        np.array([start + total for start, _ in every]),
        np.array([source for _, source in every]),
        total + segments.frames + behind,
    ), total


def cropped(segments: Segments, crossfades: Crossfades, first: int, end: int) -> tuple[Segments, Crossfades]:
    """Segments and crossfades from frame `first` up to `end`, which then is frame 0 up to `end - first`."""
    kept = np.flatnonzero((segments.starts < end) & (segments.starts + segments.lengths > first))
    starts = np.maximum(segments.starts[kept], first)
    inside = Segments(starts - first, segments.sources[kept] + starts - segments.starts[kept], end - first)
    seen = (crossfades.frames >= first) & (crossfades.frames < end)
    columns = {
        name: getattr(crossfades, name)[seen] for name in ("before", "after", "behind", "ahead", "leaves", "arrivals")
    }
    return inside, Crossfades(frames=crossfades.frames[seen] - first, weights=crossfades.weights[seen], **columns)


def steered(track: RootTrack, rate: float) -> RootTrack:
    """The track, not yet walked, turned evenly so that after a round it faces as at first, if that is not too steep."""
    total = float(track.yaw_rate.sum())
    drift = wrap_angle(total)
    if abs(drift) > STEEPEST_CLOSING * len(track.yaw_rate) / rate:
        return track
    return replace(track, yaw_rate=(track.yaw_rate - drift / len(track.yaw_rate)).astype(np.float32))


def closing_of(track: RootTrack, up: tuple[float, float, float]) -> Closing:
    """Return the placement of the round that follows a walked track."""
    total = float(track.yaw_rate.sum())
    turn = wrap_angle(total)
    turn = 0.0 if abs(turn) < 1e-4 else turn
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    end = track.ground[-1].astype(np.float64) + last
    spin = rotations.from_axis_angle(np.array(up), np.array(turn))
    return Closing(end - rotations.rotate(spin, track.ground[0].astype(np.float64)), turn)


def stayed(track: RootTrack) -> RootTrack:
    """A walked track that ends where it began after its last step, what is off spread evenly."""
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    drift = track.ground[-1] + last - track.ground[0]
    share = np.arange(len(track.ground))[:, None] / len(track.ground)
    return replace(track, ground=(track.ground - share * drift).astype(np.float32))


def around(
    track: RootTrack, body: RootTrack, closing: Closing, first: int, up: tuple[float, float, float]
) -> RootTrack:
    """`body`, the frames around a round that begins at its frame `first`, placed by the walked `track` of the round."""
    frames = len(track.ground)
    at = np.arange(len(body.velocity)) - first
    rounds, inside = at // frames, at % frames
    ground, heading = track.ground[inside].astype(np.float64), track.heading[inside].astype(np.float64)
    spin = rotations.from_axis_angle(np.array(up), np.array(closing.turn))
    back = rotations.inverse(spin)
    for number in range(1, int(np.abs(rounds).max(initial=0)) + 1):
        later, earlier = rounds >= number, rounds <= -number
        ground[later] = rotations.rotate(np.broadcast_to(spin, (later.sum(), 4)), ground[later]) + closing.shift
        heading[later] = rotations.multiply(np.broadcast_to(spin, (later.sum(), 4)), heading[later])
        undone = ground[earlier] - closing.shift
        ground[earlier] = rotations.rotate(np.broadcast_to(back, (earlier.sum(), 4)), undone)
        heading[earlier] = rotations.multiply(np.broadcast_to(back, (earlier.sum(), 4)), heading[earlier])
    return replace(body, heading=heading.astype(np.float32), ground=ground.astype(np.float32))
