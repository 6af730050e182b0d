# SPDX-License-Identifier: GPL-3.0-or-later
"""Path of each part through the examples, from its initial path, the votes of patches, and constraints."""

from bisect import bisect_left
from dataclasses import replace
from math import ceil

import numpy as np

from ..arrays import Int64
from ..constraints.constraint import Settled, Task
from ..examples.coupling import Gait
from ..examples.graph_building import LONGEST_SHARE
from ..examples.part_plans import PartPlan
from ..examples.preparing import Prepared
from ..examples.transition_costs import WINDOW_SECONDS
from ..motion.ground_travel import STRIDE_SECONDS
from ..planning.frame_cost import TRUST, FrameCost, PathCosts, UnaryCosts
from ..planning.initial_path import frame_preferences, stretch_count
from ..planning.min_cost_path import COST_OF_SQUARE, min_cost_long_path, min_cost_path
from ..planning.path_objective import UNSEEN_WEIGHT, path_objective
from ..planning.segments import Segments, at_full_rate, without_short_segments
from .transition_refinement import Nearby, refine_transitions, refine_untimed_transitions

STEP_TRUST = 0.1
"""Votes of the initial path for a part that stays in phase; with as many as TRUST, it would be out of phase for
strides."""
TASTE_VOTES = 0.5
"""Mean votes of a seed against a frame of a path that poses constrain, at a noise of one. They stay the same for a
stride; if for 0.4 s, there were a tenth more transitions."""


def with_taste(plan: PartPlan, path_costs: PathCosts, length: int, random: np.random.Generator) -> PathCosts:
    """Return the costs of a part's path, with a seed's preferences if poses would give all seeds the same path."""
    if not path_costs.by_poses:
        return path_costs
    votes = plan.graph.noise * TASTE_VOTES * frame_preferences(plan.graph, random, STRIDE_SECONDS)
    taste = FrameCost(votes[None].astype(np.float32), np.zeros(length, np.int64))
    return replace(path_costs, frame_costs=(*path_costs.frame_costs, taste))


def constrained_path(plan: PartPlan, initial_path: Int64, path_costs: PathCosts) -> Int64:
    """Return the part's initial path `(F,)`, in its own frames, changed to meet constraints if there are any."""
    if not path_costs.together:
        return initial_path
    fixed_frames = 0
    if path_costs.first is not None:
        initial_path, fixed_frames = initial_path.copy(), 1
        initial_path[0] = path_costs.first
    unary_costs = UnaryCosts(initial_path, TRUST, path_costs.together, fixed_frames)
    return _long_path(plan, unary_costs, path_costs)


def within_budget(plan: PartPlan, initial_path: Int64, path_costs: PathCosts) -> PathCosts:
    """Return the costs of a part's path, with a weight by which signals do not make its transitions too costly.

    It is the smallest at which the squared transition costs add up to at most `budget` times those of the path without
    signals, or of transitions of cost 1, which nobody sees, between the longest segments. The more transitions weigh,
    the less they cost together, so a binary search over half octaves finds it.
    """
    if not path_costs.signals or path_costs.budget == np.inf:
        return path_costs.weighted(1.0)
    unled = constrained_path(plan, initial_path, replace(path_costs, signals=()))
    allowed = path_costs.budget * max(_squared_transitions(plan, unled), len(unled) / plan.graph.longest)

    def affordable(step: int) -> bool:
        path = constrained_path(plan, initial_path, path_costs.weighted(_weight(step)))
        return _squared_transitions(plan, path) <= allowed

    # At the largest weight, transitions of that cost would outweigh all votes for the signals.
    votes = sum(float(np.ptp(cost.table, axis=1)[cost.rows].sum()) for cost in path_costs.signals)
    octaves = np.log2(max(votes / (COST_OF_SQUARE * allowed), 1.0))
    return path_costs.weighted(_weight(bisect_left(range(ceil(2.0 * octaves)), True, key=affordable)))


def _weight(step: int) -> float:
    return float(2.0 ** (0.5 * step))


def _squared_transitions(plan: PartPlan, path: Int64) -> float:
    """Return the sum of the squared transition costs of a path in a part's own frames."""
    segments = Segments.of_path(path, plan.bounds)
    ends = segments.sources + segments.lengths - 1
    return float(np.square(plan.graph.windows.costs(ends[:-1], segments.sources[1:])).sum())


