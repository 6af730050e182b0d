# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint to follow a signal: a sound, a curve, a stroke, or the motion of another character."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, counted
from ...examples.memory.estimates import FRAME_COST_BYTES, ConstraintBytes
from ...examples.part_plans import PartPlan
from ...features import pyramid
from ...motion.filters import smooth
from ...planning.frame_cost import FrameCost, PathCosts
from ..constraint import SHORTEST_SHARE, Constraint, Task
from ..travel import STRIDE_SECONDS
from .drives import Drive, driven_values
from .transport import match, normalized

Float64 = NDArray[np.float64]

WORST_COST = 12.0
"""Cost, in votes, of the worst example frames at a moment of the signal, at a strength of one. With half as many, the
speed of a body follows with a correlation of 0.8 instead of 0.9, and has two thirds of the transitions."""
WORST_SHARE = 0.9
"""Share of the pairs of moments below that cost; the costs of the others do not grow further."""
DIRECTION_WEIGHT = 0.5
"""Weight of the driven quantity; the rest is for the distances within signal and examples."""
EXTREMES = (5, 95)
"""Percentiles of signal and quantity that correspond to each other, since the peaks of single frames set no scale."""


@dataclass(frozen=True, eq=False)
class Follow(Constraint):
    """A signal over the whole result that the motion follows.

    values: `(F, C)` of the signal at the result's frames; `Follow.at_any_rate` takes others. strength: from 0 to 1.
    drive: the quantity that rises and falls with the signal. joint: the number of the joint for HEIGHT and REACH. part:
    the name of the only part that follows; "" for all. level: `(F,)` that the quantity rises and falls with; None for
    the mean of the channels. Raises InputError for a signal that is not finite, has no channels, or is constant.

    >>> rising = Follow(np.linspace(0.0, 1.0, 60)[:, None])
    >>> synthesize(prepared, 60, constraints=Constraints(others=(rising,))).motion.frames
    60
    """

    values: NDArray[np.floating]
    strength: float = 1.0
    drive: Drive = Drive.ENERGY
    joint: int | None = None
    part: str = ""
    level: NDArray[np.floating] | None = None
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=FRAME_COST_BYTES)
    why_not_in_crowds: ClassVar[str] = (
        "The agents of a crowd begin at different times; remove the signals that they follow."
    )

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise InputError("The signal is empty; choose one with values over the frames of the result.")
        if not np.isfinite(self.values).all():
            raise InputError("The signal has values that are not numbers; correct its curve.")
        if np.ptp(self.values, axis=0).max() <= _least(self.values):
            raise InputError("The signal does not change over the frames of the result; choose one that varies.")

    @classmethod
    def at_any_rate(cls, values: NDArray[np.floating], frames: int, **others: Any) -> "Follow":
        """Return the constraint for a signal `(S, C)` that is evenly spread over the `frames` frames of a result."""
        places = np.linspace(0.0, len(values) - 1.0, frames)
        columns = [np.interp(places, np.arange(len(values)), column) for column in np.asarray(values, np.float64).T]
        return cls(np.stack(columns, axis=1), **others)

    def over(self, first: int, frames: int) -> "Constraint | None":
        """Return the constraint for `frames` frames from `first` on; None if the signal does not change in them."""
        part, level = self.values[first : first + frames], self.level
        if np.ptp(part, axis=0).max(initial=0.0) <= _least(self.values):
            return None
        return replace(self, values=part, level=None if level is None else level[first : first + frames])

    def check(self, task: Task) -> None:
        """Raise InputError for another length, a joint that is missing, or a part that does not exist."""
        if len(self.values) != task.frames:
            length = counted(len(self.values), "frame")
            raise InputError(f"The signal has {length}, and the result {task.frames}; make them the same.")
        if self.drive.needs_joint and self.joint is None:
            raise InputError(f"The signal drives the {self.drive.value} of a bone; choose the bone.")
        names = [plan.part.name for plan in task.prepared.parts]
        if self.part and self.part not in names:
            raise InputError(f'There is no part "{self.part}" to follow the signal; choose one of {", ".join(names)}.')

    def path_costs(self, task: Task, plan: PartPlan, initial_path: NDArray[np.int64], costs: PathCosts) -> PathCosts:
        """Add the costs of frames that do not fit the signal at their time."""
        if self.part and plan.part.name != self.part:
            return costs
        table = self._costs(task, plan, len(initial_path))
        table -= table.min(axis=1, keepdims=True)
        worst = max(float(np.quantile(table, WORST_SHARE)), np.finfo(float).tiny)
        votes = self.strength * WORST_COST * np.minimum(table / worst, 1.0)
        cost = FrameCost(votes.astype(np.float32), np.arange(len(votes)))
        shortest = min(costs.shortest, SHORTEST_SHARE)
        return replace(costs, frame_costs=(*costs.frame_costs, cost), shortest=shortest, by_poses=True)

    def _costs(self, task: Task, plan: PartPlan, length: int) -> Float64:
        """Return the cost `(length, n)` of each example frame at each stage frame, in the unit of squared distances."""
        examples, finest = task.prepared.examples, task.prepared.planning.finest
        signal = pyramid.resample_rows(np.asarray(self.values, np.float32), length).astype(np.float64)
        rows = finest.rows[plan.source_frames][:, plan.columns].astype(np.float64)
        values = driven_values(self.drive, self.joint, examples, plan)
        between = None
        if values is not None:
            if np.ptp(values) <= _least(values):
                raise InputError(
                    f"The {self.drive.value} of the examples does not vary; let the signal drive another quantity."
                )
            level = _shares(signal).mean(axis=1) if self.level is None else _at_stage(self.level, length)
            between = np.square(level[:, None] - _shares(values[:, None])[:, 0])
            between /= max(float(between.mean()), np.finfo(float).tiny)
        for start, end in zip(plan.bounds.starts, plan.bounds.ends, strict=True):
            # The phases of a stride differ more than its manner, and a signal slower than a stride cannot follow them.
            rows[start:end] = smooth(rows[start:end], STRIDE_SECONDS, plan.graph.rate)
        signal_rows, example_rows = normalized(signal), normalized(rows)
        costs = match(signal_rows, example_rows, between, DIRECTION_WEIGHT).costs(signal_rows, example_rows)
        return costs if between is None else (1.0 - DIRECTION_WEIGHT) * costs + DIRECTION_WEIGHT * between


def _at_stage(level: NDArray[np.floating], length: int) -> Float64:
    """Return a level at the frames of a stage, as shares of its range."""
    return _shares(pyramid.resample_rows(np.asarray(level, np.float32)[:, None], length).astype(np.float64))[:, 0]


def _least(values: NDArray[np.floating]) -> float:
    """Return the smallest range of values that is not rounding."""
    return float(1e-9 * max(float(np.abs(values).max()), np.finfo(float).tiny))


def _shares(values: Float64) -> Float64:
    """Return columns `(F, C)` as shares, 0 to 1, of the range between their EXTREMES."""
    low, high = np.percentile(values, EXTREMES, axis=0)
    return np.asarray(np.clip((values - low) / np.maximum(high - low, np.finfo(float).tiny), 0.0, 1.0))
