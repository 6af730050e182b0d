# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk along a gently winding path; cadence, stride and arm swing drift, so that no two steps are alike."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .sample_arms import Arm, hanging_arm
from .sample_curves import drift, spline_through, turned
from .sample_feet import Foothold, FootTrack, track
from .sample_posing import Controls

Array = NDArray[np.floating]

SECONDS = 10.0
STEP_SECONDS = 0.55
STEP_LENGTH = 0.62
HALF_WIDTH = 0.048
"""Meters from the path to the middle of each foot."""
TOE_OUT = 6.0
HIPS_AHEAD = 0.03
"""Meters by which the hips are ahead of the middle between the ankles' footholds when a heel strikes."""
GRAVITY = 9.81


@dataclass(frozen=True, eq=False)
class Gait:
    """Times at which a heel strikes and where along the path (meters); left and right take turns, left first."""

    strikes: Array
    places: Array


@dataclass(frozen=True, eq=False)
class Path:
    """The winding path: distances `(N,)`, ground positions `(N, 2)` and headings `(N,)` in degrees."""

    distances: Array
    points: Array
    headings: Array

    def heading(self, distance: Array) -> Array:
        """Degrees to the left at these distances."""
        return np.interp(distance, self.distances, self.headings)

    def point(self, distance: Array, left: Array | float = 0.0) -> Array:
        """Ground positions `(T, 2)`, `left` meters beside the path."""
        middle = np.stack([np.interp(distance, self.distances, column) for column in self.points.T], axis=-1)
        angle = np.radians(self.heading(distance))
        return np.asarray(middle + np.asarray(left)[..., None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1))


def walk(times: Array) -> Controls:
    """The walk at `times` `(T,)` in seconds."""
    gait, path = _gait(), _path()
    # The phase counts steps: even at a strike of the left heel, odd at one of the right.
    phase = spline_through(times, gait.strikes, np.arange(len(gait.strikes), dtype=np.float64))
    middles = (gait.places + np.r_[gait.places[0] - STEP_LENGTH, gait.places[:-1]]) / 2 + HIPS_AHEAD
    distance = spline_through(times, gait.strikes, middles)
    distance += 0.012 * np.sin(2 * np.pi * (phase + 0.05))
    vigour = 1 + 0.16 * drift(times, 5.3, 0.4)
    feet = (_foot(times, gait, path, 0), _foot(times, gait, path, 1))
    return Controls(
        travel=_travel(phase, distance, path, vigour),
        hips=_hips(phase, distance, path, vigour),
        chest=_chest(times, phase, distance, path, vigour),
        head=_head(times, phase, distance, path),
        arms=(_arm(times, phase, vigour, 1.0), _arm(times, phase, vigour, -1.0)),
        feet=feet,
    )


def _gait() -> Gait:
    """Steps from well before the start until well after the end."""
    steps = np.arange(-4, int(SECONDS / STEP_SECONDS) + 6, dtype=np.float64)
    briskness = drift(steps * STEP_SECONDS, 6.7, 1.1) + 0.35 * drift(steps * STEP_SECONDS, 2.3, 2.0)
    durations = STEP_SECONDS * (1 - 0.045 * briskness)
    lengths = STEP_LENGTH * (1 + 0.055 * briskness)
    first = int(np.flatnonzero(steps == 0)[0])
    strikes, places = np.cumsum(durations), np.cumsum(lengths)
    # The walk begins a third into a step, with the body above the origin.
    return Gait(strikes - strikes[first] - 0.36 * STEP_SECONDS, places - places[first])


def _path() -> Path:
    distances = np.arange(-5.0, 20.0, 0.01)
    headings = 32 * np.sin(2 * np.pi * distances / 13.5) + 11 * np.sin(2 * np.pi * distances / 5.9 + 0.6) - 6.0
    angle = np.radians(headings)
    points = np.cumsum(np.stack((np.sin(angle), -np.cos(angle)), axis=-1), axis=0) * 0.01
    return Path(distances, points - points[np.searchsorted(distances, 0.0)], headings)


