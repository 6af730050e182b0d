# SPDX-License-Identifier: GPL-3.0-or-later
"""A dance of 24 beats in place: side steps, a sway under raised arms, a turn to the side, and back to the start."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core import Array, rotations
from .sample_arms import Arm, reaching_arm
from .sample_choreography import (
    CHEST,
    HEAD,
    HIPS,
    LEFT_ARM,
    LEFT_HEEL,
    LEFT_STEPS,
    RIGHT_ARM,
    RIGHT_HEEL,
    RIGHT_STEPS,
    WEIGHT,
)
from .sample_curves import Keys, drift, poses_through, turned
from .sample_feet import Foothold, FootTrack, track
from .sample_posing import Controls

BEAT = 0.5
BEATS = HIPS[-1][0]
SECONDS = BEATS * BEAT
SWING = 0.30
"""Seconds for which a stepping foot is in the air."""


def dance(times: Array) -> Controls:
    """Return the dance at `times` `(T,)` in seconds."""
    beats = times / BEAT
    bounce = np.cos(2 * np.pi * beats)  # 1 on the beat, when the knees are bent most
    ground = _keyed(times, WEIGHT, 0.08)
    pelvis, chest, head = _keyed(times, HIPS), _keyed(times, CHEST), _keyed(times, HEAD)
    late = np.cos(2 * np.pi * (beats - 0.14))
    depth = -0.046 - 0.017 * bounce * (1 + 0.25 * _settled(times) * drift(times, 3.3, 0.5))
    return Controls(
        travel=np.concatenate((ground, depth[:, None]), axis=1),
        hips=turned(pelvis[:, 0], 2.0 - 2.0 * late, pelvis[:, 1]),
        chest=turned(chest[:, 0], chest[:, 1] + 2.2 * late, chest[:, 2]),
        head=turned(head[:, 0], head[:, 1] + 3.0 * np.cos(2 * np.pi * (beats - 0.22)), head[:, 2]),
        arms=(_arm(times, LEFT_ARM, 1.0), _arm(times, RIGHT_ARM, -1.0)),
        feet=(_foot(times, LEFT_STEPS, 1.0), _foot(times, RIGHT_STEPS, -1.0)),
    )


def _keyed(times: Array, keys: Keys, softness: float = 0.07) -> Array:
    return poses_through(times, [(BEAT * beat, values) for beat, values in keys], softness)


def _settled(times: Array) -> Array:
    """Return a weight `(T,)` that is 1 in the middle of the dance and 0 at its ends, so that it ends as it begins."""
    share = np.clip(times / SECONDS, 0.0, 1.0)
    return np.asarray(4 * share * (1 - share))


def _foot(times: Array, steps: Sequence[tuple[float, float, float, float]], sign: float) -> FootTrack:
    """Return the track of a foot that steps on the beat, leaving from the ball and landing on the ball.

    In the sway, the heel of the free leg rises.
    """
    footholds = [Foothold(sign * 0.12, 0.0, sign * 12.0)]
    for beat, x, y, heading in steps:
        down = BEAT * beat
        leaving = max(footholds[-1].flat + 0.02, down - SWING - 0.18)
        footholds[-1] = replace(footholds[-1], heel_off=leaving, off=down - SWING, push=-34.0)
        footholds.append(Foothold(x, y, heading, down=down, flat=down + 0.08, strike=-20.0, lift=0.035))
    return track(times, footholds, _keyed(times, LEFT_HEEL if sign > 0 else RIGHT_HEEL)[:, 0])


def _arm(times: Array, keys: Keys, sign: float) -> Arm:
    """Return an arm whose forearm follows the upper arm with a delay, and whose hand follows the forearm."""
    upper, fore = _keyed(times, keys)[:, :3], _keyed(times - 0.04, keys)[:, 3:]
    pulse = np.cos(2 * np.pi * (times / BEAT - 0.15))
    fore = rotations.rotate(turned(0.0, 5.0 * pulse), fore)
    slower = _keyed(times - 0.13, keys)[:, 3:]
    flick = np.degrees(fore[:, 2] - slower[:, 2]) * 0.5
    sideways = -np.clip(0.6 * flick, -28.0, 28.0)
    return reaching_arm(sign, upper, fore, wrist=6.0 + 5.0 * pulse - 0.3 * flick, sideways=sideways)
