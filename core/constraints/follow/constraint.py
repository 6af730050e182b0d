# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint to follow a signal: a sound, a curve, a stroke, or the motion of another character."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...arrays import Array, Float64, Int64
from ...errors import InputError, counted
from ...examples.memory.estimates import PAIR_BYTES, ConstraintBytes
from ...examples.part_plans import PartPlan
from ...examples.transition_graph import Groups
from ...features import pyramid
from ...features.features import rows_like
from ...motion.filters import smooth
from ...motion.ground_travel import SWAY_SECONDS
from ...motion.motion import Motion
from ...motion.piecewise import PAIRED, evenly
from ...motion.root_motion import encode_root
from ...planning.frame_cost import TRUST, FrameCost, PathCosts, UnaryCosts
from ...planning.min_cost_path import min_cost_long_path
from ..constraint import SHORTEST_SHARE, Composed, Constraint, SignalMatch, Span, Task, Walk
from .quantities import Drive, quantity, sampled_quantity
from .transport import ROUNDS, distances, linearized, match, normalized

WORST_COST = 12.0
"""Cost, in votes, of the worst example frames at a moment of the signal. With 8, a body that walks at two paces may
stay at one of them."""
WORST_SHARE = 0.9
"""Share of the pairs of moments below that cost; the costs of the others do not grow further."""
DIRECTION_WEIGHT = 0.5
"""Weight of the driven quantity; the rest is for the distances within signal and examples."""
LEVELS = 3
"""Number of groups of a library's clips, by the driven quantity, that are each represented in its shortlist."""
EXTREMES = (5, 95)
"""Percentiles of signal and quantity that correspond to each other, since the peaks of single frames set no scale."""


def budget_of(strength: float) -> float:
    """Return how much more transitions may cost at a strength than without the signal; infinite for a strength of 1."""
    return strength / (1.0 - strength) if strength < 1.0 else np.inf


@dataclass(frozen=True, eq=False)
class Follow(Constraint):
    """A signal over the whole result that the motion follows.

    values: `(F, C)` of the signal at the result's frames; `Follow.at_any_rate` takes others. strength: up to 1, where
    any cost of transitions is paid; at 0.5, they cost about as much as in a result that follows nothing. drive: the
    quantity that rises and falls with the signal. joint: the number of the joint for HEIGHT and REACH. part: the name
    of the only part that follows; "" for all. level: `(F,)` that the quantity rises and falls with; None for the mean
    of the channels. Raises InputError for a signal that is not finite, has no channels, or is constant, and for another
    strength.

    >>> rising = Follow(np.linspace(0.0, 1.0, 60)[:, None])
    >>> synthesize(prepared, 60, constraints=Constraints(others=(rising,))).motion.frames
    60
    """

    values: Array
    strength: float = 0.5
    drive: Drive = Drive.ENERGY
    joint: int | None = None
    part: str = ""
    level: Array | None = None
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=PAIR_BYTES)
    why_not_in_crowds: ClassVar[str] = (
        "The agents of a crowd begin at different times; remove the signals that they follow."
    )

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise InputError("The signal is empty; choose one with values over the frames of the result.")
        if not 0.0 < self.strength <= 1.0:
            raise InputError(f"The signal has a strength of {self.strength:g}; choose one above 0 and up to 1.")
        if not np.isfinite(self.values).all():
            raise InputError("The signal has values that are not numbers; correct its curve.")
        if np.ptp(self.values, axis=0).max() <= _least(self.values):
            raise InputError("The signal does not change over the frames of the result; choose one that varies.")

    @classmethod
    def at_any_rate(cls, values: Array, frames: int, **others: Any) -> "Follow":
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

    def groups_needed(self, task: Task) -> Groups:
        """Return the examples with little, with some and with much of the quantity, in a library."""
        bounds = task.prepared.planning.finest.bounds
        values = sampled_quantity(self.drive, task.prepared.examples, self.joint)
        means = np.add.reduceat(values, bounds.starts) / (bounds.ends - bounds.starts)
        return tuple(tuple(group.tolist()) for group in np.array_split(np.argsort(means, kind="stable"), LEVELS))

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the costs of frames that do not fit the signal at their time."""
        if self.part and plan.part.name != self.part:
            return costs
        costs = replace(costs, shortest=min(costs.shortest, SHORTEST_SHARE), by_poses=True)
        return costs.with_signal(_votes(self._costs(task, plan, initial_path, costs)), budget_of(self.strength))

    def _costs(self, task: Task, plan: PartPlan, initial_path: Int64, others: PathCosts) -> Float64:
        """Return the cost `(F', n)` of each example frame at each stage frame, in the unit of squared distances.

        others: costs of the path besides.
        """
        finest, length = task.prepared.planning.finest, len(initial_path)
        rate = task.prepared.frames_per_second
        signal = pyramid.resample_rows(self._followable(self.values, rate).astype(np.float32), length).astype(
            np.float64
        )
        rows = finest.rows[plan.source_frames][:, plan.columns].astype(np.float64)
        values = self._driven(task, plan)
        between = None
        if values is not None:
            if np.ptp(values) <= _least(values):
                raise InputError(
                    f"The {self.drive.value} of the examples does not vary; let the signal drive another quantity."
                )
            level = _at_stage(self._level(rate), length)
            between = np.square(level[:, None] - _shares(values[:, None])[:, 0])
            between /= max(float(between.mean()), np.finfo(float).tiny)
        for start, end in zip(plan.bounds.starts, plan.bounds.ends, strict=True):
            # The phases of a stride differ more than its manner, and a signal slower than a stride cannot follow them.
            rows[start:end] = smooth(rows[start:end], SWAY_SECONDS, plan.graph.rate)
        signal_rows, example_rows = normalized(signal), normalized(rows)
        costs = match(signal_rows, example_rows, between, DIRECTION_WEIGHT).costs(signal_rows, example_rows)
        if between is None:
            return _costs_beside_paths(plan, initial_path, others, costs, signal_rows, example_rows)
        return (1.0 - DIRECTION_WEIGHT) * costs + DIRECTION_WEIGHT * between

    def _driven(self, task: Task, plan: PartPlan) -> Float64 | None:
        """Return the driven quantity `(n,)` at the stage frames that a part may show; None for ANYTHING."""
        examples, joints = task.prepared.examples, plan.part.joints
        of_motions = [quantity(self.drive, motion, examples.root, self.joint, joints) for motion in examples.motions]
        values = [value for value in of_motions if value is not None]
        return np.concatenate(values)[examples.speeds.sampled[plan.source_frames]] if values else None

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion, with how well it follows the signal."""
        motion = composed.motion.slice(span.margin, span.margin + span.frames)
        match = SignalMatch(self.drive.value, round(self._correlation(task, motion), 3))
        return replace(composed, followed=(*composed.followed, match))

    def _correlation(self, task: Task, motion: Motion) -> float:
        """Return the correlation of the driven quantity with the signal, or of the distances within both."""
        root, features = task.prepared.root, task.prepared.planning.features
        plans = [plan for plan in task.prepared.parts if self.part in ("", plan.part.name)]
        joints = sorted({joint for plan in plans for joint in plan.part.joints})
        values = quantity(self.drive, motion, root, self.joint, joints)
        if values is not None:
            return _correlation(self._level(motion.frames_per_second), values)
        rows = rows_like(features, motion, encode_root(motion, root), root).astype(np.float64)
        rows = smooth(rows, SWAY_SECONDS, motion.frames_per_second)
        # Beside the ends there is no whole stride to average, and its phase would count as a difference.
        beside = round(2.0 * SWAY_SECONDS * motion.frames_per_second)
        beside = beside if motion.frames > 4 * beside else 0
        at = beside + evenly(motion.frames - 2 * beside, PAIRED)
        within = [
            distances(part[at], part[at])[np.triu_indices(len(at), 1)]
            for part in (self._followable(self.values, motion.frames_per_second), rows)
        ]
        return _correlation(*within)

    def _level(self, rate: float) -> Float64:
        """Return what the quantity rises and falls with, `(F,)`, as shares of its range."""
        values = self.values if self.level is None else self.level[:, None]
        return np.asarray(_shares(self._followable(values, rate)).mean(axis=1))

    def _followable(self, values: Array, rate: float) -> Float64:
        """Return values `(F, C)` averaged over a stride, as what they drive is, except for the place of a joint."""
        exact: Float64 = np.asarray(values, np.float64)
        return exact if self.drive.needs_joint else smooth(exact, SWAY_SECONDS, rate)


