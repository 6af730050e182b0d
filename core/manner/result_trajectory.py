# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectory of a result's root: along that of the content, or integrated from the speeds that are shown."""

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.filters import smooth, to_next, wrap_angle
from ..motion.ground_travel import STANDS, SWAY_SECONDS
from .frames import Frames


def trajectory_along_content(
    every_frame: Frames, content: Frames, played: Frames, seconds: Float64, strength: float, scale: tuple[float, float]
) -> tuple[Float64, Float64]:
    """Return a trajectory `(T, 2)` and its headings `(T,)` along that of the content, at the mixed speed.

    every_frame: those of the content. content, played: `(T,)` frames each, to be mixed. seconds: `(T,)` content frames
    that pass from each to the next. scale: the skeleton's size, and the frames per second. Beyond the content's last
    place the trajectory continues straight. While the root stands, its headings follow those of the content in time.
    """
    size, rate = scale
    slow = STANDS * size / rate
    clock = np.concatenate(([0.0], np.cumsum(np.linalg.norm(every_frame.velocity[:-1], axis=1) + slow)))
    speeds = [np.linalg.norm(frames.velocity, axis=1) for frames in (content, played)]
    speed = np.maximum((1 - strength) * speeds[0] + strength * speeds[1], 0.0) + slow * seconds
    walked = np.concatenate(([0.0], np.cumsum(speed[:-1])))
    frames = np.arange(len(clock), dtype=np.float64)
    at = np.interp(walked, clock, frames)
    trajectory = np.stack([np.interp(at, frames, every_frame.trajectory[:, axis]) for axis in range(2)], axis=1)
    last = to_next(every_frame.trajectory)[-1]
    beyond = np.maximum(walked - clock[-1], 0.0)
    length = float(np.linalg.norm(last))
    if length > slow:
        trajectory += beyond[:, None] * last / (length + slow)
    moving = np.clip(np.minimum(*speeds) / slow - 1, 0.0, 1.0)
    away = moving * wrap_angle(_facing(content.velocity) - _facing(played.velocity))
    facing = smooth(away[:, None], SWAY_SECONDS, rate)[:, 0]
    return trajectory, np.interp(at, frames, every_frame.turns) + strength * facing


def trajectory_of_speeds(content: Frames, mixed: Frames) -> tuple[Float64, Float64]:
    """Return a trajectory `(T, 2)` and headings `(T,)` from the content's first ones, integrated from mixed speeds."""
    turns = content.turns[0] + np.concatenate(([0.0], np.cumsum(mixed.yaw_rate[:-1])))
    steps = rotations.turn_on_ground(mixed.velocity, turns)
    return content.trajectory[0] + np.concatenate((np.zeros((1, 2)), np.cumsum(steps[:-1], axis=0))), turns


def _facing(velocity: Float64) -> Float64:
    return np.asarray(np.arctan2(velocity[:, 1], velocity[:, 0]))
