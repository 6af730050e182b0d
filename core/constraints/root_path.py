# SPDX-License-Identifier: GPL-3.0-or-later
"""A root that follows a path: its travel is laid along the way, its sway beside it (paper, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion import rotations
from ..motion.filters import smooth_line, smoothstep, wrap_angle
from ..motion.root_motion import RootTrack
from ..settings import Facing
from .spec import RootPath

Float64 = NDArray[np.floating]

STRIDE_SECONDS = 0.35
"""Deviation of the bell that takes travel and sway apart: about one stride."""
TURN_SECONDS = 0.15
"""A corner of the path is turned through in about this long."""
STANDING = 0.05
"""Who covers less than this share of his size in a second does not walk."""
SAME_POINT = 1e-9


@dataclass(frozen=True, eq=False)
class Followed:
    """A track laid along a path; rise: `(F,)` how much higher the ground is; notes: what the path does not allow."""

    track: RootTrack
    rise: Float64
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Way:
    """A path seen from above.

    places `(M, 2)` on the ground, heights `(M,)`, lengths `(M,)` how far along each lies, directions `(M - 1,)` in
    radians.
    """

    places: Float64
    heights: Float64
    lengths: Float64
    directions: Float64
    closed: bool

    @property
    def length(self) -> float:
        """The length of the way, once."""
        return float(self.lengths[-1])

    def at(self, along: Float64) -> tuple[Float64, Float64, Float64]:
        """Place `(F, 2)`, height `(F,)` and direction `(F,)` so far along; beyond an open end straight on."""
        inside = np.mod(along, self.length) if self.closed else np.clip(along, 0.0, self.length)
        place = np.stack([np.interp(inside, self.lengths, self.places[:, axis]) for axis in (0, 1)], axis=1)
        piece = np.clip(np.searchsorted(self.lengths, inside, side="right") - 1, 0, len(self.directions) - 1)
        direction = self.directions[piece]
        ahead = np.stack((np.cos(direction), np.sin(direction)), axis=1)
        beyond = np.zeros_like(along) if self.closed else along - inside
        return place + beyond[:, None] * ahead, np.interp(inside, self.lengths, self.heights), direction


@dataclass(frozen=True, eq=False)
class _Travel:
    """A track's own way: `along` `(F,)` how far it has come, from 0; `sway` `(F, 2)` off it, ahead and to the left.

    headings, direction `(F,)`: which way the character faces, and where it is going, radians; step: what comes
    after the last frame.
    """

    along: Float64
    sway: Float64
    headings: Float64
    direction: Float64
    step: float


def forward_of(tracks: Sequence[RootTrack], up: tuple[float, float, float]) -> Float64:
    """The direction `(3,)` that tracks travel in on the mean, as seen from their headings; of unit length."""
    mean = np.concatenate([track.velocity for track in tracks]).astype(np.float64).mean(axis=0)
    mean -= (mean @ np.array(up)) * np.array(up)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length > SAME_POINT else rotations.ground_axes(up)[0])


def follow(
    track: RootTrack,
    path: RootPath,
    facing: Facing,
    forward: Float64,
    up: tuple[float, float, float],
    rate: float,
    size: float,
    lap: bool = False,
) -> Followed:
    """The walked track laid along a path: its travel follows the way, its sway stays.

    forward: see forward_of. rate: frames per second. size: the skeleton's. lap: it ends where it begins, after whole
    rounds. Raises InputError where the path or the motion does not allow it.
    """
    if facing is not Facing.FREE and path.along:
        raise InputError("Where facing is kept nobody turns along a path; set Facing to Free, or Follow Curve off.")
    way, axes = _way_of(path, up), rotations.ground_axes(up)
    travel = _travel_of(track, path, axes, forward, up, rate, lap)
    along, notes = _progress(travel, way, path, rate, size, lap)
    place, height, direction = way.at(along)
    direction = smooth_line(np.unwrap(direction), TURN_SECONDS * rate, _turn_of(direction) if lap else None)
    if path.along:
        headings = direction - _angle_of(forward, axes) + travel.headings
        sway_axes = direction
    else:
        headings, sway_axes = None, travel.direction
    sway = _turned(travel.sway, sway_axes)
    flat = place + sway
    ground = (flat @ axes).astype(np.float32)
    heading = track.heading
    if headings is not None:
        turns = rotations.from_axis_angle(np.broadcast_to(np.array(up), (len(flat), 3)), headings)
        heading = turns.astype(np.float32)
    rise = height - height[0] if path.climbs else np.zeros(len(along))
    return Followed(_with_velocities(track, heading, ground, up), rise, notes)


def target_rates(
    path: RootPath, frames: int, speed: float, up: tuple[float, float, float]
) -> tuple[Float64 | None, Float64]:
    """Return the speed `(F,)` that a path asks of the root (None: free) and its turn, per frame.

    speed: how fast the root goes by itself. Raises InputError for a path without length.
    """
    way = _way_of(path, up)
    along: Float64
    given = path.progress is not None or path.arrives
    if path.progress is not None:
        along = np.asarray(path.progress, np.float64) * way.length
    else:
        along = np.arange(frames) * (way.length / max(frames - 1, 1) if path.arrives else speed)
    turned = np.asarray(np.unwrap(way.at(along)[2]), np.float64)
    turn = np.diff(smooth_line(turned, max(frames / 60, 3.0)), append=np.nan)
    if len(turn) > 1:
        turn[-1] = turn[-2]
    pace = np.abs(np.diff(along, append=2 * along[-1] - along[-2] if frames > 1 else along[-1]))
    return (pace if given else None), np.nan_to_num(turn)


def _way_of(path: RootPath, up: tuple[float, float, float]) -> _Way:
    points = np.asarray(path.points, np.float64)
    if path.closed:
        points = np.concatenate((points, points[:1]))
    places = points @ rotations.ground_axes(up).T
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    scale = float(np.abs(points).max())
    kept = np.concatenate(([True], steps > SAME_POINT * max(scale, SAME_POINT)))
    places, heights = places[kept], (points @ np.array(up))[kept]
    if len(places) < 2:
        raise InputError("The path has no length along the ground; draw it longer or choose another curve.")
    steps = np.diff(places, axis=0)
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(steps, axis=1))))
    return _Way(places, heights, lengths, np.arctan2(steps[:, 1], steps[:, 0]), path.closed)


def _travel_of(
    track: RootTrack,
    path: RootPath,
    axes: Float64,
    forward: Float64,
    up: tuple[float, float, float],
    rate: float,
    lap: bool,
) -> _Travel:
    flat = track.ground.astype(np.float64) @ axes.T
    heading = track.heading.astype(np.float64)
    angles = np.unwrap(rotations.angle_about(heading, np.array(up)))
    last = rotations.rotate(heading[-1:], track.velocity[-1:].astype(np.float64))[0] @ axes.T
    width = STRIDE_SECONDS * rate
    faced = smooth_line(angles, width, _whole_turns(angles, track) if lap else None)
    going = faced + _angle_of(forward, axes)
    if not path.along and np.ptp(angles) == 0:
        # Facing is kept: only the way itself tells where the root is going.
        smooth = smooth_line(flat, width)
        steps = np.linalg.norm(np.diff(smooth, axis=0), axis=1)
        along = np.concatenate(([0.0], np.cumsum(steps)))
        return _Travel(
            along, flat - smooth, angles - faced, np.zeros(len(flat)), float(steps[-1]) if len(steps) else 0.0
        )
    steps = np.concatenate((np.diff(flat, axis=0), last[None]))
    local = _turned(steps, -going)
    ways = np.concatenate((np.zeros((1, 2)), np.cumsum(local, axis=0)))
    whole = ways[-1] - ways[0]
    smooth = smooth_line(ways[:-1], width, whole if lap else None)
    along = np.maximum.accumulate(smooth[:, 0]) - smooth[0, 0]
    step = max(float(whole[0] - (smooth[-1, 0] - smooth[0, 0])), 0.0)
    return _Travel(along, ways[:-1] - smooth, angles - faced, going, step)


def _whole_turns(angles: Float64, track: RootTrack) -> float:
    """Return the turn of a round, radians: whole turns."""
    return float(np.round((angles[-1] + float(track.yaw_rate[-1]) - angles[0]) / (2 * np.pi)) * 2 * np.pi)


def _progress(
    travel: _Travel, way: _Way, path: RootPath, rate: float, size: float, lap: bool
) -> tuple[Float64, tuple[str, ...]]:
    """Return the root's distance along the way at each frame, and notes on what that leaves out."""
    frames, covered = len(travel.along), float(travel.along[-1])
    if path.progress is not None:
        return np.asarray(path.progress, np.float64) * way.length, ()
    stands = covered + travel.step < STANDING * size * frames / rate
    if path.arrives and not lap:
        if stands or covered <= 0:
            share = np.linspace(0.0, 1.0, frames)
            return way.length * smoothstep(share), ()
        return travel.along * (way.length / covered), ()
    if stands:
        raise InputError(
            "The examples stay in place and go nowhere along a path; choose In the Given Time or the curve's own speed."
        )
    if lap:
        if not way.closed:
            raise InputError("A loop needs a closed path; make the curve cyclic or switch Loop off.")
        rounds = max(1, round((covered + travel.step) / way.length))
        return travel.along * (rounds * way.length / (covered + travel.step)), ()
    return travel.along, () if way.closed else _notes_on_length(travel.along, way.length)


