# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses relative to the root: positions and velocities of the joints, of many motions at once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64, Int64
from ..motion import rotations
from ..motion.kinematics import between, orientations, positions
from ..motion.motion import Motion, joined
from ..motion.piecewise import PIECE
from ..motion.root_motion import RootPlan
from ..motion.skeleton import Skeleton

VELOCITY_SECONDS = 0.2
"""Time, in seconds, that turns a velocity into a distance; with this value, gaps of a captured library are filled best.
"""


@dataclass(frozen=True, eq=False)
class SeenPoses:
    """Poses of T concatenated frames of motions on one skeleton.

    columns: `(6 J, T)` positions of the joints relative to the root's place along the ground, then their velocities,
    both relative to the root's heading, in sizes of the skeleton, with the axes of the ground first. If motions climb,
    heights are above the lowest joint. ground: `(T, 2)` the root's place, in sizes. turns: `(T,)` its unwrapped
    heading, in radians.
    """

    columns: Float64
    ground: Float64
    turns: Float64


def in_batches(motions: Iterable[Motion]) -> Iterator[Sequence[Motion]]:
    """Yield the motions in batches of about PIECE frames, which are computed at once.

    >>> [len(batch) for batch in in_batches([swing] * 100)]
    [69, 31]
    """
    batch, frames = list[Motion](), 0
    for motion in motions:
        batch.append(motion)
        frames += motion.frames
        if frames >= PIECE:
            yield batch
            batch, frames = [], 0
    if batch:
        yield batch


def see_poses(motions: Sequence[Motion], plan: RootPlan) -> SeenPoses:
    """Return the poses of motions with the same channels; a motion of one frame has no velocity."""
    together, size = joined(motions), motions[0].skeleton.size
    skeleton = together.skeleton
    if len(together.scaled):
        matrices, places = together.pose()
        turns = np.transpose(rotations.from_matrix(rotations.without_scale(matrices[:, plan.joint])))
        world = np.transpose(places, (1, 2, 0)).astype(np.float64)
    else:
        oriented = orientations(skeleton, together.rotations)
        turns, world = oriented[plan.joint], positions(together, oriented)
    # The axes are those of the ground and up, so that coordinates do not depend on a file's up axis.
    axes = np.vstack((rotations.ground_axes(skeleton.up), np.array(skeleton.up)))
    seen = axes @ world
    ends = np.cumsum([motion.frames for motion in motions])
    speeds = _differences(seen, ends) * (VELOCITY_SECONDS * together.frames_per_second)
    ground = seen[plan.joint, :2].copy()
    seen[:, :2] -= ground
    if plan.climbs:
        carried = np.logical_or.reduce([skeleton.descendants(int(joint)) for joint in plan.anchored])
        seen[:, 2] -= seen[carried, 2].min(axis=0)
    headings = _headings(skeleton, plan.joint, turns)
    columns = np.concatenate((seen, speeds))
    cosine, sine = np.cos(headings), np.sin(headings)
    first, second = columns[:, 0].copy(), columns[:, 1].copy()
    columns[:, 0] = cosine * first + sine * second
    columns[:, 1] = cosine * second - sine * first
    columns /= size
    unwrapped = np.concatenate([np.unwrap(piece) for piece in np.split(headings, ends[:-1])])
    return SeenPoses(columns.reshape(-1, len(headings)), ground.T / size, unwrapped)


def _headings(skeleton: Skeleton, joint: int, turns: Array) -> Float64:
    """Return the turns `(T,)` from rest about the up axis, in radians, of a joint's orientations `(4, T)`."""
    rest_orientation = skeleton.rest_orientations[joint]
    since = between(np.array([1.0, 0.0, 0.0, 0.0]), rotations.inverse(rest_orientation)) @ turns
    return np.asarray(2.0 * np.arctan2(np.array(skeleton.up) @ since[1:], since[0]))


def _differences(places: Float64, ends: Int64) -> Float64:
    """Return the change per frame of places `(J, 3, T)` in motions that end before `ends`.

    Differences are of second order also at the ends of motions, where a gap's poses are.
    """
    velocities = np.empty_like(places)
    velocities[:, :, 1:-1] = (places[:, :, 2:] - places[:, :, :-2]) / 2
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    for long, first, last in (
        (lengths > 2, ((0, -1.5), (1, 2.0), (2, -0.5)), ((-1, 1.5), (-2, -2.0), (-3, 0.5))),
        (lengths == 2, ((0, -1.0), (1, 1.0)), ((-1, 1.0), (-2, -1.0))),
    ):
        at, behind = starts[long], ends[long]
        velocities[:, :, at] = sum(share * places[:, :, at + step] for step, share in first)
        velocities[:, :, behind - 1] = sum(share * places[:, :, behind + step] for step, share in last)
    velocities[:, :, starts[lengths == 1]] = 0.0
    return velocities
