# SPDX-License-Identifier: GPL-3.0-or-later
"""An index of poses: every frame of many motions as a short row, in which nearness means alike poses that move alike.

A row is where the joints are, seen from the root's place and heading, and how fast they go, projected onto the main
components. Memory grows with the frames, and no pair of frames is ever held.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..evaluation.window_features import joint_shares
from ..features.principal_axes import principal_axes
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, find_companions, find_root, place_and_heading
from ..settings import Facing

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Indices = NDArray[np.int64]

VELOCITY_SECONDS = 0.2
"""A velocity counts as the way it covers in this time: with it, gaps of a captured library are filled best."""
COLUMNS = 64
"""Main components that are kept: over 99 % of the variance of captured motion."""
SAMPLED_CLIPS = 200
"""So many clips, evenly spread, decide on the components."""


@dataclass(frozen=True, eq=False)
class PoseSpace:
    """The way from poses to rows. weights: `(J,)` of the joints; center `(6 J,)` and axes `(6 J, C)`."""

    joints: tuple[str, ...]
    plan: RootPlan
    weights: Float64
    center: Float64
    axes: Float64


@dataclass(frozen=True, eq=False)
class PoseIndex:
    """Rows of all N frames of M motions at one rate.

    rows: `(N, C)`; squares: `(N,)` their squared lengths. ground: `(N, 2)` place of the root along the ground, in sizes
    of the skeleton; turns: `(N,)` its heading, radians. starts, stops: `(M,)` frames; clips: `(N,)` the motion of each.

    >>> isinstance(build_pose_index([swing]), PoseIndex)
    True
    """

    space: PoseSpace
    frames_per_second: float
    rows: Float32
    squares: Float32
    ground: Float32
    turns: Float32
    starts: Indices
    stops: Indices
    clips: NDArray[np.int32]

    @property
    def frames(self) -> int:
        """Return the number of frames, N."""
        return len(self.rows)

    def squared_distances(self, row: Float32) -> Float32:
        """Return the squared distance `(N,)` of every frame from a row `(C,)`."""
        return np.asarray(np.maximum(self.squares - 2 * (self.rows @ row) + row @ row, 0.0), np.float32)


def build_pose_index(motions: Sequence[Motion], root: int | None = None) -> PoseIndex:
    """Return the index of motions on one skeleton and at one rate; root: the joint that travels, None is the one found.

    Raises InputError where there is no motion, or where skeletons or rates differ.

    >>> build_pose_index([swing, swing]).frames
    120
    """
    if not motions:
        raise InputError("There is no motion to search in; give a library with clips in it.")
    first = motions[0]
    for motion in motions:
        if motion.skeleton.names != first.skeleton.names or motion.frames_per_second != first.frames_per_second:
            raise InputError("The motions to search in have several skeletons or rates; bring them onto one.")
    joint = find_root(motions) if root is None else root
    plan = RootPlan(joint, find_companions(motions[:SAMPLED_CLIPS], joint), Facing.FREE, False)
    space = _space(motions, plan)
    rows, ground, turns = [], [], []
    for motion in motions:
        places, headings = place_and_heading(motion, plan)
        rows.append(_projected(space, _poses(space, motion, places, headings, None)))
        ground.append(_on_ground(motion, places).astype(np.float32))
        turns.append(headings.astype(np.float32))
    lengths = np.array([motion.frames for motion in motions])
    together = np.concatenate(rows)
    return PoseIndex(
        space=space,
        frames_per_second=first.frames_per_second,
        rows=together,
        squares=np.einsum("nc,nc->n", together, together),
        ground=np.concatenate(ground),
        turns=np.concatenate(turns),
        starts=np.cumsum(lengths) - lengths,
        stops=np.cumsum(lengths),
        clips=np.repeat(np.arange(len(motions), dtype=np.int32), lengths),
    )


def rows_of(space: PoseSpace, motion: Motion, velocity: Float64 | None = None) -> Float32:
    """Return the rows `(T, C)` of a motion on the index's skeleton.

    velocity: `(3,)` units per frame, the body's where a single frame does not tell any.
    Raises InputError for another skeleton.

    >>> rows_of(build_pose_index([swing]).space, swing).shape
    (60, 12)
    """
    if motion.skeleton.names != space.joints:
        raise InputError("The motion's skeleton has other joints than the library's; bring it onto the library's.")
    return _projected(space, _poses(space, motion, *place_and_heading(motion, space.plan), velocity))


def ground_and_turns(space: PoseSpace, motion: Motion) -> tuple[Float64, Float64]:
    """Return the root's place `(T, 2)` along the ground, in sizes, and its heading `(T,)`, radians, unwrapped."""
    places, turns = place_and_heading(motion, space.plan)
    return _on_ground(motion, places), turns


