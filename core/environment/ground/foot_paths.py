# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of feet over uneven ground: from foothold to foothold, tilted with the ground and clear of it."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...errors import InputError
from ...feet.footsteps import MOST_RISE, Stance, stances
from ...motion import rotations
from ...motion.motion import Motion
from ...motion.spans import spans
from .footholds import STEP_UP, SUNK, Footholds, Passing, check_floors, floors_under, plan_footholds
from .soles import Sole, find_sole, flat_level
from .standing import GroundContacts
from .steps import FixedPlace, Shifts, no_shifts, shorten_steps
from .surface import Surface
from .swings import carry, lifts

PASSING_SECONDS = (0.033, 0.067, 0.1, 0.133, 0.167)
"""Times, in seconds, before a foot lands and after it leaves at which the ground in its way is examined, and at as many
frames while it stands: feet roll and slide."""
PASSING_POINTS = (0, 3, 6, 7)
"""Numbers of the examined points of a sole, see find_sole: the heel, the middle and both corners of the tip."""


@dataclass(frozen=True, eq=False)
class Track:
    """A foot on flat ground: its sole at every frame, and its stances."""

    sole: Sole
    stances: list[Stance]


@dataclass(frozen=True, eq=False)
class PlannedTrack:
    """Stances of a foot and the foothold of each.

    ends: `(2, 2)` moves along the ground at the first and last frame, in addition to those of the nearest stances.
    """

    stances: list[Stance]
    footholds: Footholds
    ends: Float64


@dataclass(frozen=True, eq=False)
class FootPath:
    """Path of a foot, in the coordinates of the ground.

    tilt: `(T, 4)` of the foot. moves: `(T, 3)` of its ankle, after tilting in place. ground: `(T, 3)` moves along the
    ground, and the height of the ground that the path follows, without lifts. slopes: `(T, 2)` of that ground along
    both axes. room: `(T,)` height of the foot above what it needs to clear the ground.
    """

    tilt: Float64
    moves: Float64
    ground: Float64
    slopes: Float64
    room: Float64


def find_tracks(motion: Motion, standing: GroundContacts, surface: Surface) -> tuple[dict[int, Track], float]:
    """Return the feet with legs, by number, as they move on flat ground, and the height of that ground."""
    legs = [index for index, foot in enumerate(standing.feet) if foot.has_leg]
    level = flat_level(motion, [standing.feet[index] for index in legs], standing.contacts[:, legs], surface)
    tracks, nowhere = {}, np.zeros(0, np.int64)
    for index in legs:
        contacts = standing.contacts[:, index]
        sole = find_sole(motion, standing.feet[index], contacts, level, surface)
        along = sole.ball * np.array([1.0, 1.0, 0.0])
        foot_stances = stances(contacts, along, nowhere, motion.frames_per_second, motion.skeleton.size)
        # A foot that never stands for long, as in a trot, goes from touch to touch.
        foot_stances = foot_stances or [Stance(*touch, along[slice(*touch)].mean(axis=0)) for touch in spans(contacts)]
        tracks[index] = Track(sole, foot_stances)
    return tracks, level


def plan_tracks(
    surface: Surface,
    motion: Motion,
    standing: GroundContacts,
    tracks: dict[int, Track],
    level: float,
    rise: Float64,
    first_frame: float = 0.0,
    travel: Float64 | None = None,
    fixed: tuple[int, float] | None = None,
) -> tuple[dict[int, PlannedTrack], Shifts]:
    """Return the footholds of all feet, by number and planned together in the order of time, and the shifts of steps.

    rise: `(T,)`, first_frame, fixed: see put_on_ground. travel: `(T, 2)` the body's path along the ground, whose steps
    may be shortened; None if they may not. Raises InputError if no foot stands, or there is no ground under one.
    """
    rate, size = motion.frames_per_second, motion.skeleton.size
    order = sorted(
        (stance.first, index, number) for index, track in tracks.items() for number, stance in enumerate(track.stances)
    )
    if not order:
        raise InputError("No foot stands long enough to be put anywhere; choose a motion that walks or stands.")
    frames = np.array([_flattest(tracks[index], number) for _, index, number in order])
    soles = np.array([tracks[index].sole.points[frame] for (_, index, _), frame in zip(order, frames, strict=True)])
    balls = np.array([tracks[index].sole.ball[frame] for (_, index, _), frame in zip(order, frames, strict=True)])
    middles = soles[..., :2].mean(axis=1)
    shifts = no_shifts(len(order))
    if travel is not None:
        ordered = [tracks[index].stances[number] for _, index, number in order]
        stays = None if fixed is None else _fixed_place(ordered, *fixed)
        shifts = shorten_steps(surface, middles, frames, travel, level, size, stays)
    soles[..., :2] += shifts.stances[:, None]
    floors = floors_under(surface, middles + shifts.stances, level, np.diff(rise[frames], prepend=0.0), size)
    names = [motion.skeleton.names[standing.feet[index].leg[-1]] for _, index, _ in order]
    check_floors(floors, frames, names, first_frame)
    passing = _passing(tracks, order, level, rate, size)
    passing = replace(passing, places=passing.places + shifts.stances[:, None])
    most_rise = MOST_RISE if travel is None else np.inf
    footholds = plan_footholds(surface, soles, passing, floors, size, most_rise)
    under_ball = footholds.heights + (footholds.slopes * (balls[:, :2] - middles)).sum(axis=1)
    planned = {}
    for index, track in tracks.items():
        rows = np.array([row for row, entry in enumerate(order) if entry[1] == index], np.int64)
        if len(rows):
            moves = shifts.stances[rows] + footholds.moves[rows]
            ends = shifts.ends - shifts.stances[rows[[0, -1]]]
            planned[index] = PlannedTrack(
                track.stances, Footholds(moves, under_ball[rows], footholds.slopes[rows]), ends
            )
    return planned, shifts


