# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumps of a biped, along a parabola of any gravity."""

from functools import cache

import numpy as np
from motions import BIPED, FORWARD, RATE, SIDEWAYS, build_skeleton, place_channels, pose_channels, turn
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.motion import smoothstep

GRAVITY = 9.62
"""Gravity that fits the biped's stature of 1.67 m."""
TAKE_OFF, FLIGHT_FRAMES, FRAMES = 50, 15, 120
BEND, CROUCH = 0.3, 0.2
"""Angle of the thighs of the standing biped, in radians, and the depth of its crouch, in meters."""
THIGH, SHIN = 0.42, 0.40


@cache
def jumper(gravity: float = GRAVITY, *, hovers: bool = False) -> Motion:
    """Return a biped that stands, crouches, jumps for 15 frames and lands; hovers: it stays up at one height."""
    time, whole = (np.arange(FRAMES) - TAKE_OFF) / RATE, FLIGHT_FRAMES / RATE
    from_ground = np.maximum(-time, time - whole)
    heights = np.where(from_ground < 0, gravity / 2 * time * (whole - time), _push(from_ground, gravity * whole / 2))
    if hovers:
        heights = 0.3 * smoothstep(np.clip(-from_ground / 0.1, 0.0, 1.0))
    bend = np.arccos(np.cos(BEND) + np.minimum(heights, 0.0) / (THIGH + SHIN))
    skeleton = build_skeleton(BIPED)
    turns = {}
    for side, angle in (("L", 1.3), ("R", -1.3)):
        turns[f"upper_arm.{side}"] = turn(FORWARD, np.full(FRAMES, angle))
        turns[f"thigh.{side}"] = turn(SIDEWAYS, bend)
        turns[f"shin.{side}"] = turn(SIDEWAYS, -2 * bend)
        turns[f"foot.{side}"] = turn(SIDEWAYS, bend)
    path = np.stack((np.zeros(FRAMES), (SHIN - THIGH) * np.sin(bend), heights), axis=1)
    return Motion(
        skeleton, RATE, pose_channels(skeleton, turns, FRAMES), np.array([0]), place_channels(skeleton, "hips", path)
    )


def _push(from_ground: NDArray[np.float64], speed: float) -> NDArray[np.float64]:
    """Return the pelvis's height, `(T,)` seconds before take-off: a crouch, and a push to the speed of take-off."""
    length = 0.3
    share = np.clip(from_ground / length, 0.0, 1.0)
    push = -speed * length * share * (1 - share) ** 2 - CROUCH * smoothstep(share)
    return np.where(from_ground < length, push, -CROUCH * smoothstep(np.clip(2 - from_ground / length, 0.0, 1.0)))
