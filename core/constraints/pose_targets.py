# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses as features: their targets in the rows, and their costs for each example frame."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask, Rows
from ..examples.part_plans import PartPlan
from ..examples.transition_costs import Bounds, half_window, movement_unit, rows_around
from ..features import pyramid
from ..features.features import FeatureKind, FeatureRows, rows_like
from ..features.nearest_patches import frame_distances
from ..feet.contact_detection import Foot
from ..motion import rotations
from ..motion.climbing import encode_poses, lowest_heights
from ..motion.motion import Motion, joint_path
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, RootTrack
from ..motion.spans import marks_around
from ..planning.frame_cost import FrameCost

PIN_COST = 4.0
"""Cost, in votes, for each squared unit of movement by which a frame is farther from a momentary pose than the nearest
frame. Below 2, paths show pins in the other half of a stride, and feet must travel there."""
PIN_TOLERANCE = 0.5
"""Squared units of movement that cost nothing: about the distance between two strides."""
CONTEXT_SECONDS = 0.5
"""Time, in seconds, beside poses that stay, more than half of a patch: on both sides of a pin its segment should
continue, with decreasing weight; on uneven ground, the pelvis comes to a pin's height and from it; and motion on each
side of a stretch guides what is planned or repaired in it."""
FOOT_UNIT = 0.014
"""Distance by which a frame's feet, relative to the root, are farther from those of a pin with fixed legs than the
nearest frame's, for each squared unit of which the frame costs a vote, as a share of the skeleton's size. A low foot
that is moved elsewhere slides. The whole body hardly shows this: the distance between strides is much smaller than that
between a foot on the ground and one in the air."""
GIVEN_COST = 20.0
"""Cost, in votes, of a frame whose rest of the body differs as much as two frames of the examples on average (squared).
The difference is from the rest of the body in the example frame most similar to the pose that is fixed throughout."""
GIVEN_TOLERANCE = 0.07
"""Share of that difference that costs nothing, so that there is variety. At 0.1 feet slide on twice as many clips."""
AVOIDED_COST = 60.0
"""Cost, in votes, of a frame that a path shows only if it must; a patch's own votes are 11 at most."""


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses of a motion of F frames, with masks `(F, J)` of the fixed joints and `(F,)` of the fixed places."""

    motion: Motion
    joints: Mask
    place: Mask

    @property
    def frames(self) -> Int64:
        """Return the frames at which anything is fixed, ascending."""
        return np.flatnonzero(self.joints.any(axis=1) | self.place)


@dataclass(frozen=True, eq=False)
class PoseTargets:
    """Features of poses: `rows` `(F, C)`, a `mask` `(F, C)` of the fixed ones, and `given` `(C,)`: fixed throughout."""

    rows: Rows
    mask: Mask
    given: Mask

    @property
    def moments(self) -> Int64:
        """Return the frames at which more is fixed than throughout."""
        return np.flatnonzero((self.mask & ~self.given).any(axis=1))

    def put_into(self, rows: Rows) -> Rows:
        """Return rows `(F', C)` of a stage with the fixed features put in."""
        frames, length = len(self.rows), len(rows)
        rows = rows.copy()
        if self.given.any():
            rows[:, self.given] = pyramid.resample_rows(self.rows[:, self.given], length)
        for frame in self.moments:
            at = stage_frame(int(frame), frames, length)
            rows[at, self.mask[frame]] = self.rows[frame, self.mask[frame]]
        return rows


@dataclass(frozen=True, eq=False)
class FootPlaces:
    """Places of feet relative to the root.

    examples: `(n, feet, 3)` at the frames of a stage. posed: `(F, feet, 3)` in poses. fixed: mask `(F, feet)` of the
    poses that fix the leg. size: of the skeleton.
    """

    examples: Rows
    posed: Rows
    fixed: Mask
    size: float

    def of_legs(self, legs: Mask) -> "FootPlaces":
        """Return the places of which only those of some feet, a mask `(feet,)`, count."""
        return replace(self, fixed=self.fixed & legs)

    def costs(self, frame: int, plan: PartPlan) -> Rows:
        """Return the costs `(1, n)`, in votes, of each frame of a part for a pose; that with the nearest feet is free.

        A segment may be shifted by less than a stage frame to show a pose on time. So the distance is the smallest on
        the line halfway to the frames before and after.
        """
        feet = np.flatnonzero(self.fixed[frame])
        examples = self.examples[plan.source_frames][:, feet].reshape(len(plan.source_frames), -1).astype(np.float64)
        if not examples.shape[1]:
            return np.zeros((1, len(examples)), np.float32)
        offset = self.posed[frame, feet].reshape(-1) - examples
        squares = np.sum(offset**2, axis=1)
        index = np.arange(len(examples))
        example = plan.bounds.example_of(index)
        for direction in (-1, 1):
            beside = np.clip(index + direction, plan.bounds.starts[example], plan.bounds.ends[example] - 1)
            step = 0.5 * (examples[beside] - examples)
            share = np.clip(np.sum(offset * step, axis=1) / np.maximum(np.sum(step**2, axis=1), 1e-12), 0.0, 1.0)
            squares = np.minimum(squares, np.sum((offset - share[:, None] * step) ** 2, axis=1))
        units = squares / (FOOT_UNIT * self.size) ** 2
        return np.asarray(np.maximum(units - units.min() - 1.0, 0.0)[None], np.float32)

    def units_off(self, frames: Int64, seen: Array) -> Float64:
        """Return the squared units `(S,)`, summed over `frames` `(K,)`, by which feet differ from those of the poses.

        seen: `(S, K, feet, 3)` places of the feet from the root, for each of S choices.
        """
        away = np.where(self.fixed[frames][..., None], seen - self.posed[frames], 0.0)
        return np.asarray(np.sum(away**2, axis=(1, 2, 3)) / (FOOT_UNIT * self.size) ** 2, np.float64)


def heights_above_ground(poses: Poses, motions: Sequence[Motion], features: FeatureRows, root: RootPlan) -> Float64:
    """Return the heights `(F,)` of the lowest joints of poses above the ground: 0, unless examples climb.

    There, the ground passes evenly below the steps, and is as far below a pose as below the most similar frame of the
    examples. motions: the examples on level ground.
    """
    above, frames = np.zeros(poses.motion.frames), poses.frames
    if not root.climbs:
        return above
    posed, columns = poses.motion.take(frames), ~np.isin(features.joints, root.anchored)
    columns &= features.kinds == FeatureKind.POSE
    rows = rows_like(features, posed, encode_poses(posed, root), root)[:, columns]
    lowest = np.concatenate([lowest_heights(motion, root) for motion in motions])
    for piece in pieces(len(frames), len(lowest)):
        above[frames[piece]] = lowest[frame_distances(rows[piece], features.rows[:, columns]).argmin(axis=1)]
    return above


def foot_places(
    poses: Poses, feet: Sequence[Foot], root: RootPlan, seen: Rows, above: Float64 | None = None
) -> FootPlaces:
    """Return the places of feet in the examples and in poses; seen: `(n, J, 3)` the examples' joints from the root.

    above: see heights_above_ground; None is 0.
    """
    motion = poses.motion
    fixed = np.zeros((motion.frames, len(feet)), bool)
    for index, foot in enumerate(feet):
        fixed[:, index] = poses.joints[:, [foot.joint, *foot.leg]].all(axis=1)
    posed = np.zeros((motion.frames, len(feet), 3), np.float32)
    frames = np.flatnonzero(fixed.any(axis=1))
    if len(frames):
        posed_motion = motion.take(frames)
        track = encode_poses(posed_motion, root, None if above is None else above[frames])
        posed[frames] = _feet_seen(posed_motion, track.ground, track.heading, feet)
    return FootPlaces(seen[:, [foot.joint for foot in feet]], posed, fixed, motion.skeleton.size)


def feet_from_root(motion: Motion, track: RootTrack, feet: Sequence[Foot], frames: Int64) -> Rows:
    """Return the places `(..., feet, 3)` of feet at some frames `(...)` of an example, seen from its root."""
    posed, at = np.unique(frames, return_inverse=True)
    seen = _feet_seen(motion.take(posed), track.ground[posed], track.heading[posed], feet)
    return seen[at.reshape(frames.shape)]


def _feet_seen(motion: Motion, ground: Rows, heading: Rows, feet: Sequence[Foot]) -> Rows:
    """Return the places `(T, feet, 3)` of feet, seen from a root at `ground` `(T, 3)` that faces `heading` `(T, 4)`."""
    places = np.stack([joint_path(motion, foot.joint) for foot in feet], axis=1).astype(np.float32)
    seen: Rows = rotations.rotate(rotations.inverse(heading)[:, None], places - ground[:, None])
    return seen


def pose_targets(features: FeatureRows, root: RootPlan, poses: Poses, above: Float64) -> PoseTargets:
    """Return the features of poses on the examples' skeleton; above: see heights_above_ground."""
    motion = poses.motion
    frames = poses.frames
    posed = motion.take(frames)
    rows = np.zeros((motion.frames, len(features.joints)), np.float32)
    rows[frames] = rows_like(features, posed, encode_poses(posed, root, above[frames]), root)
    mask = poses.joints[:, features.joints].copy()
    placed = poses.place[:, None]
    goes_on = placed & np.append(poses.place[1:], False)[:, None]
    mask[:, features.kinds == FeatureKind.PLACE] = placed
    mask[:, features.kinds == FeatureKind.RATE] = goes_on
    mask[:, features.kinds == FeatureKind.LABEL] = False
    return PoseTargets(rows, mask, np.asarray(mask[: max(len(mask) - 1, 1)].all(axis=0)))


