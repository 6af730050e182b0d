# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs of constraints: votes against each example frame, for each frame of a part's path."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..features import pyramid
from ..features.features import Kind, rows_like
from ..features.nearest_patches import frame_distances
from ..library.examples import PartPlan, Prepared
from ..library.transition_costs import movement_unit
from ..motion.filters import smooth
from ..motion.root_motion import encode_root
from ..planning.frame_cost import FrameCost
from ..planning.min_cost_path import VOTED_TRANSITION_COST
from .spec import PoseConstraint

Rows = NDArray[np.float32]

PIN_COST = 0.5
"""Votes against a frame that is one unit of movement (squared) off a pose held for a moment ..."""
GIVEN_COST = 0.15
"""... and off one that is held throughout: the many frames add up."""
GIVEN_TOLERANCE = 6.0
"""Units (squared) that a frame may be off what is given throughout at no cost: so there is a choice, and variety."""
LEAST_UNIT = 1.0
"""Least unit of movement, as a share of the whole body's, by which parts that hardly move are judged."""
MOST_POSE_COST = 60.0
RATE_COST = 0.5
"""Votes against a frame that walks, or turns, by one of these units (squared) otherwise than is wanted:"""
SPEED_UNIT = 0.25
"""a share of the examples' mean speed,"""
TURN_UNIT = 0.35
"""radians per second."""
MOST_RATE_COST = 8.0
RATE_SECONDS = 0.35
"""Over about this long the examples' speed and turning are averaged: a step has its own ups and downs."""
CLOSING_WEIGHT = 4.0
"""Weight of the transition that closes a loop, in those of other transitions."""


@dataclass(frozen=True, eq=False)
class PoseTargets:
    """Features of what is held: `rows` `(F, C)`, and which of them, `(F, C)`; `given` `(C,)`: those held throughout."""

    rows: Rows
    mask: NDArray[np.bool_]
    given: NDArray[np.bool_]

    @property
    def moments(self) -> NDArray[np.int64]:
        """The frames at which more is held than throughout."""
        return np.flatnonzero((self.mask & ~self.given).any(axis=1))

    def put_into(self, rows: Rows) -> Rows:
        """Rows `(F', C)` of a stage with what is held there in its place."""
        frames, length = len(self.rows), len(rows)
        rows = rows.copy()
        if self.given.any():
            rows[:, self.given] = pyramid.resample_rows(self.rows[:, self.given], length)
        for frame in self.moments:
            at = stage_frame(int(frame), frames, length)
            rows[at, self.mask[frame]] = self.rows[frame, self.mask[frame]]
        return rows


def pose_targets(prepared: Prepared, poses: PoseConstraint) -> PoseTargets:
    """Return the features of the given poses. Raises InputError for another skeleton or values that are not finite."""
    check_pose_constraint(prepared, poses)
    features, motion = prepared.features, poses.motion
    frames = poses.frames
    posed = motion.take(frames)
    rows = np.zeros((motion.frames, len(features.joints)), np.float32)
    rows[frames] = rows_like(features, posed, encode_root(posed, prepared.root), prepared.root)
    mask = poses.joints[:, features.joints].copy()
    placed = poses.place[:, None]
    goes_on = placed & np.append(poses.place[1:], False)[:, None]
    mask[:, features.kinds == Kind.PLACE] = placed
    mask[:, features.kinds == Kind.RATE] = goes_on
    mask[:, features.kinds == Kind.LABEL] = False
    return PoseTargets(rows, mask, np.asarray(mask[: max(len(mask) - 1, 1)].all(axis=0)))


def check_pose_constraint(prepared: Prepared, poses: PoseConstraint) -> None:
    """Raise InputError unless what is held is of the examples' skeleton and channels, and finite where it counts."""
    motion, example = poses.motion, prepared.motions[0]
    if (
        motion.skeleton.names != example.skeleton.names
        or not np.array_equal(motion.translated, example.translated)
        or not np.array_equal(motion.scaled, example.scaled)
    ):
        raise InputError(
            "What is held has other joints or channels than the examples; take it from the same character."
        )
    motion.check_finite("What is held")


def stage_frame(frame: int, frames: int, length: int) -> int:
    """The frame of a stage of `length` that stands for one of `frames`."""
    return min(int((frame + 0.5) * length / frames), length - 1)