def _votes(table: Float64) -> FrameCost:
    """Return costs `(F', n)` of example frames as votes against them."""
    table = table - table.min(axis=1, keepdims=True)
    worst = max(float(np.quantile(table, WORST_SHARE)), np.finfo(float).tiny)
    votes = WORST_COST * np.minimum(table / worst, 1.0)
    return FrameCost(votes.astype(np.float32), np.arange(len(votes)))


def _costs_beside_paths(
    plan: PartPlan,
    initial_path: Int64,
    others: PathCosts,
    costs: Float64,
    signal_rows: Float64,
    example_rows: Float64,
) -> Float64:
    """Return the costs `(F', n)` of a transport plan, linearized at the paths that they lead to, until these settle.

    The plan may show any frame at any time; a path shows stretches. Costs at one moment depend on what is shown at all
    others, so they are those beside a path that is possible (Frank, Wolfe 1956).
    """
    at = evenly(len(signal_rows), PAIRED)
    within, pairs = distances(signal_rows, signal_rows[at]), np.eye(len(at)) / len(at)
    predecessors = plan.graph_of(others.groups).predecessors
    shortest = max(1, round(others.shortest * plan.graph.shortest))
    best, least = costs, np.inf
    for _ in range(ROUNDS):
        unary = UnaryCosts(initial_path, TRUST, (*others.together, _votes(costs)))
        path = min_cost_long_path(unary, predecessors, plan.bounds, shortest)
        to_path = distances(example_rows, example_rows[path[at]])
        differs = float(np.square(within - to_path[path]).mean())
        if differs >= least:
            break
        best, least = costs, differs
        costs = linearized(within, to_path, pairs)
    return best


def _correlation(first: Float64, second: Float64) -> float:
    """Return the correlation of two series; 0 if one does not vary."""
    varies = len(first) > 1 and np.ptp(first) > 0 and np.ptp(second) > 0
    return float(np.corrcoef(first, second)[0, 1]) if varies else 0.0


def _at_stage(level: Float64, length: int) -> Float64:
    """Return a level at the frames of a stage."""
    return pyramid.resample_rows(level.astype(np.float32)[:, None], length)[:, 0].astype(np.float64)


def _least(values: Array) -> float:
    """Return the smallest range of values that is not rounding."""
    return float(1e-9 * max(float(np.abs(values).max()), np.finfo(float).tiny))


def _shares(values: Float64) -> Float64:
    """Return columns `(F, C)` as shares, 0 to 1, of the range between their EXTREMES."""
    low, high = np.percentile(values, EXTREMES, axis=0)
    return np.asarray(np.clip((values - low) / np.maximum(high - low, np.finfo(float).tiny), 0.0, 1.0))