def stage_frame(frame: int, frames: int, length: int) -> int:
    """Return the frame of a stage of `length` that corresponds to one of `frames`."""
    return min(int((frame + 0.5) * length / frames), length - 1)


def frame_costs_of_poses(
    stage_rows: Rows, plan: PartPlan, targets: PoseTargets, length: int, feet: FootPlaces | None = None
) -> list[FrameCost]:
    """Return the costs of the given poses for a part's path of `length` stage frames.

    Channels that are fixed throughout affect every part, since the body moves together; a momentary pose affects only
    the parts of its joints. feet: of the part, at momentary poses; None if no leg is fixed.
    """
    examples = stage_rows[plan.source_frames]
    frame_costs = []
    if targets.given.any():
        target = pyramid.resample_rows(targets.rows[:, targets.given], length)
        frame_costs.append(_beside_given(examples, plan, target, targets.given))
    part_columns = np.zeros(len(targets.given), bool)
    part_columns[plan.columns] = True
    masks = targets.mask & part_columns & ~targets.given
    pinned = np.flatnonzero(masks.any(axis=1))
    if not len(pinned):
        return frame_costs
    tables, least = [], movement_unit(examples, plan.bounds, plan.graph.rate)
    for frame in pinned:
        columns = masks[frame]
        target = targets.rows[frame : frame + 1, columns]
        table = _unary_costs(squared_movements(target, examples[:, columns], plan.bounds, plan.graph.rate, least))
        tables.append(table if feet is None else np.minimum(table + feet.costs(int(frame), plan), AVOIDED_COST))
    at = np.array([stage_frame(int(frame), len(targets.rows), length) for frame in pinned])
    frame_costs.append(_around_pins(np.concatenate(tables), at, plan, length))
    return frame_costs