def frame_costs_of_poses(prepared: Prepared, plan: PartPlan, targets: PoseTargets, length: int) -> list[FrameCost]:
    """Return the costs of the given poses for a part's path of `length` stage frames.

    What is held throughout leads every part, since the body goes together; a pose of a moment those that it names.
    """
    examples = prepared.stages[-1].rows[plan.source_frames]
    frame_costs = []
    if targets.given.any():
        target = pyramid.resample_rows(targets.rows[:, targets.given], length)
        table = _unary_costs(prepared, plan, target, examples[:, targets.given], GIVEN_COST, GIVEN_TOLERANCE)
        frame_costs.append(FrameCost(table, np.arange(length)))
    own = np.zeros(len(targets.given), bool)
    own[plan.columns] = True
    masks = targets.mask & own & ~targets.given
    rows, tables = np.full(length, -1), [np.zeros((0, len(examples)), np.float32)]
    for frame in np.flatnonzero(masks.any(axis=1)):
        columns = masks[frame]
        rows[stage_frame(int(frame), len(targets.rows), length)] = len(tables) - 1
        target = targets.rows[frame : frame + 1, columns]
        tables.append(_unary_costs(prepared, plan, target, examples[:, columns], PIN_COST))
    if len(tables) > 1:
        frame_costs.append(FrameCost(np.concatenate(tables), rows))
    return frame_costs


def _unary_costs(
    prepared: Prepared, plan: PartPlan, targets: Rows, examples: Rows, weight: float, tolerance: float = 0.0
) -> Rows:
    rate, whole = prepared.stages[-1].ratio * prepared.frames_per_second, prepared.stages[-1].rows[plan.source_frames]
    least = LEAST_UNIT * movement_unit(whole, plan.bounds, rate)
    unit = max(movement_unit(examples, plan.bounds, rate), least)
    distances = np.maximum(frame_distances(targets, examples) / unit**2 - tolerance, 0.0)
    return np.asarray(np.minimum(weight * distances, MOST_POSE_COST), np.float32)


def frame_cost_of_rates(
    prepared: Prepared, plan: PartPlan, speed: NDArray[np.floating] | None, turn: NDArray[np.floating], length: int
) -> FrameCost:
    """Return the cost of walking or turning otherwise than `speed` and `turn` `(F,)`, per frame; nan is free."""
    speeds, turns = _example_rates(prepared, plan)
    mean = max(prepared.mean_root_speed, 1e-9)
    targets = [(turn, turns, TURN_UNIT / prepared.frames_per_second)]
    if speed is not None:
        targets.append((speed, speeds, SPEED_UNIT * mean))
    table = np.zeros((length, len(plan.source_frames)), np.float32)
    at = np.minimum(((np.arange(length) + 0.5) * len(turn) / length).astype(np.int64), len(turn) - 1)
    for target, there, unit in targets:
        distances = (target[at][:, None] - there) / unit
        table += np.where(np.isfinite(distances), np.minimum(RATE_COST * distances**2, MOST_RATE_COST), 0.0)
    return FrameCost(table.astype(np.float32), np.arange(length))


def _example_rates(prepared: Prepared, plan: PartPlan) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean speed and turn of the examples around each frame `(n,)` that the part may show."""
    speeds, turns = [], []
    for track in prepared.tracks:
        ways = np.zeros((len(track.velocity), 3))
        ways[:, 0] = np.linalg.norm(track.velocity, axis=1)
        ways[:, 1] = track.yaw_rate
        smoothed = smooth(ways, RATE_SECONDS, prepared.frames_per_second)
        speeds.append(smoothed[:, 0])
        turns.append(smoothed[:, 1])
    sampled = prepared.speeds.sampled[plan.source_frames]
    return np.concatenate(speeds)[sampled], np.concatenate(turns)[sampled]


def frame_cost_of_closing(plan: PartPlan, first: int, length: int) -> FrameCost:
    """That the last of `length` stage frames leads to the part's frame `first`."""
    costs = np.minimum(CLOSING_WEIGHT * (VOTED_TRANSITION_COST + plan.graph.costs_to(first)), MOST_POSE_COST).astype(
        np.float32
    )
    if first > 0 and plan.graph.begins[first] < first:
        costs[first - 1] = 0.0
    rows = np.full(length, -1)
    rows[-1] = 0
    return FrameCost(costs[None], rows)


def easiest_to_reach(plan: PartPlan, first: int, within: int) -> int:
    """Return the frame at most `within` from `first` of its example that a transition reaches at the least cost."""
    low = max(first - within, int(plan.graph.begins[first]))
    high = min(first + within + 1, int(plan.graph.ends[first]) - plan.graph.shortest)
    if high <= low:
        return first
    return low + int(np.argmin(plan.graph.predecessors.costs[low:high].min(axis=1)))