def _fixed_place(stances: list[Stance], frame: int, higher: float) -> FixedPlace:
    """Return the fixed place of the body at a frame, with the stances that last then."""
    lasting = [stance.first <= frame < stance.end for stance in stances]
    return FixedPlace(frame, higher, np.array(lasting))


def _passing(
    tracks: dict[int, Track], order: list[tuple[int, int, int]], level: float, rate: float, size: float
) -> Passing:
    """Return the examined points of soles near their stances; order: first frame, foot and stance number of each."""
    seconds = np.array(PASSING_SECONDS)
    places, above = [], []
    for _, index, number in order:
        points, stance = tracks[index].sole.points[:, PASSING_POINTS], tracks[index].stances[number]
        away = np.maximum(np.round(seconds * rate).astype(np.int64), 1)
        inside = np.linspace(stance.first, stance.end - 1, len(seconds)).astype(np.int64)
        frames = np.concatenate((stance.first - away, stance.end - 1 + away, inside))
        seen = points[np.clip(frames, 0, len(points) - 1)]
        outside = (frames < 0) | (frames >= len(points))
        places.append(seen[..., :2].reshape(-1, 2))
        room = np.where(outside, np.inf, SUNK * size)[:, None]
        above.append((np.maximum(seen[..., 2] - level, 0.0) + room).reshape(-1))
    return Passing(np.array(places), np.array(above))


def _flattest(track: Track, number: int) -> int:
    """Return the frame of a stance at which the sole is lowest."""
    stance = track.stances[number]
    heights = track.sole.points[stance.first : stance.end, :, 2].sum(axis=1)
    return stance.first + int(np.argmin(heights))


def foot_path(
    surface: Surface, track: Track, planned: PlannedTrack, level: float, rate: float, size: float
) -> FootPath:
    """Return the path of a foot over its footholds; level: the height of the flat ground of the track."""
    sole = track.sole
    carried = carry(*_with_ends(surface, track, planned, size), len(sole.ball))
    ground, slopes = carried[:, :3], carried[:, 3:]
    normals = np.concatenate((-slopes, np.ones((len(slopes), 1))), axis=1)
    tilt = np.asarray(
        rotations.shortest_turn(np.broadcast_to(np.array([0.0, 0.0, 1.0]), normals.shape), normals), np.float64
    )
    offset = sole.ball + ground - np.array([0.0, 0.0, level])
    points = offset[:, None] + rotations.rotate(tilt[:, None], sole.points - sole.ball[:, None])
    lifted, room = lifts(surface, points, sole.points[..., 2] - level, ground[:, 2], planned.stances, rate, size)
    offset[:, 2] += lifted
    ankle = offset + rotations.rotate(tilt, sole.ankle - sole.ball)
    return FootPath(tilt, ankle - sole.ankle, ground, slopes, room)


def _with_ends(surface: Surface, track: Track, planned: PlannedTrack, size: float) -> tuple[list[Stance], Float64]:
    """Return the stances and their values `(N, 5)`: moves and height of the foothold, and slopes of the ground.

    For a foot that is in the air at the first or last frame, a stance on the ground under it is added there.
    """
    stances, footholds, ball = list(planned.stances), planned.footholds, track.sole.ball
    values = np.concatenate((footholds.moves, footholds.heights[:, None], footholds.slopes), axis=1)
    last = len(ball) - 1
    for frame, at in ((last, len(stances)), (0, 0)):
        beside = stances[0] if frame == 0 else stances[-1]
        if beside.first <= frame < beside.end:
            continue
        near = values[0 if frame == 0 else -1].copy()
        near[:2] += planned.ends[0 if frame == 0 else 1]
        under = surface.heights(ball[frame : frame + 1, :2] + near[:2], near[2:3] + STEP_UP * size)[0]
        near[2:] = (near[2] if np.isnan(under) else under), 0.0, 0.0
        stances.insert(at, Stance(frame, frame + 1, ball[frame]))
        values = np.insert(values, at, near, axis=0)
    return stances, values
