# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of each part through the examples: from its initial path, the patches' votes, and its constraints."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..constraints.constraint import Settled, Task
from ..library.coupling import Gait
from ..library.examples import Prepared
from ..library.graph_building import LONGEST_SHARE
from ..library.part_plans import PartPlan
from ..library.transition_costs import WINDOW_SECONDS
from ..planning.frame_cost import FrameCost, PathCosts
from ..planning.initial_path import dislikes, stretch_count
from ..planning.min_cost_path import min_cost_path
from ..planning.minimum_duration import UnaryCosts, min_cost_long_path
from ..planning.path_objective import path_objective
from ..planning.segments import Segments, at_full_rate, without_short_segments
from .transition_refinement import AlignmentClass, Nearby, refine_transitions, refine_untimed_transitions

Rows = NDArray[np.float32]

REACH = 3
"""Least number of frames at the full rate by which a transition may move from its place in the finest stage."""
TRUST = 0.5
"""Votes of the initial path beside those of the patches."""
STEP_TRUST = 0.1
"""Votes of the initial path of a part that keeps step: as many as TRUST, and it would go on out of step for strides."""
CONSTRAINED_TRUST = 1.0
"""Votes of the initial path where it is led to the constraints."""
KEPT_ORDER = 0.75
"""The share of the initial path that a path must still show at the same time."""
TASTE_VOTES = 0.5
"""Mean votes of a seed against a frame where poses lead its path, at a noise of one ..."""
TASTE_SECONDS = 1.0
"""... the same for so long, about a stride: at 0.4 seconds there are a tenth more transitions for it."""
FRAME_COST_WEIGHT = 100.0
"""Penalty, in transition cost per second, for one vote against the path throughout."""


def with_taste(plan: PartPlan, path_costs: PathCosts, length: int, random: np.random.Generator) -> PathCosts:
    """Return the costs of a part's path with those by which seeds differ, where it would be the same for all."""
    if not path_costs.by_poses:
        return path_costs
    votes = plan.graph.noise * TASTE_VOTES * dislikes(plan.graph, random, TASTE_SECONDS)
    taste = FrameCost(votes[None].astype(np.float32), np.zeros(length, np.int64))
    return replace(path_costs, frame_costs=(*path_costs.frame_costs, taste))


def constrained_path(plan: PartPlan, initial_path: NDArray[np.int64], path_costs: PathCosts) -> NDArray[np.int64]:
    """Return the part's initial path `(F,)`, in its own frames, led to the constraints where there are some."""
    if not path_costs.together:
        return initial_path
    fixed_frames = 0
    if path_costs.first is not None:
        initial_path, fixed_frames = initial_path.copy(), 1
        initial_path[0] = path_costs.first
    unary_costs = UnaryCosts(None, 1, initial_path, CONSTRAINED_TRUST, fixed_frames, path_costs.together)
    predecessors = plan.graph_of(path_costs.groups).predecessors
    return min_cost_long_path(unary_costs, predecessors, plan.bounds, _shortest(plan, path_costs))


def path_of_part(
    plan: PartPlan,
    chosen: NDArray[np.int64],
    length: int,
    initial_path: NDArray[np.int64],
    path_costs: PathCosts,
    coupling: FrameCost | None,
) -> NDArray[np.int64]:
    """Return the path `(F,)` that a part's patches of `length` vote for, or its initial path where that is better, in
    stage frames.

    coupling: what the root's part asks of this one.
    """
    own, votes = plan.own(initial_path), plan.own(chosen)
    predecessors = plan.graph_of(path_costs.groups).predecessors
    if coupling is not None and plan.in_step:
        # A path of its own order would be out of step: the phase leads, and of two as good the own path decides. In a
        # loop the root's part comes back to its phase, and so does this one without a beginning of its own.
        unary_costs = UnaryCosts(None, 1, own, STEP_TRUST, 0, (*path_costs.frame_costs, coupling))
        path = min_cost_long_path(unary_costs, predecessors, plan.bounds, _shortest(plan, path_costs))
        return np.asarray(plan.source_frames[path])
    frame_costs = path_costs.together if coupling is None else (*path_costs.together, coupling)
    if path_costs.together:
        unary_costs = UnaryCosts(votes, length, own, TRUST, 0 if path_costs.first is None else 1, frame_costs)
        path = min_cost_long_path(unary_costs, predecessors, plan.bounds, _shortest(plan, path_costs))
    else:
        shortest = plan.graph.shortest
        path = min_cost_path(votes, length, predecessors, plan.bounds, own, TRUST, shortest, frame_costs)
        path = without_short_segments(Segments.of_path(path, plan.bounds), plan.bounds, shortest).source_frames()

    def cost(path: NDArray[np.int64]) -> float:
        against = float(sum(np.mean(frame_cost.against(path)) for frame_cost in frame_costs))
        return path_objective(plan.graph, path) + FRAME_COST_WEIGHT * against

    best = min((own, path), key=cost) if _is_new(plan, path, own) else own
    return np.asarray(plan.source_frames[best])


