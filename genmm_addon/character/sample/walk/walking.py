# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk along a gently winding path; cadence, stride and arm swing drift, so that no two steps are equal."""

import numpy as np

from ....core import Array
from ..sample_arms import Arm, hanging_arm
from ..sample_curves import drift, spline_through, turned
from ..sample_posing import Controls
from .gait import WindingPath, foot_track, new_gait, new_path
from .style import NEUTRAL, ArmSwing, TrunkStyle, WalkStyle

GRAVITY = 9.81
"""Meters per second squared."""


def walk(times: Array, style: WalkStyle = NEUTRAL) -> Controls:
    """Return the walk in a style at `times` `(T,)` in seconds."""
    stepping, trunk = style.stepping, style.trunk
    gait, path = new_gait(stepping), new_path(style.path)
    # The phase counts steps: even at the left heel's strikes, odd at the right's.
    phase = spline_through(times, gait.strikes, np.arange(len(gait.strikes), dtype=np.float64))
    behind = np.r_[gait.places[0] - stepping.step_length, gait.places[:-1]]
    distance = spline_through(times, gait.strikes, (gait.places + behind) / 2 + trunk.hips_ahead)
    distance += 0.012 * np.sin(2 * np.pi * (phase + 0.05))
    vigor = 1 + 0.16 * drift(times, 5.3, 0.4)
    lean = _lean(distance, path, stepping.speed)
    return Controls(
        travel=_travel(phase, distance, path, vigor, trunk),
        hips=_hips(phase, path.heading(distance), lean, vigor, trunk),
        chest=_chest(times, phase, path.heading(distance + 0.12), lean, vigor, trunk),
        head=_head(times, phase, path.heading(distance + 0.55), lean, trunk),
        arms=(_arm(times, phase, vigor, style.arms, 1.0), _arm(times, phase, vigor, style.arms, -1.0)),
        feet=(foot_track(times, gait, path, stepping, 0), foot_track(times, gait, path, stepping, 1)),
    )


def _travel(phase: Array, distance: Array, path: WindingPath, vigor: Array, trunk: TrunkStyle) -> Array:
    """Return the hips' travel `(T, 3)`: up over each standing leg, and sideways towards it."""
    sway = trunk.sway * np.sin(np.pi * (phase + 0.06))
    ground = path.point(distance, sway)
    height = -trunk.crouch - trunk.bounce * vigor * np.cos(2 * np.pi * (phase - 0.10))
    return np.concatenate((ground, height[:, None]), axis=1)


def _lean(distance: Array, path: WindingPath, speed: float) -> Array:
    """Return degrees of lean into the curve that the walking speed requires."""
    around = 0.6  # meters over which the lean is averaged, so that the body does not tip with every bend
    curvature = np.radians(path.heading(distance + around) - path.heading(distance - around)) / (2 * around)
    return np.degrees(np.arctan(speed**2 * curvature / GRAVITY))


def _hips(phase: Array, heading: Array, lean: Array, vigor: Array, trunk: TrunkStyle) -> Array:
    """Return the pelvis `(T, 4)`, which turns with the leading leg, drops on the swing side, and nods each step."""
    yaw = heading - trunk.hips_turn * vigor * np.cos(np.pi * (phase + 0.03))
    roll = 0.6 * lean - trunk.hips_drop * np.sin(np.pi * (phase + 0.10))
    pitch = trunk.hips_pitch + 1.2 * np.cos(2 * np.pi * (phase - 0.05))
    return turned(yaw, pitch, roll)


def _chest(times: Array, phase: Array, heading: Array, lean: Array, vigor: Array, trunk: TrunkStyle) -> Array:
    """Return the chest `(T, 4)`, which turns against the pelvis; heading: of the path a little ahead."""
    yaw = heading + trunk.chest_turn * vigor * np.cos(np.pi * (phase - 0.06))
    roll = 0.9 * lean + trunk.chest_roll * np.sin(np.pi * (phase - 0.04))
    pitch = trunk.chest_pitch + 0.9 * np.cos(2 * np.pi * (phase - 0.2)) + 1.2 * drift(times, 7.1, 0.2)
    return turned(yaw, pitch, roll)


def _head(times: Array, phase: Array, heading: Array, lean: Array, trunk: TrunkStyle) -> Array:
    """Return the head `(T, 4)`, which stays level and glances about at times; heading: of the path further ahead."""
    yaw = heading + 0.8 * np.cos(np.pi * phase) + trunk.glance * drift(times, 5.9, 2.2) ** 3
    nod = trunk.head_nod * np.cos(2 * np.pi * (phase - 0.3))
    return turned(yaw, trunk.head_pitch + nod + 2.0 * drift(times, 4.7, 1.9), 0.35 * lean)


def _arm(times: Array, phase: Array, vigor: Array, arms: ArmSwing, sign: float) -> Arm:
    """Return an arm that swings against its side's leg; elbow and hand follow with delays."""
    arm_phase = phase if sign > 0 else phase - 1
    swing = 1 + 0.18 * drift(times, 4.4, 1.0 + sign)
    forward = -np.cos(np.pi * (arm_phase - 0.06))  # 1 when the arm is furthest forward
    late = -np.cos(np.pi * (arm_phase - 0.20))
    later = -np.cos(np.pi * (arm_phase - 0.33))
    share = arms.swing / NEUTRAL.arms.swing  # scales the other motions with the arm's swing
    return hanging_arm(
        sign,
        flexion=arms.rest + arms.swing * swing * vigor * forward,
        abduction=arms.abduction - 1.5 * share * forward,
        elbow=arms.elbow + arms.elbow_swing * swing * vigor * late + 3.0 * share * late**2,
        inward=arms.inward + 5.0 * share * late,
        wrist=arms.wrist + 6.0 * share * later,
        shoulder=arms.shoulder + 3.0 * share * forward,
        drop=arms.shoulder_drop,
    )
