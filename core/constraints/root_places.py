# SPDX-License-Identifier: GPL-3.0-or-later
"""Guidance of the root through fixed places: it is turned and stretched between them, most where it moves fastest."""

from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.root_motion import RootTrack

STANDING_SHARE = 0.1
"""Share of the mean speed that is added to the root's speed, so that a standing root can be moved as well."""


def lead_through(track: RootTrack, given: RootTrack, place: Mask, up: tuple[float, float, float]) -> RootTrack:
    """Return the integrated track, with the places and headings of `given` (K frames) at the frames `place` `(F,)`."""
    fixed = np.flatnonzero(place)
    if not len(fixed):
        return track
    turned = rotations.multiply(given.heading, rotations.inverse(track.heading[fixed]))
    corrected = _corrected(track, fixed, given.ground, fixed, rotations.angle_about(turned, np.array(up)), up)
    heading, ground = corrected.heading, corrected.ground
    heading[fixed], ground[fixed] = given.heading, given.ground
    return replace(corrected, heading=heading, ground=ground)


def lead_to(
    track: RootTrack,
    place_frames: Int64,
    places: Array,
    turn_frames: Int64,
    turns: Array,
    up: tuple[float, float, float],
) -> RootTrack:
    """Return the integrated track, guided to K places at their frames, and turned to H headings at theirs.

    place_frames `(K,)`, places `(K, 3)` on the ground; turn_frames `(H,)`, turns `(H,)` radians about up, from rest.
    """
    angles = rotations.angle_about(track.heading[turn_frames].astype(np.float64), np.array(up))
    return _corrected(track, place_frames, places, turn_frames, wrap_angle(turns - angles), up)


def _corrected(
    track: RootTrack,
    fixed: Int64,
    places: Array,
    turned: Int64,
    angles: Array,
    up: tuple[float, float, float],
) -> RootTrack:
    """Return the track turned by `angles` `(H,)` at frames `turned`, and then moved to `places` at frames `fixed`."""
    axis, frames = np.array(up), len(track.velocity)
    turns = _between(turned, np.unwrap(angles), np.ones(frames)) if len(turned) else np.zeros(frames)
    spin = rotations.from_axis_angle(np.broadcast_to(axis, (len(turns), 3)), turns)
    heading = rotations.multiply(spin, track.heading.astype(np.float64))
    steps = rotations.rotate(spin[:-1], np.diff(track.ground.astype(np.float64), axis=0))
    ground = np.concatenate((np.zeros((1, 3)), np.cumsum(steps, axis=0)))
    speeds = np.append(np.linalg.norm(steps, axis=1), 0.0)
    speeds = speeds + STANDING_SHARE * max(float(speeds.mean()), 1e-9)
    ground += _between(fixed, places - ground[fixed], speeds) if len(fixed) else track.ground[:1].astype(np.float64)
    return track.along(heading, ground)


def _between(fixed: Int64, values: Array, speeds: Array) -> Float64:
    """Return values `(K, ...)` at fixed frames, interpolated smoothly, and most where `speeds` `(F,)` are high."""
    frames = len(speeds)
    spread = np.empty((frames, *values.shape[1:]))
    spread[: fixed[0]], spread[fixed[-1] :] = values[0], values[-1]
    spread[fixed] = values
    for number in np.flatnonzero(np.diff(fixed) > 1):
        first, last = int(fixed[number]), int(fixed[number + 1])
        share = (np.arange(last - first) + 0.5) / (last - first)
        pace = np.cumsum(speeds[first:last] * share * (1.0 - share))
        eased = (pace[:-1] / pace[-1]).reshape((-1,) + (1,) * (values.ndim - 1))
        spread[first + 1 : last] = values[number] + eased * (values[number + 1] - values[number])
    return spread