def path_of_part(
    plan: PartPlan,
    chosen: Int64,
    length: int,
    initial_path: Int64,
    path_costs: PathCosts,
    coupling: FrameCost | None,
) -> Int64:
    """Return a part's path `(F,)`, in stage frames: that of its patches' votes, or its initial path if that is better.

    length: of the patches. coupling: cost of not fitting the path of the root's part.
    """
    initial, votes = plan.part_frames(initial_path), plan.part_frames(chosen)
    if coupling is not None:
        coupling = coupling.times(path_costs.weight)
    if coupling is not None and plan.in_step:
        # The order of the initial path would be out of phase: the gait phase decides, and the initial path only among
        # equal paths. In a loop the root's part returns to its phase, and so does this part without a fixed beginning.
        unary_costs = UnaryCosts(initial, STEP_TRUST, (*path_costs.frame_costs, coupling))
        return np.asarray(plan.source_frames[_long_path(plan, unary_costs, path_costs)])
    frame_costs = path_costs.together if coupling is None else (*path_costs.together, coupling)
    if path_costs.together:
        fixed_frames = 0 if path_costs.first is None else 1
        unary_costs = UnaryCosts(initial, TRUST, frame_costs, fixed_frames, votes, length)
        path = _long_path(plan, unary_costs, path_costs)
    else:
        shortest = plan.graph.shortest
        unary_costs = UnaryCosts(initial, TRUST, frame_costs, shortest, votes, length)
        path = min_cost_path(unary_costs, plan.graph_of(path_costs.groups).predecessors, plan.bounds)
        path = without_short_segments(Segments.of_path(path, plan.bounds), plan.bounds, shortest).source_frames()

    def cost(path: Int64) -> float:
        # A vote against every frame counts as much as leaving all of the examples unseen.
        against = float(sum(np.mean(frame_cost.against(path)) for frame_cost in frame_costs))
        return path_costs.weight * path_objective(plan.graph, path) + UNSEEN_WEIGHT * against

    best = initial if _copies(plan, path) else min((initial, path), key=cost)
    return np.asarray(plan.source_frames[best])


def _long_path(plan: PartPlan, unary_costs: UnaryCosts, path_costs: PathCosts) -> Int64:
    """Return the cheapest path `(F,)`, in the part's own frames, none of whose segments is too short."""
    predecessors = plan.graph_of(path_costs.groups).predecessors
    shortest = max(1, round(path_costs.shortest * plan.graph.shortest))
    return min_cost_long_path(unary_costs, predecessors, plan.bounds, shortest, path_costs.weight)


def _copies(plan: PartPlan, path: Int64) -> bool:
    """Return whether a path copies an example for too long."""
    longest = Segments.of_path(path, plan.bounds).lengths.max()
    return bool(longest > max(LONGEST_SHARE * plan.bounds.frames, plan.graph.longest))


def segments_of_path(task: Task, plan: PartPlan, path: Int64, leader: Segments | None = None) -> Segments:
    """Return the segments at the full rate for a path through the finest stage.

    leader: segments of the root's part, if this is another one. A stage frame stands for several frames, among which
    transitions find the best; a segment of a part that stays in phase begins where it keeps the phase best.
    """
    prepared = task.prepared
    finest, rate = prepared.stages[-1], prepared.frames_per_second
    segments = at_full_rate(Segments.of_path(path, finest.bounds), finest.bounds, prepared.bounds, task.frames)
    half = max(1, round(WINDOW_SECONDS * rate))
    reach = round(1.5 / finest.ratio)
    gait = None if leader is None else _gait_of(prepared, plan, leader)
    if gait is not None:
        segments = keeping_step(segments, gait, 2 * reach)
    settled = Settled(segments, np.zeros(len(segments.starts), bool))
    for constraint in task.constraints:
        settled = constraint.settled(task, plan, settled, reach)
    # If other parts stay in phase with the root's part, the whole body counts for its transitions, as in its graph.
    leads = leader is None and any(other.in_step for other in prepared.parts)
    rows = prepared.rows if leads else prepared.rows[:, plan.columns]
    nearby = Nearby(rows, prepared.bounds, rate, half, reach)
    timed = task.constraints or len(prepared.parts) > 1 or stretch_count(plan.graph, len(path)) == 1
    if timed:
        asked = None if settled.votes is None else nearby.unit * settled.votes / np.float32(COST_OF_SQUARE)
        return refine_transitions(settled.segments, nearby, settled.fixed, settled.slides, settled.moments, gait, asked)
    return refine_untimed_transitions(segments, nearby, round(plan.graph.shortest / finest.ratio))


def keeping_step(segments: Segments, gait: Gait, reach: int) -> Segments:
    """Return the segments shifted in their examples by at most `reach` frames, to keep the gait phase best."""
    later = gait.costs(segments.starts, segments.sources, reach).argmin(axis=1) - reach
    return replace(segments, sources=segments.sources + later)


def _gait_of(prepared: Prepared, plan: PartPlan, leader: Segments) -> Gait | None:
    """Return the gait of a part that stays in phase; None if it is free, or if a constraint sets the leader's speed."""
    if plan.gait_columns is None or not leader.plain:
        return None
    rows = prepared.rows[:, plan.gait_columns]
    return Gait.of_rest(rows, prepared.bounds, prepared.frames_per_second, leader.source_frames())


def coupling_to(plan: PartPlan, leader: Int64) -> FrameCost | None:
    """Return the cost of not fitting the root part's path in the joints that both parts share; None for no cost."""
    frames, rows = np.unique(leader, return_inverse=True)
    table = plan.coupling_costs(frames)
    return None if table is None else FrameCost(table, rows)
