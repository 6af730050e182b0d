# SPDX-License-Identifier: GPL-3.0-or-later
"""Heading of a result whose facing is free: that of its sources, as far as invisible turns reach it."""

from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64
from ..examples.example_data import Examples
from ..motion import rotations
from ..motion.filters import SMOOTHSTEP_SLOPE, smoothstep, wrap_angle
from ..motion.root_motion import RootTrack, integrate
from ..planning.segments import Segments

STEER_SHARE = 0.15
"""Largest speed of a turn toward the sources' heading, and of a correction of the place outside of crossfades, as a
share of the examples' highest yaw rate, or highest speed of the root."""
SEEN_WITHIN = 0.25
"""Width of the fall-off, in radians: a motion turned by about this angle counts about half as seen."""


def face_as_sources(examples: Examples, track: RootTrack, segments: Segments, *, lead_back: bool = True) -> RootTrack:
    """Return the integrated track, turned as a whole to face mostly as its sources, and turned back slowly elsewhere.

    lead_back: whether it is turned back elsewhere.
    """
    up = examples.skeleton.up
    walked = integrate(track, up)
    away = _away(examples, walked, segments)
    angle = _commonest_turn(away)
    fastest = max(float(np.abs(example.yaw_rate).max(initial=0.0)) for example in examples.tracks) if lead_back else 0.0
    steering = _steering(wrap_angle(away - angle), segments, STEER_SHARE * fastest)
    back = rotations.from_axis_angle(np.array(up), np.array(-angle)).astype(np.float32)
    steered = replace(
        track,
        heading=rotations.multiply(back, track.heading),
        yaw_rate=(track.yaw_rate + np.diff(steering, append=steering[-1:])).astype(np.float32),
    )
    return integrate(steered, up)


def _away(examples: Examples, track: RootTrack, segments: Segments) -> Array:
    """Return the angles `(F,)`, in radians, between the headings of the track and of its sources."""
    up = np.array(examples.skeleton.up, np.float32)
    sources = np.concatenate([example.heading for example in examples.tracks])[segments.source_frames()]
    turn = rotations.multiply(track.heading, rotations.inverse(sources))
    return wrap_angle(rotations.angle_about(turn, up))


def _steering(away: Array, segments: Segments, fastest: float) -> Float64:
    """Return the turn `(F,)`, in radians, that is added to reduce the angles `away`, at most `fastest` per frame."""
    steering, now = np.zeros(segments.frames), 0.0
    for start, length in zip(segments.starts, segments.lengths, strict=True):
        # Within a segment the example is followed without changes, so its middle represents all of it.
        target = -float(away[start + length // 2])
        most = fastest * (length - 1) / SMOOTHSTEP_SLOPE
        step = float(np.clip(wrap_angle(target - now), -most, most))
        share = np.linspace(0.0, 1.0, length)
        steering[start : start + length] = now + step * smoothstep(share)
        now += step
    return steering


def _commonest_turn(turned: Array) -> float:
    """Return the angle, in radians, by which most of a result is turned from its sources."""
    if not turned.any():
        return 0.0
    candidates = np.linspace(-np.pi, np.pi, 72, endpoint=False)
    # Rounding is finer than anybody sees, and most frames share a few values.
    values, counts = np.unique(np.round(turned, 3), return_counts=True)
    agreement = _same_heading(values - candidates[:, None]) @ counts
    near = _same_heading(values - candidates[int(np.argmax(agreement))]) * counts
    center = candidates[int(np.argmax(agreement))]
    away = wrap_angle(values - center)
    return float(center + np.sum(away * near) / np.sum(near))


def _same_heading(turned: Array) -> Array:
    """Return the share, 0 to 1, of a motion that counts as seen when it is shown turned by an angle."""
    return np.asarray(np.exp((np.cos(turned) - 1.0) / SEEN_WITHIN**2))
