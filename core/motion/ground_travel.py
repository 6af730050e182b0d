# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth travel of a body over the ground, for the root joint of a game engine's character (root motion)."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64
from . import rotations
from .filters import largest_beside, smooth_line, wrap_angle
from .root_motion import IN_PLACE_NET, UPRIGHT
from .spans import spans

SWAY_SECONDS = 0.35
"""Deviation, in seconds, of the Gaussian that separates travel (places, speeds and headings) from sway. At one stride a
second it leaves a tenth of the hips' sway."""
STANDS = 0.1
"""Speed, in sizes per second, below which a body stands: a fifth of a slow walk's."""
STRIDE_SECONDS = 1.0
"""Duration, in seconds, of a walker's stride. A body that stays in one place for as long stands."""
STANDING_SPAN = 0.05
"""Largest range of a standing body's smoothed place, as a share of its size: it may shift its weight."""
STANDING_TURN = np.radians(8.0)
"""Largest range of a constant heading, in radians: a walk's hips turn this far."""
MOST_SPANS = 2.0
"""Largest range of a standing stretch, in multiples of STANDING_SPAN; a stretch with a larger one is slow travel."""
WEIGHTY_SECONDS = 0.1
"""Deviation, in seconds, of the Gaussian that smooths changes of a root's speed, since a body has weight: between
standing and traveling, by a foot's guidance, and the rise and fall within a stride."""
IN_THE_AIR_SECONDS = 1.2
"""Longest time, in seconds, without ground contact: no jump lasts longer."""
CLIMB = 0.15
"""Smallest height of the ground, or change of it, that counts, as a share of the size. It is two stairs; recorded
dances drift by 0.11."""


@dataclass(frozen=True, eq=False)
class GroundTravel:
    """Travel of T frames: places on the ground `(T, 3)`, and turns about the up axis from rest `(T,)`, in radians.

    >>> GroundTravel(np.zeros((60, 3)), np.zeros(60)).turns.shape
    (60,)
    """

    places: Float64
    turns: Float64


@dataclass(frozen=True, eq=False)
class BodyTrack:
    """The body's trajectory over T frames, from which its travel follows.

    orientations: `(T, 4)` of the joint that carries the body, relative to its orientation at rest. places: `(T, 3)` of
    that joint. lowest: `(T,)` height of the lowest joint. up: the up axis. size: of the skeleton. rate: frames per
    second. closes: the last frame begins the next round of a loop. ahead: `(3,)` the joint's place at rest, relative to
    the root's.

    >>> still = np.tile([1.0, 0.0, 0.0, 0.0], (60, 1))
    >>> BodyTrack(still, np.zeros((60, 3)), np.zeros(60), up=(0.0, 0.0, 1.0), size=1.7, rate=30.0).closes
    False
    """

    orientations: Array
    places: Array
    lowest: Array
    up: tuple[float, float, float]
    size: float
    rate: float
    closes: bool = False
    ahead: tuple[float, float, float] = (0.0, 0.0, 0.0)


def ground_travel(track: BodyTrack) -> GroundTravel:
    """Return the travel of a body, without its sway and constant where the body stands.

    The height is that of the ground, and changes only where the ground climbs. The travel of a loop continues from its
    last frame as from its first.

    >>> turned = np.tile([1.0, 0.0, 0.0, 0.0], (60, 1))
    >>> ahead = np.linspace((0.0, 0.0, 1.0), (0.0, -2.0, 1.0), 60)
    >>> travel = ground_travel(BodyTrack(turned, ahead, np.zeros(60), (0.0, 0.0, 1.0), 1.7, 30.0))
    >>> travel.places[[0, -1]].round(3).tolist(), float(abs(travel.turns).max())
    ([[0.0, 0.0, 0.0], [0.0, -2.0, 0.0]], 0.0)
    """
    up = np.array(track.up, np.float64)
    axes = rotations.ground_axes(track.up)
    if not track.closes or len(track.places) < 2:
        travel = _travel(track, track.places @ axes.T, _headings(track.orientations, up), axes, up)
    else:
        travel = _travel_of_loop(track, axes, up)
    return _from_root(travel, np.array(track.ahead, np.float64), up, track.size)


def _from_root(travel: GroundTravel, ahead: Float64, up: Float64, size: float) -> GroundTravel:
    """Return the travel of the root: the body keeps the horizontal distance from it that it has at rest.

    A body farther away than one stays in place was recorded there, and the root is placed below it.
    """
    flat = ahead - (ahead @ up) * up
    if np.linalg.norm(flat) > IN_PLACE_NET * size:
        return travel
    turns = rotations.from_axis_angle(up, travel.turns)
    return replace(travel, places=travel.places - rotations.rotate(turns, np.broadcast_to(flat, (len(turns), 3))))


