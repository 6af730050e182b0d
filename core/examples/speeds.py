# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of the examples, which crossfades and poses must stay within."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float32, Int64
from ..motion import rotations
from ..motion.channels import Channels
from ..motion.motion import Motion, pose_along, pose_short_ones_together
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, RootTrack
from .transition_costs import Bounds
from .transition_graph import SampledBodies


@dataclass(frozen=True, eq=False)
class Speeds:
    """Speeds of the examples, per frame of the full rate, and joint positions.

    highest_turns: `(J,)` the highest angular speed of each orientation, in radians. highest_angular_accelerations:
    `(J,)` its highest change from frame to frame. highest: the highest speed of a joint.
    sampled: `(M,)` ascending frames at which `poses` `(M, J, 3)` gives the joints' positions relative to the root, and
    `fastest` `(M,)` the speed of the fastest joint.
    """

    highest_turns: Float32
    highest_angular_accelerations: Float32
    highest: float
    sampled: Int64
    poses: Float32
    fastest: Float32

    def nearest_sample(self, frames: Int64) -> Int64:
        """Return the index of the sample at or before each frame."""
        return np.maximum(np.searchsorted(self.sampled, frames, side="right") - 1, 0)


def measure_speeds(
    motions: Sequence[Motion],
    tracks: Sequence[RootTrack],
    root: RootPlan,
    channels: Channels,
    bounds: Bounds,
    finest: Bounds,
) -> tuple[Speeds, SampledBodies]:
    """Return the examples' speeds, and their bodies at the frames of a stage; finest: the bounds at this stage.

    Joints that do not travel with the root are put at its place: many recorded skeletons have a joint at the origin,
    whose distance from the body would grow in each frame.
    """
    poses, headings, sampled, steps = [], [], [], []
    up = np.array(motions[0].skeleton.up, np.float32)
    lengths = finest.ends - finest.starts
    skeleton = motions[0].skeleton
    stays = ~np.logical_or.reduce([skeleton.descendants(int(joint)) for joint in root.anchored])
    frames_of = [
        np.minimum(((np.arange(length) + 0.5) * motion.frames / length).astype(np.int64), motion.frames - 1)
        for motion, length in zip(motions, lengths, strict=True)
    ]
    taken = [motion.take(frames) for motion, frames in zip(motions, frames_of, strict=True)]
    pose_short_ones_together(taken)
    every_joint = list(range(len(skeleton.names)))
    for motion, frames, track, start, length in zip(taken, frames_of, tracks, bounds.starts, lengths, strict=True):
        positions = pose_along(motion, every_joint)[1]
        moved = rotations.lengths(np.diff(positions, axis=0)) / np.maximum(np.diff(frames), 1)[:, None]
        steps.append(np.concatenate((moved, moved[-1:])) if len(moved) else np.zeros((length, len(positions[0]))))
        seen_from = rotations.inverse(track.heading[frames])[:, None]
        seen = rotations.rotate(seen_from, positions - track.ground[frames][:, None])
        seen[:, stays] = 0.0
        poses.append(seen)
        headings.append(rotations.angle_about(track.heading[frames], up))
        sampled.append(frames + start)
    fastest = np.concatenate(steps).max(axis=1)
    highest_turns, highest_angular_accelerations = _highest_turns(channels, bounds)
    speeds = Speeds(
        highest_turns=highest_turns,
        highest_angular_accelerations=highest_angular_accelerations,
        highest=float(fastest.max()),
        sampled=np.concatenate(sampled),
        poses=np.concatenate(poses).astype(np.float32),
        fastest=fastest.astype(np.float32),
    )
    paces = np.concatenate(steps).mean(axis=1).astype(np.float32)
    return speeds, SampledBodies(speeds.poses, np.concatenate(headings).astype(np.float32), paces)


def _highest_turns(channels: Channels, bounds: Bounds) -> tuple[Float32, Float32]:
    """Return the highest angular speed of each orientation and its highest change, at least a fifth of the overall
    highest.
    """
    orientations = channels.orientations
    highest_turns, highest_changes = np.zeros((2, orientations.shape[1]))
    across = np.zeros(len(orientations), bool)
    across[bounds.ends - 1] = True
    for piece in pieces(len(orientations) - 1, orientations[0].size):
        # One more step than the piece has, for the change at its end.
        given = orientations[piece.start : piece.stop + 2]
        steps = rotations.multiply(rotations.inverse(given[:-1]), given[1:])
        # The rotation vector of a small turn is twice the vector part of its quaternion.
        vectors = 2.0 * steps[..., 1:] * np.where(steps[..., :1] < 0, -1.0, 1.0)
        turns, changes = rotations.angles(steps), rotations.lengths(np.diff(vectors, axis=0))
        leaves = across[piece.start : piece.start + len(steps)]
        turns[leaves] = changes[leaves[1:] | leaves[:-1]] = 0.0
        np.maximum(highest_turns, turns.max(axis=0), out=highest_turns)
        np.maximum(highest_changes, changes.max(axis=0, initial=0.0), out=highest_changes)
    return _with_floor(highest_turns), _with_floor(highest_changes)


def _with_floor(highest: Array) -> Float32:
    """Return values `(J,)` raised to at least a fifth of the highest, so that a joint at rest sets no limit."""
    return np.asarray(np.maximum(highest, max(0.2 * float(highest.max(initial=0.0)), 1e-6)), np.float32)
