# SPDX-License-Identifier: GPL-3.0-or-later
"""A greeting in place: both hands wave together, high, then low, then high again, while the weight shifts."""

import numpy as np

from ...core import Array, rotations
from .sample_arms import Arm, reaching_arm
from .sample_curves import FINE_RATE, drift, poses_through, turned
from .sample_feet import Foothold, track
from .sample_posing import Controls

HALF_STANCE = 0.115
TOE_OUT = 11.0

HEIGHT = ((0.0, 0.95), (2.5, 1.0), (3.4, 0.0), (4.9, 0.08), (5.8, 1.1), (7.2, 1.0), (8.0, 0.95))
"""Height of the hands by time in seconds: 0 beside the shoulders, 1 over the head."""
WIDTH = ((0.0, 24.0), (1.2, 30.0), (2.6, 17.0), (3.5, 22.0), (4.8, 16.0), (6.1, 33.0), (8.0, 24.0))
"""Swing of the forearms to either side by time, in degrees."""
PERIOD = ((0.0, 0.74), (1.5, 0.70), (2.8, 0.84), (3.8, 0.58), (4.9, 0.64), (6.0, 0.90), (8.0, 0.74))
"""Time from one outward wave to the next by time, both in seconds."""
WEIGHT = ((0.0, 0.3), (1.3, 1.0), (2.9, -0.9), (4.5, 0.8), (6.1, -1.0), (7.3, -0.1), (8.0, 0.3))
"""Distribution of the weight by time in seconds: 1 on the left leg, -1 on the right."""
SECONDS = WEIGHT[-1][0]

LOW = np.array([[0.52, -0.24, -0.82], [0.14, -0.46, 0.88]])
HIGH = np.array([[0.86, -0.22, 0.42], [0.16, -0.16, 0.97]])
"""Directions of the left upper arm and forearm, with hands low and high."""


def wave(times: Array) -> Controls:
    """Return the greeting at `times` `(T,)` in seconds."""
    phase = _phase(times)
    weight = poses_through(times, WEIGHT, 0.15)[:, 0]
    idle = 0.12 * drift(times, 3.7, 0.9)
    shift = weight + idle
    travel = np.stack(
        (
            0.042 * shift,
            0.006 * drift(times, 4.9, 2.1) + 0.004 * np.cos(phase - 0.5),
            -0.013 - 0.007 * np.abs(shift) - 0.005 * np.cos(2 * phase - 0.4),
        ),
        axis=-1,
    )
    # The heel of the free leg rises a little.
    free = np.maximum(0.0, -shift - 0.35), np.maximum(0.0, shift - 0.35)
    return Controls(
        travel=travel,
        hips=turned(3.0 * shift + 1.5 * drift(times, 5.1, 0.3), 1.0, -4.2 * shift),
        chest=_chest(phase, shift),
        head=_head(times, phase, shift),
        arms=(_arm(times, phase, 1.0), _arm(times, phase, -1.0)),
        feet=(
            track(times, [Foothold(HALF_STANCE, 0.0, TOE_OUT)], 20.0 * free[0]),
            track(times, [Foothold(-HALF_STANCE, 0.015, -TOE_OUT)], 20.0 * free[1]),
        ),
    )


def _phase(times: Array) -> Array:
    """Return the waving's phase `(T,)` in radians: 0 with the hands furthest outward."""
    fine = np.arange(0.0, SECONDS + 1.0, 1 / FINE_RATE)
    turns = np.cumsum(1.0 / poses_through(fine, PERIOD)[:, 0]) / FINE_RATE
    return np.asarray(2 * np.pi * np.interp(times, fine, turns))


def _chest(phase: Array, shift: Array) -> Array:
    """Return the chest `(T, 4)`, which stays over the feet when the pelvis tips, and rocks with the waving."""
    rocking = 1.2 * np.sin(phase)
    return turned(rocking - 3.5 * shift, 1.5 * np.cos(2 * phase - 0.9) - 1.5, rocking + 3.0 * shift)


def _head(times: Array, phase: Array, shift: Array) -> Array:
    """Return the head `(T, 4)`, which keeps facing forward, tilts against the body and nods with the waves."""
    yaw = 5.0 * drift(times, 4.3, 1.4)
    pitch = -2.0 + 1.6 * np.cos(phase - 1.2) + 2.0 * drift(times, 5.7, 0.1)
    return turned(yaw, pitch, 3.2 * shift + 1.5 * np.cos(0.5 * phase))


def _arm(times: Array, phase: Array, sign: float) -> Arm:
    """Return an arm whose forearm and hand follow the upper arm with a delay; the sides differ slightly."""
    height = poses_through(times, HEIGHT, 0.12)
    width = poses_through(times, WIDTH)[:, 0] * (1 + 0.05 * sign * drift(times, 3.1, 0.7))
    arm_phase = phase - 0.04 * (1 - sign)
    lifting = 0.13 * np.sin(np.pi * np.clip(height, 0.0, 1.0))  # the elbows move outward on their way up and down
    upper = LOW[0] + (HIGH[0] - LOW[0]) * height + lifting * np.array([1.0, -0.5, 0.0])
    fore = LOW[1] + (HIGH[1] - LOW[1]) * height
    swing, late = np.cos(arm_phase), np.cos(arm_phase - 0.75)
    upper = upper + (0.0025 * width * np.cos(arm_phase + 0.45))[:, None] * np.array([0.4, 0.0, 1.0])
    fore = _tilted(fore, width * swing)
    return reaching_arm(
        sign, upper, fore, wrist=-8.0 + 5.0 * np.sin(arm_phase), sideways=-0.75 * width * (late - 0.45 * swing)
    )


def _tilted(directions: Array, degrees: Array) -> Array:
    """Return directions `(T, 3)` tilted outward (+X) by `degrees` `(T,)`."""
    return rotations.rotate(turned(0.0, 0.0, degrees), directions)
