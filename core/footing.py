# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result's feet do: when they stand, how high they are, and how they lead the root across a cut."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import rotations
from .assembly import Fades
from .examples import Prepared
from .motion import Motion, pose_along
from .root import RootTrack, apply_root
from .runs import Runs

HIGHEST_SPEED = 1.05
"""A standing foot may drive the root to this share of the examples' highest speed."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The feet of a result.

    contacts: `(F, feet)` when each stands. heights: `(F, feet)` how high each is. faded: `(F,)` where the root is
    in a fade.
    """

    contacts: NDArray[np.bool_]
    heights: NDArray[np.float64]
    faded: NDArray[np.bool_]


def plan_steps(prepared: Prepared, runs: list[Runs], fades: list[Fades]) -> Steps:
    """The feet's contacts and heights as the examples have them; in a fade, of the nearer side and in between."""
    frames = runs[0].frames
    contacts = np.zeros((frames, len(prepared.feet)), bool)
    heights = np.zeros((frames, len(prepared.feet)))
    for index, foot in enumerate(prepared.feet):
        part = _part_of(prepared, foot.joint)
        source, fade = runs[part].source_frames(), fades[part]
        contacts[:, index] = prepared.contacts[source, index]
        heights[:, index] = prepared.foot_heights[source, index]
        before, after = prepared.foot_heights[fade.before, index], prepared.foot_heights[fade.after, index]
        heights[fade.frames, index] = before + (after - before) * fade.weights
    faded = np.zeros(frames, bool)
    faded[fades[prepared.root_part].frames] = True
    return Steps(contacts, heights, faded)


def led_by_feet(motion: Motion, prepared: Prepared, track: RootTrack, steps: Steps) -> RootTrack:
    """The track with the root moving, in the fades, so that a standing foot stays where it is.

    Averaging the velocities of two runs would let it slide.
    """
    frames = np.flatnonzero(steps.faded[:-1] & steps.faded[1:])
    if not len(frames) or not prepared.feet:
        return track
    total, count = np.zeros((len(frames), 3)), np.zeros(len(frames))
    up = np.array(motion.skeleton.up)
    turns = rotations.from_axis_angle(np.broadcast_to(up, (len(frames), 3)), track.yaw_rate[frames].astype(np.float64))
    here, following = (_at_origin(motion, prepared, track, chosen) for chosen in (frames, frames + 1))
    for index, foot in enumerate(prepared.feet):
        chain = motion.skeleton.chain(foot.joint)
        now, later = (pose_along(posed, chain)[1][:, -1].astype(np.float64) for posed in (here, following))
        needed = now - rotations.rotate(turns, later)
        stands = steps.contacts[frames, index] & steps.contacts[frames + 1, index]
        total[stands] += needed[stands]
        count += stands
    led = total / np.maximum(count, 1)[:, None]
    led -= (led @ up)[:, None] * up
    limit = HIGHEST_SPEED * prepared.highest_root_speed
    speed = np.linalg.norm(led, axis=1)
    led *= np.minimum(1.0, limit / np.maximum(speed, 1e-12))[:, None]
    velocity = track.velocity.copy()
    velocity[frames[count > 0]] = led[count > 0]
    return replace(track, velocity=velocity)


def _at_origin(motion: Motion, prepared: Prepared, track: RootTrack, frames: NDArray[np.int64]) -> Motion:
    """Some frames of the motion with the root at the origin, facing ahead."""
    ahead = np.tile(np.array([1, 0, 0, 0], np.float32), (len(frames), 1))
    placed = RootTrack(
        heading=ahead,
        ground=np.zeros((len(frames), 3), np.float32),
        velocity=track.velocity[frames],
        yaw_rate=track.yaw_rate[frames],
        body=track.body[frames],
        offset=track.offset[frames],
    )
    return apply_root(motion.take(frames), prepared.root, placed)


def _part_of(prepared: Prepared, joint: int) -> int:
    """The part whose motion a joint has: the root's where several do."""
    if joint in prepared.parts[prepared.root_part].part.joints:
        return prepared.root_part
    return next(index for index, plan in enumerate(prepared.parts) if joint in plan.part.joints)
