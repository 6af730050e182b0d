# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint to follow a signal: a sound, a curve, a stroke, or the motion of another character."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...examples.memory.estimates import FRAME_COST_BYTES, ConstraintBytes
from ...examples.part_plans import PartPlan
from ...features import pyramid
from ...planning.frame_cost import FrameCost, PathCosts
from ..constraint import SHORTEST_SHARE, Constraint, Task
from .drives import Drive, driven_values
from .transport import distances, match, normalized

Float64 = NDArray[np.float64]

MOST_VOTES = 12.0
"""Cost, in votes, of showing the worst example frame at a moment of the signal, at a strength of one."""
CROSS_WEIGHT = 0.5
PATH_ROUNDS = 0
COARSE = 0.0
EXTREMES = (5, 95)
"""Percentiles of signal and driven quantity that correspond to each other: peaks of single frames set no scale."""


@dataclass(frozen=True, eq=False)
class Follow(Constraint):
    """A signal over the whole result that the motion follows.

    values: `(S, C)` of the signal, evenly spread over the result, at any rate. strength: from 0 to 1. drive: the
    quantity that rises and falls with the signal's channels. joint: the number of the joint for HEIGHT and REACH.
    part: the name of the only part that follows; "" for all. Raises InputError for a signal that is not finite, has no
    channels, or is constant.
    """

    values: NDArray[np.floating]
    strength: float = 1.0
    drive: Drive = Drive.ENERGY
    joint: int | None = None
    part: str = ""
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=FRAME_COST_BYTES)

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise InputError("The signal is empty; choose one with values over the frames of the result.")
        if not np.isfinite(self.values).all():
            raise InputError("The signal has values that are not numbers; correct its curve.")
        if np.ptp(self.values, axis=0).max() <= 1e-9 * max(float(np.abs(self.values).max()), 1e-300):
            raise InputError("The signal does not change over the frames of the result; choose one that varies.")

    def path_costs(self, task: Task, plan: PartPlan, initial_path: NDArray[np.int64], costs: PathCosts) -> PathCosts:
        if self.part and plan.part.name != self.part:
            return costs
        def with_table(table: Float64) -> PathCosts:
            cost = FrameCost(table.astype(np.float32), np.arange(len(table)))
            return replace(
                costs,
                frame_costs=(*costs.frame_costs, cost),
                shortest=min(costs.shortest, SHORTEST_SHARE),
                by_poses=True,
            )
        table = self.table(task, plan, len(initial_path))
        for _ in range(int(PATH_ROUNDS)):
            from ...planning.frame_cost import TRUST, UnaryCosts
            from ...planning.minimum_duration import min_cost_long_path
            pc = with_table(table)
            path = min_cost_long_path(UnaryCosts(initial_path, 0.0, pc.together, 0), plan.graph.predecessors, plan.bounds, max(1, round(pc.shortest * plan.graph.shortest)))
            sr, er, cross = self.rows_
            shown = er[path]
            table = (distances(sr, sr)**2).mean(1)[:,None] + (distances(er, shown)**2).mean(1) - 2*distances(sr, sr)@distances(er, shown).T/len(path)
            if cross is not None:
                table = (1 - CROSS_WEIGHT) * table + CROSS_WEIGHT * cross
            table = self.votes(table)
        return with_table(table)
    def votes(self, table):
        table = table - table.min(axis=1, keepdims=True)
        return MOST_VOTES * self.strength * np.minimum(table / max(float(np.percentile(table,90)), 1e-12), 1.0)

    def table(self, task: Task, plan: PartPlan, length: int) -> Float64:
        examples, planning = task.prepared.examples, task.prepared.planning
        signal = pyramid.resample_rows(np.asarray(self.values, np.float32), length).astype(np.float64)
        rows = planning.finest.rows[plan.source_frames][:, plan.columns].astype(np.float64)
        if COARSE:
            from ...motion.filters import smooth
            for a, b in zip(plan.bounds.starts, plan.bounds.ends):
                rows[a:b] = smooth(rows[a:b], COARSE, plan.graph.rate)
        patch = max(1, round(task.prepared.settings.patch_frames * planning.finest.ratio))
        values = driven_values(self.drive, self.joint, examples, plan)
        cross = None
        if values is not None:
            level, driven = _scaled(signal).mean(axis=1), _scaled(values[:, None])[:, 0]
            cross = np.square(level[:, None] - driven)
            cross /= cross.mean()
        signal_rows = normalized(_windows(normalized(signal), np.zeros(1, np.int64), patch))
        example_rows = normalized(_windows(rows, plan.bounds.starts, patch))
        object.__setattr__(self,'rows_',(signal_rows,example_rows,cross))
        found = match(signal_rows, example_rows, cross, CROSS_WEIGHT)
        table = found.costs(signal_rows, example_rows)
        if cross is not None:
            table = (1 - CROSS_WEIGHT) * table + CROSS_WEIGHT * cross
        table -= table.min(axis=1, keepdims=True)
        return MOST_VOTES * self.strength * np.minimum(table / max(float(np.percentile(table,90)), 1e-12), 1.0)


def _windows(rows: Float64, starts: NDArray[np.int64], patch: int) -> Float64:
    """Return the rows around each frame, side by side."""
    first = np.zeros(len(rows), np.int64)
    ends = np.append(starts[1:], len(rows))
    example = np.searchsorted(starts, np.arange(len(rows)), side="right") - 1
    offsets = np.arange(patch) - patch // 2
    at = np.clip(np.arange(len(rows))[:, None] + offsets, starts[example][:, None], ends[example][:, None] - 1)
    return rows[at].reshape(len(rows), -1)


def _scaled(values: Float64) -> Float64:
    low, high = np.percentile(values, EXTREMES, axis=0)
    return np.clip((values - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
