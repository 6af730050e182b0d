# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint for alternatives: motions from which a result should differ."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Float32, Float64, Int64, Mask
from ..errors import InputError
from ..examples.memory.estimates import PAIR_BYTES, ConstraintBytes
from ..examples.part_plans import PartPlan
from ..examples.transition_costs import movement_unit
from ..features import pyramid
from ..features.nearest_patches import frame_distances
from ..motion.motion import Motion
from ..planning.frame_cost import FrameCost, PathCosts
from .constraint import Constraint, Task
from .pose_targets import Poses, heights_above_ground, pose_targets

LIKENESS_COST = 30.0
"""Largest cost, in votes, at one stage frame: that of showing the same pose as a motion there. With half as many votes,
alternatives on single clips of dances and walks were the same path again in two of five stretches of one second."""


@dataclass(frozen=True, eq=False)
class UnlikeMotions(Constraint):
    """Motions of F frames, on the examples' skeleton, from each of which the result should differ.

    weights: `(F,)` required difference at each frame, 0 to 1. The cost falls to 0 at the root mean square distance of
    the motions' poses from their mean. Raises InputError for motions and weights of different lengths.

    >>> other = UnlikeMotions((swing,), np.ones(60, np.float32))
    >>> synthesize(prepared, 60, constraints=Constraints(others=(other,))).motion.frames
    60
    """

    motions: tuple[Motion, ...]
    weights: Float32
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=PAIR_BYTES)

    def __post_init__(self) -> None:
        if any(motion.frames != len(self.weights) for motion in self.motions):
            raise InputError("Motions to differ from must be as long as the result.")

    def at_rates(self, planned: Float64) -> None:
        """Return None, since poses belong to frames of the result."""
        return None

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the costs of example frames that resemble a motion's pose at the same time."""
        if not self.motions or not self.weights.any():
            return costs
        length = len(initial_path)
        columns, every = self._rows(task, length)
        compared = np.zeros(len(columns), bool)
        compared[plan.columns] = True
        compared &= columns
        examples = task.prepared.planning.finest.rows[plan.source_frames][:, compared]
        weights = pyramid.resample_rows(np.asarray(self.weights, np.float32)[:, None], length)
        different = np.concatenate([rows[:, compared][weights[:, 0] > 0] for rows in every])
        if not len(different) or not compared.any():
            return costs
        least = movement_unit(examples, plan.bounds, plan.graph.rate) ** 2
        unit = max(float(np.square(different - different.mean(axis=0)).sum(axis=1).mean()), least)
        nearest = np.min([frame_distances(rows[:, compared], examples) for rows in every], axis=0)
        table = LIKENESS_COST * weights * np.maximum(1.0 - nearest / np.float32(unit), 0.0)
        cost = FrameCost(table.astype(np.float32), np.arange(length))
        return replace(costs, frame_costs=(*costs.frame_costs, cost))

    def _rows(self, task: Task, length: int) -> tuple[Mask, list[Float32]]:
        """Return a mask `(C,)` of the columns that a motion determines, and the rows `(length, C)` of each motion."""
        prepared, features = task.prepared, task.prepared.planning.features
        columns, every = np.zeros(0, bool), []
        for motion in self.motions:
            poses = Poses(motion, np.ones(motion.rotations.shape[:2], bool), np.ones(motion.frames, bool))
            above = heights_above_ground(poses, prepared.motions, features, prepared.root)
            targets = pose_targets(features, prepared.root, poses, above)
            columns = np.asarray(targets.mask.any(axis=0))
            every.append(pyramid.resample_rows(targets.rows, length))
        return columns, every
