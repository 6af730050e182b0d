# SPDX-License-Identifier: GPL-3.0-or-later
"""Climbs of examples: on stairs, slopes and ladders the ground below the body travels up or down with it."""

from dataclasses import replace

import numpy as np

from ..arrays import Float32, Float64
from . import rotations
from .filters import to_next
from .ground_travel import CLIMB, IN_THE_AIR_SECONDS, heights_under
from .motion import Motion, joint_path
from .root_motion import RootPlan, RootTrack, apply_root, encode_root


def climbs(motion: Motion, plan: RootPlan) -> bool:
    """Return whether a motion ends on other ground than it began, with its root about as high above it.

    A body that sits down, lies down or gets up changes its height above the ground, and a jump returns to it.

    >>> climbs(swing, prepared.root)
    False
    """
    rate, least = motion.frames_per_second, CLIMB * motion.skeleton.size
    # Nearer to the ends, a climb cannot be told from the beginning or the end of a jump.
    inside = round(0.5 * IN_THE_AIR_SECONDS * rate)
    if motion.frames < 2 * inside + 2:
        return False
    heights = _root_heights(motion, plan)[[inside, -1 - inside]]
    if abs(heights[1] - heights[0]) < least:
        return False
    ground = heights_under(lowest_heights(motion, plan), motion.skeleton.size, rate)[[inside, -1 - inside]]
    climbed = float(ground[1] - ground[0])
    return abs(climbed) >= least and abs(float(heights[1] - heights[0]) - climbed) < least


def encode_climb(motion: Motion, plan: RootPlan) -> RootTrack:
    """Return the travel of a motion as `encode_root` does, but with the height of the ground below the body as travel.

    >>> encode_climb(swing, prepared.root).ground.shape
    (60, 3)
    """
    rate, lowest = motion.frames_per_second, lowest_heights(motion, plan)
    # Beyond the ends the climb goes on, where otherwise the ground would be level for as long as a jump may last.
    beside = min(round(IN_THE_AIR_SECONDS * rate), motion.frames - 1)
    lowest = np.pad(lowest, beside, mode="reflect", reflect_type="odd")
    ground = heights_under(lowest, motion.skeleton.size, rate)[beside : beside + motion.frames]
    return _raised(encode_root(motion, plan), ground, motion)


def leveled(motion: Motion, plan: RootPlan, track: RootTrack) -> Motion:
    """Return a motion on level ground at height 0; track: its travel with the climb."""
    up = np.array(motion.skeleton.up, np.float32)
    return apply_root(motion, plan, _raised(track, -(track.ground @ up).astype(np.float64), motion, moved=False))


def encode_poses(motion: Motion, plan: RootPlan, above: Float64 | None = None) -> RootTrack:
    """Return places and headings of single poses as by `encode_root`; if examples climb, on the ground below each.

    above: `(T,)` heights of the lowest joints above that ground; None is 0.

    >>> encode_poses(swing, prepared.root).ground.shape
    (60, 3)
    """
    track = encode_root(motion, plan)
    if not plan.climbs:
        return track
    return _raised(track, lowest_heights(motion, plan) - (0.0 if above is None else above), motion)


def encode_travel(motion: Motion, plan: RootPlan) -> RootTrack:
    """Return the travel of a motion as `encode_root` does; if examples climb, the root's height is part of it.

    >>> encode_travel(swing, prepared.root).ground.shape
    (60, 3)
    """
    track = encode_root(motion, plan)
    return _raised(track, _root_heights(motion, plan), motion) if plan.climbs else track


def ground_velocity(track: RootTrack, plan: RootPlan, up: tuple[float, float, float]) -> Float32:
    """Return the velocity `(T, 3)` of a track along the ground, in the heading's frame; a climb does not count.

    >>> track = encode_root(swing, prepared.root)
    >>> ground_velocity(track, prepared.root, swing.skeleton.up) is track.velocity
    True
    """
    return without_height(track.velocity, up) if plan.climbs else track.velocity


def without_height(vectors: Float32, up: tuple[float, float, float]) -> Float32:
    """Return vectors `(T, 3)` along the ground.

    >>> without_height(np.array([[1.0, 0.0, 2.0]], np.float32), (0.0, 0.0, 1.0)).tolist()
    [[1.0, 0.0, 0.0]]
    """
    axis = np.array(up, np.float32)
    return vectors - (vectors @ axis)[:, None] * axis


def with_height_of(track: RootTrack, climbing: RootTrack, up: tuple[float, float, float]) -> RootTrack:
    """Return a track with the height of the ground of another one; its velocities are left as they are.

    >>> track = encode_root(swing, prepared.root)
    >>> bool((with_height_of(track, track, swing.skeleton.up).ground == track.ground).all())
    True
    """
    climbed = climbing.ground - without_height(climbing.ground, up)
    return replace(track, ground=without_height(track.ground, up) + climbed)


def climb_of_cycle(motion: Motion, plan: RootPlan) -> float:
    """Return by how much a motion climbs from frame to frame if its last pose is as high above the ground as its first.

    It is 0 for less than counts as a climb.
    """
    ends, least = np.array([0, motion.frames - 1]), CLIMB * motion.skeleton.size
    climbed = float(np.diff(_root_heights(motion, plan)[ends])[0])
    if not least <= abs(climbed) < np.inf:
        return 0.0
    below = float(np.diff(lowest_heights(motion.take(ends), plan))[0])
    return climbed / (motion.frames - 1) if abs(climbed - below) < least else 0.0


def steadily_raised(motion: Motion, plan: RootPlan, climb: float) -> Motion:
    """Return a motion that climbs by so much more in each frame."""
    if not climb:
        return motion
    rise = np.arange(motion.frames, dtype=np.float64) * climb
    return apply_root(motion, plan, _raised(encode_root(motion, plan), rise, motion, moved=False))


def _raised(track: RootTrack, heights: Float64, motion: Motion, *, moved: bool = True) -> RootTrack:
    """Return a track with its ground raised by heights `(T,)`; moved: the body stays where it is, in the world."""
    up = np.array(motion.skeleton.up)
    rise = (heights[:, None] * up).astype(np.float32)
    ground = track.ground + rise
    velocity = rotations.rotate(rotations.inverse(track.heading), to_next(ground))
    offset = track.offset - rise[:, None] if moved else track.offset
    return replace(track, ground=ground, velocity=velocity, offset=offset)


def _root_heights(motion: Motion, plan: RootPlan) -> Float64:
    return np.asarray(joint_path(motion, plan.joint) @ np.array(motion.skeleton.up), np.float64)


def lowest_heights(motion: Motion, plan: RootPlan) -> Float64:
    """Return the height `(T,)` of the lowest joint that the root carries, or a joint that travels along."""
    carried = np.logical_or.reduce([motion.skeleton.descendants(int(joint)) for joint in plan.anchored])
    return np.asarray((motion.pose()[1][:, carried] @ np.array(motion.skeleton.up)).min(axis=1), np.float64)
