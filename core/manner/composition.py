# SPDX-License-Identifier: GPL-3.0-or-later
"""Composition of a motion from frames: the root follows a trajectory, and feet that stand are planted.

The trajectory is along that of the content, or integrated from the speeds that are shown.
"""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..feet.leg_ik import lock_feet
from ..feet.planting import Standing
from ..motion import rotations
from ..motion.filters import smooth, smooth_line, to_next, wrap_angle
from ..motion.ground_travel import STANDS, SWAY_SECONDS
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, apply_root
from .frames import Frames
from .matching import SLOWEST
from .registering import Registration
from .time_map import SMOOTH_SECONDS


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


def composed(
    like: Motion, registration: Registration, played: Frames, trajectory: Float64, turns: Float64, rate: float
) -> Motion:
    """Return frames `(T,)` as a motion along a trajectory `(T, 2)` with headings `(T,)`, its feet planted.

    like: motion of T frames, whose scales and other values are kept. rate: the usual rate at which examples are shown.
    """
    standing, ours, theirs = registration.library.standing, registration.ours, registration.theirs
    plan = standing.plan
    heading = turns + played.twist
    ground = (trajectory + rotations.turn_on_ground(played.sway, turns)) @ rotations.ground_axes(like.skeleton.up)
    headings: Float64 = np.asarray(rotations.from_axis_angle(np.array(like.skeleton.up), heading))
    laid = _laid(like, plan, played, headings, ground)
    if not standing.feet:
        return laid
    # Accelerations grow with the square of the rate.
    most = standing.knees.acceleration * max(rate, 1.0) ** 2
    standing = replace(standing, knees=replace(standing.knees, acceleration=most))
    return _standing(laid, standing, played, headings, ours.ground, max(ours.longest_drift, theirs.longest_drift))


def _laid(like: Motion, plan: RootPlan, played: Frames, headings: Float64, ground: Float64) -> Motion:
    frames = len(ground)
    # The longer a body is in the air, the higher it flies, with the square of the time.
    pace = smooth_line(np.maximum(played.pace, SLOWEST), SMOOTH_SECONDS * like.frames_per_second)
    offsets = played.offsets + played.bounces / pace[:, None, None] ** 2
    track = RootTrack(
        heading=headings.astype(np.float32),
        ground=ground.astype(np.float32),
        velocity=np.zeros((frames, 3), np.float32),
        yaw_rate=np.zeros(frames, np.float32),
        body=played.rotations[:, plan.anchored].astype(np.float32),
        offset=offsets.astype(np.float32),
    )
    turns = rotations.make_continuous(played.rotations).astype(np.float32)
    posed = replace(like, rotations=turns, translations=played.translations.astype(np.float32))
    return apply_root(posed, plan, track)


def _standing(
    laid: Motion, standing: Standing, played: Frames, headings: Float64, ground: Float64, longest_drift: float
) -> Motion:
    contacts = played.stands >= 0.5
    around = np.broadcast_to(headings[:-1, None], (*played.drifts[:-1].shape[:2], 4))
    stays = (contacts[:-1] & contacts[1:])[..., None]
    steps = rotations.rotate(around, played.drifts[:-1]) * stays
    places: Float64 = np.concatenate((np.zeros_like(played.drifts[:1]), np.cumsum(steps, axis=0)))
    return lock_feet(
        laid,
        standing.feet,
        contacts,
        played.heights + ground,
        np.zeros(0, np.int64),
        standing.plan.joint,
        knees=standing.knees,
        movement=places,
        longest_drift=longest_drift,
    )
