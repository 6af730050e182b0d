# SPDX-License-Identifier: GPL-3.0-or-later
"""Separation of a root's travel from its sway."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..motion import rotations
from ..motion.filters import smooth_line
from ..motion.ground_travel import SWAY_SECONDS
from ..motion.root_motion import RootTrack
from ..motion.rotations import SMALLEST_NORM


@dataclass(frozen=True, eq=False)
class Travel:
    """Travel and sway of a track.

    along: `(F,)` distance traveled, from 0. sway: `(F, 2)` offset from it, ahead and to the left. headings: `(F,)`
    heading relative to the smoothed one, in radians. direction: `(F,)` of the travel, in radians. step: distance
    traveled after the last frame.
    """

    along: Array
    sway: Array
    headings: Array
    direction: Array
    step: float


def forward_of(tracks: Sequence[RootTrack], up: tuple[float, float, float]) -> Array:
    """Return the mean direction of travel of tracks, a unit vector `(3,)` relative to their headings."""
    mean = np.concatenate([track.velocity for track in tracks]).astype(np.float64).mean(axis=0)
    mean -= (mean @ np.array(up)) * np.array(up)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length > SMALLEST_NORM else rotations.ground_axes(up)[0])


def travel_of(
    track: RootTrack,
    follows_curve: bool,
    axes: Array,
    forward: Array,
    up: tuple[float, float, float],
    rate: float,
    lap: bool,
) -> Travel:
    """Return the travel and the sway of a track.

    follows_curve: whether the character turns along the path. axes: of the ground. forward: see forward_of. rate:
    frames per second. lap: the track ends where it begins, after whole rounds.
    """
    flat = track.ground.astype(np.float64) @ axes.T
    heading = track.heading.astype(np.float64)
    angles = np.unwrap(rotations.angle_about(heading, np.array(up)))
    last = rotations.rotate(heading[-1:], track.velocity[-1:].astype(np.float64))[0] @ axes.T
    width = SWAY_SECONDS * rate
    faced = smooth_line(angles, width, _whole_turns(angles, track) if lap else None)
    going = faced + angle_of(forward, axes)
    if not follows_curve and np.ptp(angles) == 0:
        # Facing is kept, so the direction of travel is known only from the trajectory.
        smooth = smooth_line(flat, width)
        steps = np.linalg.norm(np.diff(smooth, axis=0), axis=1)
        along = np.concatenate(([0.0], np.cumsum(steps)))
        return Travel(
            along, flat - smooth, angles - faced, np.zeros(len(flat)), float(steps[-1]) if len(steps) else 0.0
        )
    steps = np.concatenate((np.diff(flat, axis=0), last[None]))
    local = rotations.turn_on_ground(steps, -going)
    places = np.concatenate((np.zeros((1, 2)), np.cumsum(local, axis=0)))
    covered = places[-1] - places[0]
    smooth = smooth_line(places[:-1], width, covered if lap else None)
    along = np.maximum.accumulate(smooth[:, 0]) - smooth[0, 0]
    step = max(float(covered[0] - (smooth[-1, 0] - smooth[0, 0])), 0.0)
    return Travel(along, places[:-1] - smooth, angles - faced, going, step)


def _whole_turns(angles: Array, track: RootTrack) -> float:
    """Return the turn of a round, in radians: whole turns."""
    return float(np.round((angles[-1] + float(track.yaw_rate[-1]) - angles[0]) / (2 * np.pi)) * 2 * np.pi)


def angle_of(vector: Array, axes: Array) -> float:
    flat = axes @ np.asarray(vector, np.float64)
    return float(np.arctan2(flat[1], flat[0]))