def _foot(times: Array, gait: Gait, path: Path, side: int) -> FootTrack:
    """The track of the left (0) or right (1) foot: the heel strikes, the foot rolls off until the other has landed."""
    sign = 1.0 - 2.0 * side
    strikes, places = gait.strikes[side::2], gait.places[side::2]
    footholds = []
    for index in range(len(strikes) - 1):
        down, cycle = strikes[index], strikes[index + 1] - strikes[index]
        x, y = path.point(places[index : index + 1], sign * HALF_WIDTH)[0]
        variation = float(drift(strikes[index : index + 1], 4.1, 1.3 + side)[0])
        footholds.append(
            Foothold(
                x,
                y,
                heading=float(path.heading(places[index])) + sign * (TOE_OUT + 1.5 * variation),
                down=down,
                flat=down + 0.11 * cycle,
                heel_off=down + 0.33 * cycle,
                off=down + 0.60 * cycle,
                strike=17.0 + 2.0 * variation,
                push=-58.0 - 3.0 * variation,
                lift=0.04 + 0.004 * variation,
            )
        )
    return track(times, footholds)


def _travel(phase: Array, distance: Array, path: Path, vigour: Array) -> Array:
    """The hips ride up over each standing leg and lean towards it."""
    sway = 0.019 * np.sin(np.pi * (phase + 0.06))
    ground = path.point(distance, sway)
    height = -0.017 - 0.015 * vigour * np.cos(2 * np.pi * (phase - 0.10))
    return np.concatenate((ground, height[:, None]), axis=1)


def _lean(distance: Array, path: Path) -> Array:
    """Degrees of lean into the curve that the walking speed asks for."""
    around = 0.6  # meters over which the lean is averaged: nobody tips with every wiggle
    curvature = np.radians(path.heading(distance + around) - path.heading(distance - around)) / (2 * around)
    speed = STEP_LENGTH / STEP_SECONDS
    return np.degrees(np.arctan(speed**2 * curvature / GRAVITY))


def _hips(phase: Array, distance: Array, path: Path, vigour: Array) -> Array:
    """The pelvis turns with the leading leg, drops on the side of the swinging one, and nods twice a stride."""
    yaw = path.heading(distance) - 5.0 * vigour * np.cos(np.pi * (phase + 0.03))
    roll = 0.6 * _lean(distance, path) - 3.6 * np.sin(np.pi * (phase + 0.10))
    pitch = 4.0 + 1.2 * np.cos(2 * np.pi * (phase - 0.05))
    return turned(yaw, pitch, roll)


def _chest(times: Array, phase: Array, distance: Array, path: Path, vigour: Array) -> Array:
    """The chest turns against the pelvis, and towards the curve a little early."""
    yaw = path.heading(distance + 0.12) + 5.5 * vigour * np.cos(np.pi * (phase - 0.06))
    roll = 0.9 * _lean(distance, path) + 1.3 * np.sin(np.pi * (phase - 0.04))
    pitch = 3.0 + 0.9 * np.cos(2 * np.pi * (phase - 0.2)) + 1.2 * drift(times, 7.1, 0.2)
    return turned(yaw, pitch, roll)


def _head(times: Array, phase: Array, distance: Array, path: Path) -> Array:
    """The head stays level, looks into the curve half a second ahead, and glances about now and then."""
    ahead = path.heading(distance + 0.55)
    yaw = ahead + 0.8 * np.cos(np.pi * phase) + 7.0 * drift(times, 5.9, 2.2) ** 3
    pitch = 1.5 + 0.5 * np.cos(2 * np.pi * (phase - 0.3)) + 2.0 * drift(times, 4.7, 1.9)
    return turned(yaw, pitch, 0.35 * _lean(distance, path))


def _arm(times: Array, phase: Array, vigour: Array, sign: float) -> Arm:
    """The arm swings against the leg of its side; elbow and hand follow late, as on a string."""
    own = phase if sign > 0 else phase - 1
    swing = 1 + 0.18 * drift(times, 4.4, 1.0 + sign)
    forward = -np.cos(np.pi * (own - 0.06))  # 1 when the arm is foremost
    late = -np.cos(np.pi * (own - 0.20))
    later = -np.cos(np.pi * (own - 0.33))
    flexion = -2.0 + 20.0 * swing * vigour * forward
    elbow = 19.0 + 11.0 * swing * vigour * late + 3.0 * late**2
    return hanging_arm(
        sign,
        flexion=flexion,
        abduction=9.0 - 1.5 * forward,
        elbow=elbow,
        inward=7.0 + 5.0 * late,
        wrist=5.0 + 6.0 * later,
        shoulder=3.0 * forward,
    )
