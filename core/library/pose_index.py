# SPDX-License-Identifier: GPL-3.0-or-later
"""An index of poses: every frame of many motions as a short row; near rows are similar poses with similar velocities.

A row has the positions of the joints, relative to the root's place and heading, and their velocities, projected onto
principal components. Memory grows with the number of frames, and no table of pairs is ever kept.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float32, Float64, Indices
from ..computation import computing
from ..errors import InputError
from ..evaluation.window_features import joint_shares
from ..features.principal_axes import MOST_AXES, MOST_COLUMNS, axes_of_products, few_columns, principal_axes
from ..motion import rotations
from ..motion.climbing import climbs
from ..motion.comparing import check_comparable, same_channels, same_rest_pose
from ..motion.motion import Motion
from ..motion.piecewise import CLIPS, evenly, pieces
from ..motion.read_motions import lengths_of
from ..motion.root_motion import RootPlan, find_companions, find_root, place_and_heading
from ..progress import Progress, report_progress
from ..settings import Facing
from ..storage import ArrayInFile
from .seen_poses import SeenPoses, in_batches, see_poses

SAME_PLACE_SECONDS = 0.3
"""Time, in seconds, within which frames of one clip count as the same place, to which no transition is made, and events
of feet as the same event."""


@dataclass(frozen=True, eq=False)
class PoseSpace:
    """Map from poses to rows. weights: `(J,)` of the joints; center `(6 J,)` and axes `(6 J, C)`: of the components."""

    joints: tuple[str, ...]
    plan: RootPlan
    weights: Float64
    center: Float64
    axes: Float64

    @property
    def still_axes(self) -> Float64:
        """Return the part `(3 J, C)` of the components that is of positions, without velocities."""
        return self.axes[: len(self.center) // 2]


@dataclass(frozen=True, eq=False)
class PoseIndex:
    """Rows of all N frames of M motions at one rate.

    rows: `(N, C)`. squares: `(N,)` their squared lengths. ground: `(N, 2)` place of the root along the ground, in sizes
    of the skeleton. turns: `(N,)` its heading, in radians. starts, stops: `(M,)` frames. Arrays of frames may be an
    `ArrayInFile`, of which a search reads what it needs.

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

    @property
    def frames(self) -> int:
        """Return the number of frames, N."""
        return len(self.rows)

    @property
    def is_there(self) -> bool:
        """Return whether the file of the rows exists, if they are in one."""
        return not isinstance(self.rows, ArrayInFile) or self.rows.is_there

    @cached_property
    def clips(self) -> NDArray[np.int32]:
        """Return the motion `(N,)` of each frame."""
        return np.repeat(np.arange(len(self.starts), dtype=np.int32), self.stops - self.starts)

    @cached_property
    def coarse_rows(self) -> Float32:
        """Return the first K columns of the rows, the length of the rest, and the squares: `(N, K + 2)`.

        The distance between two of these, without the squares, is a lower bound of the distance between the rows.
        """
        count = coarse_columns(self.rows.shape[1])
        leading = np.empty((self.frames, count + 2), np.float32)
        for piece in pieces(self.frames):
            rows = self.rows[piece].astype(np.float64)
            leading[piece, :count] = rows[:, :count]
            leading[piece, count] = np.linalg.norm(rows[:, count:], axis=1)
            leading[piece, count + 1] = np.einsum("nc,nc->n", rows, rows)
        return leading

    def squared_distances(self, row: Float32) -> Float32:
        """Return the squared distance `(N,)` of every frame from a row `(C,)`."""
        return np.asarray(np.maximum(self.squares - 2 * (self.rows @ row) + row @ row, 0.0), np.float32)

    def pose_distances(self, pose: Motion) -> Float32:
        """Return the squared distance `(N,)` of every frame from a motion's first pose, without velocities.

        Raises InputError for another skeleton.

        >>> build_pose_index([swing]).pose_distances(swing.slice(20, 21)).argmin()
        np.int64(20)
        """
        away = _still(self.space, pose)
        toward = (self.space.still_axes.T @ away).astype(np.float32)
        return np.asarray(np.maximum(self._pose_squares - 2 * (self.rows @ toward) + away @ away, 0.0), np.float32)

    @cached_property
    def _pose_squares(self) -> Float32:
        """Return the squared lengths `(N,)` of the rows without their velocities."""
        axes = self.space.still_axes.astype(np.float32)
        return np.asarray(np.einsum("nc,nc->n", self.rows @ (axes.T @ axes), self.rows))


@computing()
def build_pose_index(motions: Sequence[Motion], root: int | None = None, progress: Progress | None = None) -> PoseIndex:
    """Return the index of motions on one skeleton and at one rate; root: the joint that travels; None: it is found.

    progress: see `core.Progress`. Raises InputError if there is no motion, or if skeletons, rest poses, channels or
    rates differ.

    >>> build_pose_index([swing, swing]).frames
    120
    """
    if not motions:
        raise InputError("There is no motion to search in; give a library with clips in it.")
    first_motion, lengths = motions[0], np.array(lengths_of(motions), np.int64)
    for motion in motions:
        motion.check_values("A motion to search in")
        same = motion.frames_per_second == first_motion.frames_per_second and same_channels(motion, first_motion)
        if not same or not same_rest_pose(motion.skeleton, first_motion.skeleton):
            raise InputError(
                "The motions to search in have several skeletons or rates; bring them onto one, with the same channels "
                "and rest pose."
            )
    joint = find_root(motions) if root is None else root
    plan = RootPlan(joint, find_companions(motions[:CLIPS], joint), Facing.FREE, False)
    plan = replace(plan, climbs=any(climbs(motion, plan) for motion in motions[:CLIPS]))
    space = _space(motions, plan, lengths)
    frames = int(lengths.sum())
    rows = np.empty((frames, space.axes.shape[1]), np.float32)
    ground, turns = np.empty((frames, 2), np.float32), np.empty(frames, np.float32)
    first = 0
    for batch in in_batches(motions):
        seen = see_poses(batch, plan)
        piece = slice(first, first + len(seen.turns))
        rows[piece], ground[piece], turns[piece] = _projected(space, seen), seen.ground, seen.turns
        first = piece.stop
        report_progress(progress, first / frames)
    return PoseIndex(
        space=space,
        frames_per_second=first_motion.frames_per_second,
        rows=rows,
        squares=np.einsum("nc,nc->n", rows, rows),
        ground=ground,
        turns=turns,
        starts=np.cumsum(lengths) - lengths,
        stops=np.cumsum(lengths),
    )