def _notes_on_length(along: Float64, length: float) -> tuple[str, ...]:
    frames, covered = len(along), float(along[-1])
    if covered > length * 1.01:
        reached = int(np.argmax(along > length)) + 1
        return (f"The end of the path is reached at frame {reached} of the motion; from there it goes straight on.",)
    if covered < length * 0.99:
        needed = int(np.ceil(frames * length / max(covered, SAME_POINT)))
        return (f"The motion ends before the end of the path; about {needed} frames would reach it.",)
    return ()


def _with_velocities(
    track: RootTrack, heading: NDArray[np.float32], ground: NDArray[np.float32], up: tuple[float, ...]
) -> RootTrack:
    """The track with another heading and ground, and the velocities that go with them."""
    if len(ground) < 2:
        return replace(track, heading=heading, ground=ground)
    steps = np.diff(ground, axis=0)
    steps = np.concatenate((steps, steps[-1:]))
    turn = rotations.multiply(rotations.inverse(heading[:-1]), heading[1:])
    rate = wrap_angle(rotations.angle_about(turn, np.array(up, np.float32)))
    return replace(
        track,
        heading=heading,
        ground=ground,
        velocity=rotations.rotate(rotations.inverse(heading), steps).astype(np.float32),
        yaw_rate=np.append(rate, rate[-1]).astype(np.float32),
    )


def _angle_of(vector: Float64, axes: Float64) -> float:
    flat = axes @ np.asarray(vector, np.float64)
    return float(np.arctan2(flat[1], flat[0]))


def _turned(vectors: Float64, angles: Float64) -> Float64:
    """Vectors `(F, 2)` turned by angles `(F,)`."""
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.stack(
        (cosine * vectors[:, 0] - sine * vectors[:, 1], sine * vectors[:, 0] + cosine * vectors[:, 1]), axis=1
    )


def _turn_of(direction: Float64) -> float:
    """Return the turn of directions in one round, radians: whole turns."""
    turned = np.unwrap(np.append(direction, direction[0]))
    return float(turned[-1] - turned[0])