def _shortest(plan: PartPlan, path_costs: PathCosts) -> int:
    """Return the shortest segment, in stage frames."""
    return max(1, round(path_costs.shortest * plan.graph.shortest))


def _is_new(plan: PartPlan, path: NDArray[np.int64], initial_path: NDArray[np.int64]) -> bool:
    """Return True where a path keeps the order of the initial path, and does not fall back to the example's own."""
    longest = Segments.of_path(path, plan.bounds).lengths.max()
    copies = longest > max(LONGEST_SHARE * plan.bounds.frames, plan.graph.longest)
    return not copies and float(np.mean(np.abs(path - initial_path) <= 1)) >= KEPT_ORDER


@dataclass(frozen=True, eq=False)
class Refining:
    """The refinement of segments at the full rate: their examples are shown `shift` frames later."""

    shift: int
    alignment: AlignmentClass
    random: np.random.Generator


def segments_of_path(
    task: Task, plan: PartPlan, path: NDArray[np.int64], how: Refining, leader: Segments | None = None
) -> Segments:
    """Return the segments of the full rate for a path through the finest stage.

    leader: those of the root's part, for another one. A stage frame stands for several, and transitions find their best
    frames: of a part that keeps step, each segment then begins where it keeps the phase.
    """
    prepared = task.prepared
    finest, rate = prepared.stages[-1], prepared.frames_per_second
    segments = at_full_rate(
        Segments.of_path(path, finest.bounds), finest.bounds, prepared.bounds, task.frames, how.shift
    )
    half = max(1, round(WINDOW_SECONDS * rate))
    reach = max(REACH, round(1.5 / finest.ratio))
    gait = None if leader is None else _gait_of(prepared, plan, leader)
    if gait is not None:
        segments = keeping_step(segments, gait, 2 * reach)
    settled = Settled(segments, np.zeros(len(segments.starts), bool))
    for constraint in task.constraints:
        settled = constraint.settled(task, plan, settled, reach)
    # Where others keep its phase, the root's part is judged by the whole body, as its graph is.
    leads = leader is None and any(other.in_step for other in prepared.parts)
    rows = prepared.rows if leads else prepared.rows[:, plan.columns]
    nearby = Nearby(rows, prepared.bounds, rate, half, reach, how.alignment, how.random)
    timed = task.constraints or len(prepared.parts) > 1 or stretch_count(plan.graph, len(path)) == 1
    if timed:
        return refine_transitions(settled.segments, nearby, settled.fixed, settled.slides, settled.moments, gait)
    return refine_untimed_transitions(segments, nearby, round(plan.graph.shortest / finest.ratio))


def keeping_step(segments: Segments, gait: Gait, reach: int) -> Segments:
    """Return the segments, each of which shows its example so many frames later or earlier as keeps the phase best."""
    later = gait.costs(segments.starts, segments.sources, reach).argmin(axis=1) - reach
    return replace(segments, sources=segments.sources + later)


def _gait_of(prepared: Prepared, plan: PartPlan, leader: Segments) -> Gait | None:
    """Return the phase that a part keeps; None where it is free, or where its speed is settled by a constraint."""
    if plan.gait_columns is None or not leader.plain:
        return None
    rows = prepared.rows[:, plan.gait_columns]
    return Gait.of_rest(rows, prepared.bounds, prepared.frames_per_second, leader.source_frames())


def coupling_to(plan: PartPlan, leader: NDArray[np.int64]) -> FrameCost | None:
    """Return the cost of not fitting the path of the root's part in the joints that both share."""
    frames, rows = np.unique(leader, return_inverse=True)
    table = plan.coupling_costs(frames)
    return None if table is None else FrameCost(table, rows)