def coarse_columns(columns: int) -> int:
    """Return the number of leading columns, K, of rows with a number of columns, ordered by their variance.

    The square root makes a product of all frames short, and leaves few frames whose whole rows are needed.

    >>> coarse_columns(64)
    8
    """
    return math.isqrt(columns)


def rows_of(space: PoseSpace, motion: Motion) -> Float32:
    """Return the rows `(T, C)` of a motion on the index's skeleton; a single frame stands still.

    Raises InputError for another skeleton.

    >>> rows_of(build_pose_index([swing]).space, swing).shape
    (60, 12)
    """
    return _projected(space, see_poses([_checked(space, motion)], space.plan))


def still_rows(space: PoseSpace, rows: Float32) -> Float32:
    """Return rows `(..., C)` of poses without their velocities, as `still_row` does."""
    axes = space.still_axes.astype(np.float32)
    return np.asarray(rows @ (axes.T @ axes))


def still_row(space: PoseSpace, pose: Motion) -> Float32:
    """Return the row `(C,)` of a motion's first pose, which may have any velocity.

    Raises InputError for another skeleton.

    >>> still_row(build_pose_index([swing]).space, swing).shape
    (12,)
    """
    return np.asarray(space.still_axes.T @ _still(space, pose), np.float32)


def _still(space: PoseSpace, pose: Motion) -> Float64:
    """Return the weighted positions `(3 J,)` of a motion's first pose, relative to the center."""
    seen = see_poses([_checked(space, pose).slice(0, 1)], space.plan)
    half = len(space.center) // 2  # speeds are the other half
    return np.asarray(_weighed(space.weights, seen)[:half, 0] - space.center[:half])


def _checked(space: PoseSpace, motion: Motion) -> Motion:
    check_comparable(motion, space.joints, None, "the library")
    return motion


def ground_and_turns(space: PoseSpace, motion: Motion) -> tuple[Float64, Float64]:
    """Return the root's place `(T, 2)` along the ground, in sizes, and its unwrapped heading `(T,)`, in radians."""
    places, turns = place_and_heading(motion, space.plan)
    return _on_ground(motion, places), turns


def _space(motions: Sequence[Motion], plan: RootPlan, lengths: Indices) -> PoseSpace:
    skeleton = motions[0].skeleton
    count = 6 * len(skeleton.names)
    weights = joint_shares(skeleton, plan.joint)
    if not plan.in_place:
        # Joints that stay behind in the world would tell the place of the character, not its pose.
        weights = weights * np.logical_or.reduce([skeleton.descendants(joint) for joint in plan.anchored])
    chosen = evenly(len(motions), CLIPS)
    batches = in_batches(motions[number] for number in chosen.tolist())
    poses = (_weighed(weights, see_poses(batch, plan)) for batch in batches)
    components = _of_products(poses, count) if few_columns(count) else _of_sample(poses, int(lengths[chosen].sum()))
    return PoseSpace(skeleton.names, plan, weights, *components)


def _of_products(batches: Iterable[Float64], count: int) -> tuple[Float64, Float64]:
    """Return center and axes of poses `(C, T)`, without keeping them."""
    total, products, frames = np.zeros(count), np.zeros((count, count)), 0
    for poses in batches:
        total += poses.sum(axis=1)
        products += poses @ poses.T
        frames += poses.shape[1]
    center = total / frames
    return center, axes_of_products(products / frames - np.outer(center, center), MOST_AXES)


def _of_sample(batches: Iterable[Float64], frames: int) -> tuple[Float64, Float64]:
    """Return center and axes of poses `(C, T)` with too many columns for their products, from evenly spread ones."""
    chosen, first, kept = evenly(frames, MOST_COLUMNS), 0, list[Float64]()
    for poses in batches:
        inside = chosen[(chosen >= first) & (chosen < first + poses.shape[1])] - first
        kept.append(poses[:, inside].T)
        first += poses.shape[1]
    sample = np.concatenate(kept)
    center = sample.mean(axis=0)
    return center, principal_axes(sample - center, MOST_AXES)


def _projected(space: PoseSpace, seen: SeenPoses) -> Float32:
    centered = (_weighed(space.weights, seen) - space.center[:, None]).astype(np.float32)
    return np.asarray((space.axes.T.astype(np.float32) @ centered).T)


def _weighed(weights: Float64, seen: SeenPoses) -> Float64:
    """Return positions and velocities `(6 J, T)`, weighted by the joints."""
    return np.asarray(seen.columns * np.repeat(np.tile(weights, 2), 3)[:, None])


def _on_ground(motion: Motion, places: Array) -> Float64:
    """Return the coordinates `(T, 2)` along the ground, in sizes, of places `(T, 3)`."""
    axes = rotations.ground_axes(motion.skeleton.up)
    return np.asarray(places.astype(np.float64) @ axes.T / motion.skeleton.size)