def turned(vectors: NDArray[np.floating], angles: NDArray[np.floating] | float) -> NDArray[np.floating]:
    """Return vectors `(..., 2)` along the ground turned by angles `(...)`, radians."""
    cosine, sine = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=-1)


def _space(motions: Sequence[Motion], plan: RootPlan) -> PoseSpace:
    skeleton = motions[0].skeleton
    count = 6 * len(skeleton.names)
    weights = joint_shares(skeleton, plan.joint)
    space = PoseSpace(skeleton.names, plan, weights, np.zeros(count), np.eye(count))
    chosen = np.unique(np.linspace(0, len(motions) - 1, min(len(motions), SAMPLED_CLIPS)).astype(np.int64))
    total, products, frames = np.zeros(count), np.zeros((count, count)), 0
    for number in chosen:
        poses = _poses(space, motions[number], *place_and_heading(motions[number], plan), None)
        total += poses.sum(axis=0)
        products += poses.T @ poses
        frames += len(poses)
    center = total / frames
    axes = principal_axes(products / frames - np.outer(center, center), COLUMNS)
    return PoseSpace(skeleton.names, plan, weights, center, axes)


def _projected(space: PoseSpace, poses: Float64) -> Float32:
    return np.asarray((poses - space.center) @ space.axes, np.float32)


def _on_ground(motion: Motion, places: NDArray[np.floating]) -> Float64:
    """Return places `(T, 2)` along the ground, in sizes, of places `(T, 3)`."""
    axes = rotations.ground_axes(motion.skeleton.up)
    return np.asarray(places.astype(np.float64) @ axes.T / motion.skeleton.size)


def _poses(
    space: PoseSpace, motion: Motion, places: NDArray[np.floating], turns: Float64, velocity: Float64 | None
) -> Float64:
    """Return positions from the root's place, and velocities, seen from its heading: `(T, 6 J)`, weighed, in sizes.

    places, turns: `(T, 3)` and `(T,)` of the root, see `place_and_heading`.
    """
    up = np.array(motion.skeleton.up)
    positions = motion.pose()[1].astype(np.float64)
    ground = places - (places @ up)[:, None] * up
    if motion.frames > 1:
        # At the ends too of the second order, where a gap's poses are.
        speeds = np.gradient(positions, axis=0, edge_order=2 if motion.frames > 2 else 1)
    else:
        speeds = np.broadcast_to(np.zeros(3) if velocity is None else velocity, positions.shape)
    back = rotations.to_matrix(rotations.from_axis_angle(np.broadcast_to(up, (motion.frames, 3)), -turns))
    reach = VELOCITY_SECONDS * motion.frames_per_second
    columns = np.concatenate((positions - ground[:, None], speeds * reach), axis=1)
    # In axes of the ground and up: a file with Y up and the same one with Z up then have the same coordinates.
    axes = np.vstack((rotations.ground_axes(motion.skeleton.up), up))
    seen = columns @ np.swapaxes(axes @ back, 1, 2) * np.tile(space.weights, 2)[:, None]
    return np.asarray(seen.reshape(motion.frames, -1) / motion.skeleton.size)