def _beside_given(examples: Rows, plan: PartPlan, target: Rows, given: Mask) -> FrameCost:
    """Return the cost of channels fixed throughout: `target` `(F, G)` in the columns `given` `(C,)` of rows `(n, C)`.

    Frames are compared by the rest of the body, since only that is shown: the legs of a stride do not match the arms of
    its other half, even if the fixed channels are similar. Frames around them count too, as at a transition: passing
    legs look the same in both halves of a stride.
    """
    length, reach = len(target), half_window(plan.graph.rate)
    given_rows, rest_rows = (rows_around(examples[:, columns], plan.bounds, reach) for columns in (given, ~given))
    targets = rows_around(target, Bounds.of_lengths(np.array([length])), reach)
    mean = max(2.0 * float(np.sum(rest_rows.var(axis=0))), 1e-12)
    table = np.empty((length, len(examples)), np.float32)
    for piece in pieces(length, len(examples)):
        unlike = frame_distances(targets[piece], given_rows)
        off = frame_distances(rest_rows[unlike.argmin(axis=1)], rest_rows) / mean
        table[piece] = GIVEN_COST * np.maximum(off - GIVEN_TOLERANCE, 0.0)
    return FrameCost(np.minimum(table, AVOIDED_COST), np.arange(length))


def _around_pins(table: Rows, at: Int64, plan: PartPlan, length: int) -> FrameCost:
    """Return the cost of pins at stage frames `at` `(K,)`, one row of `table` `(K, n)` each, and of frames near them.

    A frame near a pin has the cost of the frame that its segment shows on the pin, so that a path does not leave a
    fitting segment at once, and no crossfade lies over the pin.
    """
    reach = round(CONTEXT_SECONDS * plan.graph.rate)
    frames = np.arange(length)
    before, after = marks_around(at, length)
    nearest = np.where(np.abs(at[after] - frames) < np.abs(frames - at[before]), after, before)
    away = frames - at[nearest]
    near = np.flatnonzero(np.abs(away) <= reach)
    columns = np.arange(table.shape[1])
    example = plan.bounds.example_of(columns)
    first, last = plan.bounds.starts[example], plan.bounds.ends[example] - 1
    rows, costs = np.full(length, -1), np.empty((len(near), table.shape[1]), np.float32)
    rows[near] = np.arange(len(near))
    for row, frame in enumerate(near):
        weight = 1.0 - abs(int(away[frame])) / (reach + 1)
        costs[row] = weight * table[nearest[frame], np.clip(columns - away[frame], first, last)]
    return FrameCost(costs, rows)


def squared_movements(targets: Rows, examples: Rows, bounds: Bounds, rate: float, least: float) -> Rows:
    """Return the distances `(K, n)` of targets from the frames of examples, in squared units of movement.

    targets, examples: rows of the fixed joints. least: the unit of all joints, for a part that hardly moves.
    """
    return np.asarray(frame_distances(targets, examples) / max(movement_unit(examples, bounds, rate), least) ** 2)


def _unary_costs(distances: Rows) -> Rows:
    """Return the costs `(K, n)`, in votes, of frames at distances of `squared_movements`; the nearest are free."""
    # Perhaps no frame is similar to a pose that was edited by hand; the nearest ones are still better than others.
    distances = np.maximum(distances - distances.min(axis=1, keepdims=True) - PIN_TOLERANCE, 0.0)
    return np.asarray(np.minimum(PIN_COST * distances, AVOIDED_COST), np.float32)