def _travel(track: BodyTrack, flat: Float64, turns: Float64, axes: Float64, up: Float64) -> GroundTravel:
    places = _steady(flat.astype(np.float64), STANDING_SPAN * track.size, track.rate)
    heights = heights_under(track.lowest.astype(np.float64), track.size, track.rate)
    steady = _steady(turns[:, None], STANDING_TURN, track.rate)[:, 0]
    return GroundTravel(places @ axes + heights[:, None] * up, steady)


def _travel_of_loop(track: BodyTrack, axes: Float64, up: Float64) -> GroundTravel:
    """Return the travel of the middle one of three rounds, each of which begins where the one before ended."""
    flat, turns = track.places @ axes.T, _headings(track.orientations, up)
    count, turn = len(flat) - 1, float(turns[-1] - turns[0])
    before = (flat[:-1] - flat[-1]) @ _plane_turn(-turn).T + flat[0]
    after = (flat[:-1] - flat[0]) @ _plane_turn(turn).T + flat[-1]
    climb = float(track.lowest[-1] - track.lowest[0])
    lowest = np.concatenate([track.lowest[:-1] + number * climb for number in (-1, 0, 1)])
    rounds = replace(track, lowest=lowest)
    all_turns = np.concatenate([turns[:-1] + number * turn for number in (-1, 0, 1)])
    three = _travel(rounds, np.concatenate((before, flat[:-1], after)), all_turns, axes, up)
    places, steady = three.places[count : 2 * count + 1].copy(), three.turns[count : 2 * count + 1].copy()
    first = _plane_turn(turn) @ (axes @ places[0] - flat[0]) + flat[-1]
    # The last frame equals the first of the next round exactly, even where standing still has changed the borders.
    places[-1] = first @ axes + (places[0] @ up + three.places[2 * count] @ up - three.places[count] @ up) * up
    steady[-1] = steady[0] + turn
    return GroundTravel(places, steady)


def _plane_turn(angle: float) -> Float64:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _headings(orientations: Array, up: Float64) -> Float64:
    """Return the unwrapped turns `(T,)` about the up axis, interpolated over frames in which the body lies."""
    quaternions = orientations.astype(np.float64)
    upright = np.hypot(quaternions[:, 0], quaternions[:, 1:] @ up) > UPRIGHT
    if not upright.any():
        return np.zeros(len(quaternions))
    rows = np.flatnonzero(upright)
    turns = np.unwrap(wrap_angle(rotations.angle_about(rotations.twist_about(quaternions[rows], up), up)))
    return np.interp(np.arange(len(quaternions)), rows, turns)


def _steady(values: Float64, span: float, rate: float) -> Float64:
    """Return values `(T, C)` without their sway, and constant where they stay within `span` for long."""
    smoothed = np.asarray(smooth_line(values, SWAY_SECONDS * rate), np.float64).reshape(values.shape)
    stretches = _standing(smoothed, span, rate)
    if not stretches:
        return smoothed
    frames: list[int] = []
    offsets: list[Float64] = []
    for first, end in stretches:
        inside = slice(first, end)
        frames += range(first, end)
        offsets += list(values[inside].mean(axis=0) - smoothed[inside])
    rows = np.arange(len(values))
    moved = np.stack([np.interp(rows, frames, column) for column in np.array(offsets).T], axis=1)
    return np.asarray(smooth_line(smoothed + moved, WEIGHTY_SECONDS * rate)).reshape(values.shape)


def _standing(values: Float64, span: float, rate: float) -> list[tuple[int, int]]:
    """Return the spans of frames in which values `(T, C)` stay within `span` for long."""
    count = len(values)
    window = min(max(round(STRIDE_SECONDS * rate), 1) + 1, count)
    views = np.lib.stride_tricks.sliding_window_view(values, window, axis=0)
    calm = np.linalg.norm(np.ptp(views, axis=2), axis=1) <= span
    standing = np.convolve(calm, np.ones(window, int)) > 0
    return [
        (first, end)
        for first, end in spans(standing)
        if np.linalg.norm(np.ptp(values[first:end], axis=0)) <= MOST_SPANS * span
    ]


def heights_under(lowest: Float64, size: float, rate: float) -> Float64:
    """Return the ground's heights `(T,)` below a body; lowest: `(T,)` height of its lowest joint."""
    reach = max(round(0.5 * IN_THE_AIR_SECONDS * rate), 1)
    ground = largest_beside(-largest_beside(-lowest, reach), reach)
    base = float(ground.min())
    level = 0.0 if abs(base) <= CLIMB * size else base
    if np.ptp(ground) <= CLIMB * size:
        return np.full(len(lowest), level)
    smoothed = smooth_line(ground, SWAY_SECONDS * rate)
    return np.asarray(smoothed - base + level, np.float64)
