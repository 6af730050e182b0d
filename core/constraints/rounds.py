# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of a repeated motion: segments around its seam, and the root from one round to the next."""

from dataclasses import replace

import numpy as np

from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.root_motion import RootTrack
from ..planning.segments import Segments
from .constraint import Closing


def segments_around(segments: Segments, least: int) -> tuple[Segments, int]:
    """Return the segments with whole ones of neighboring rounds, of at least `least` frames, and the round's start."""
    starts, sources = list(segments.starts), list(segments.sources)
    lengths = list(segments.lengths)
    before: list[tuple[int, float]] = []
    count, total = 0, 0
    while total < least or count < 2:
        index = -1 - count % len(starts)
        total += int(lengths[index])
        before.insert(0, (-total, sources[index]))
        count += 1
    after: list[tuple[int, float]] = []
    count, behind = 0, 0
    while behind < least or count < 2:
        index = count % len(starts)
        after.append((segments.frames + behind, sources[index]))
        behind += int(lengths[index])
        count += 1
    every = [*before, *zip(starts, sources, strict=True), *after]
    frames = total + segments.frames + behind
    surrounded = Segments(
        np.array([start + total for start, _ in every]), np.array([source for _, source in every]), frames
    )
    return surrounded.timed_as(segments, (np.arange(frames) - total) % segments.frames), total


def closing_of(track: RootTrack, up: tuple[float, float, float]) -> Closing:
    """Return the placement of the round that follows an integrated track."""
    total = float(track.yaw_rate.sum())
    turn = wrap_angle(total)
    turn = 0.0 if abs(turn) < 1e-4 else turn
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    end = track.ground[-1].astype(np.float64) + last
    spin = rotations.from_axis_angle(np.array(up), np.array(turn))
    return Closing(end - rotations.rotate(spin, track.ground[0].astype(np.float64)), turn)


def ending_where_it_began(track: RootTrack) -> RootTrack:
    """Return an integrated track that ends where it began after its last step; the difference is spread evenly."""
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    drift = track.ground[-1] + last - track.ground[0]
    share = np.arange(len(track.ground))[:, None] / len(track.ground)
    return replace(track, ground=(track.ground - share * drift).astype(np.float32))


def rounds_around(
    track: RootTrack, body: RootTrack, closing: Closing, first: int, up: tuple[float, float, float]
) -> RootTrack:
    """Return `body`, the frames around a round that begins at its frame `first`, placed by the round's `track`."""
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
