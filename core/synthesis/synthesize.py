# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis loop: from examples to a new motion (paper, sections 3.2, 3.3 and 5).

From coarse to fine, each stage matches the patches of the present rows with those of the examples and blends them. The
patches of the finest stage then vote for a path through the examples' own frames. Constraints put their targets into
the rows at every stage, and add their costs to the path's.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Float64, Int64, Rows
from ..computation import computing
from ..constraints.constraint import Task
from ..constraints.spec import NOTHING, Constraints
from ..errors import InputError
from ..examples.memory.estimates import check_results, synthesis_needs
from ..examples.memory.freed_memory import keep_freed_memory
from ..examples.part_plans import PartPlan
from ..examples.preparing import Prepared, body_size, prepare, purpose_of
from ..examples.shortlist import only, shortlist
from ..examples.transition_costs import Bounds
from ..features import pyramid
from ..features.voting import average_votes
from ..fields.values import instance, whole_number
from ..motion.motion import Motion
from ..planning.frame_cost import FREE, PathCosts
from ..planning.initial_path import plan_initial_path
from ..planning.segments import Segments
from ..progress import Progress, part_of_progress, parts_of_progress, report_progress
from .compose import compose
from .part_paths import constrained_path, coupling_to, path_of_part, segments_of_path, with_taste, within_budget
from .result import Synthesis
from .whole_rounds import leaves_slides, pace_note, whole_rounds


@computing()
def synthesize(
    examples: Prepared | Sequence[Motion],
    frames: int,
    *,
    constraints: Constraints = NOTHING,
    seed: int = 0,
    progress: Progress | None = None,
) -> Synthesis:
    """Return a new motion of `frames` frames at the examples' rate that follows the constraints.

    The same examples, settings, length, constraints and seed give the same motion. progress: see `core.Progress`; if it
    returns False, Cancelled is raised. Raises InputError for fewer than one frame, a negative seed, values of other
    types, constraints that contradict each other or the examples, and results that need too much memory. The synthesis
    is the paper's (section 3.2); its initial motion is a path through the examples.

    >>> again = synthesize(prepared, 90, seed=1).motion
    >>> bool((again.rotations == result.motion.rotations).all())
    True
    """
    keep_freed_memory()
    frames, seed = whole_number(frames, "frames"), whole_number(seed, "seed")
    instance(Constraints, "Constraints")(constraints, "constraints")
    if frames < 1:
        raise InputError("The length must be 1 frame or more.")
    if seed < 0:
        raise InputError("The seed must be 0 or more.")
    prepared = examples if isinstance(examples, Prepared) else prepare(examples)
    task = Task(prepared, frames, tuple(constraints))
    for constraint in task.constraints:
        constraint.check(task)
    task, shortlisted = _shortlisted(task, seed)
    prepared = task.prepared
    check_results(frames, 1, lambda length, _: _needed(task, length))
    task = replace(task, constraints=tuple(constraint.bound(task) for constraint in task.constraints))
    if (rounds := whole_rounds(task, seed)) is not None:
        report_progress(progress, 1.0)
        if leaves_slides(task, rounds):
            settings = replace(prepared.settings, foot_locking=False)
            task = replace(task, prepared=replace(prepared, settings=settings))
        result = compose(task, rounds)
        return replace(result, notes=(*result.notes, *pace_note(task, rounds[0])))
    whole, planned = task, planned_frames(task)
    if planned is not None and not is_unchanged(planned):
        task = planned_task(task, planned)
        frames = task.frames
        check_results(frames, 1, lambda length, _: _needed(task, length))
    random = np.random.default_rng(seed)
    matchings = len(prepared.stages) * prepared.settings.iterations
    # Planning an initial path takes about as long as all matchings.
    is_final = _is_final(task)
    steps = _Steps(progress, (matchings if is_final else 2 * matchings) + 3)
    rows, initial_paths, path_costs = _initial_motion(task, seed, random, steps.during(matchings))
    steps.done(matchings)
    paths = initial_paths if is_final else _paths_of_parts(task, _chosen(task, rows, steps), initial_paths, path_costs)
    steps.done()
    segments = _segments_of_parts(task, paths)
    steps.done()
    if planned is not None:
        for constraint in whole.constraints:
            planned = constraint.paced(whole, partial(_draft, whole, segments), planned)
        segments = [played(part, planned, prepared.bounds) for part in segments]
    result = compose(whole, segments)
    steps.done()
    return result if shortlisted is None else result.out_of(shortlisted)


def _is_final(task: Task) -> bool:
    """Return whether the initial path, planned for its objective alone, is the result's without any matching.

    Among similar walks, matching may find a path whose objective is up to 0.5 % lower. From 378 clips of a library, it
    changed none of 12 results with pins or along paths visibly, and took as long as all other steps.
    """
    prepared, finest = task.prepared, task.prepared.stages[-1]
    if len(prepared.parts) > 1:
        return False
    stage, frames = len(prepared.stages) - 1, pyramid.stage_length(task.frames, finest.ratio)
    return prepared.planning.has_many_patches(stage, prepared.parts[0], patch_length(prepared, stage, frames))


def _chosen(task: Task, rows: Rows, steps: "_Steps") -> list[Int64]:
    """Return for each part the starts of the example patches chosen at the finest stage, from coarse to fine.

    rows: the initial rows at the coarsest stage.
    """
    prepared = task.prepared
    chosen: list[Int64] = []
    for stage, examples_of_stage in enumerate(prepared.stages):
        if chosen:
            rows = _blend(task, stage - 1, chosen, len(rows))
        rows = pyramid.resample_rows(rows, pyramid.stage_length(task.frames, examples_of_stage.ratio))
        for iteration in range(prepared.settings.iterations):
            rows = _blend(task, stage, chosen, len(rows)) if iteration else rows
            chosen = _match(task, stage, rows)
            steps.done()
    return chosen


def _draft(task: Task, segments: Sequence[Segments], planned: Float64) -> Motion:
    """Return the motion of planned segments as it is played at the planned frames `(F,)`."""
    return compose(task, [played(part, planned, task.prepared.bounds) for part in segments]).motion


def _shortlisted(task: Task, seed: int) -> tuple[Task, Int64 | None]:
    """Return the task with a shortlist of the examples, if these are many, and the original numbers of these."""
    groups: list[Sequence[int]] = []
    for constraint in task.constraints:
        needed = constraint.groups_needed(task)
        if needed is None:
            return task, None
        groups += needed
    numbers = shortlist(task.prepared, task.frames, groups, seed)
    if numbers is None:
        return task, None
    constraints = tuple(constraint.among(numbers) for constraint in task.constraints)
    return replace(task, prepared=only(task.prepared, numbers), constraints=constraints), numbers


def _needed(task: Task, frames: int) -> float:
    """Return the largest number of bytes that one result of a length takes, besides those of the preparation."""
    prepared = task.prepared
    lengths, body = (prepared.bounds.ends - prepared.bounds.starts).tolist(), body_size(prepared.motions[0])
    purpose, feet = purpose_of(prepared), len(prepared.feet)
    constraints = [constraint.memory for constraint in task.constraints]
    return synthesis_needs(frames, lengths, body, purpose, feet=feet, constraints=constraints).peak


class _Steps:
    """Counter of steps for the progress callback, which can cancel."""

    def __init__(self, progress: Progress | None, count: int) -> None:
        self.progress, self.count, self.finished = progress, count, 0
        self._tell()

    def during(self, count: int) -> Progress | None:
        """Return the callback for the progress of the next steps."""
        return part_of_progress(self.progress, self.finished / self.count, (self.finished + count) / self.count)

    def done(self, count: int = 1) -> None:
        """Count steps as finished, and report the progress."""
        self.finished += count
        self._tell()

    def _tell(self) -> None:
        report_progress(self.progress, self.finished / self.count)


def patch_length(prepared: Prepared, stage: int, frames: int) -> int:
    """Return the patch length p, or less if the result or a part's examples are shorter at a stage."""
    bounds = prepared.stages[stage].bounds
    lengths = bounds.ends - bounds.starts
    drawn = {plan.part.examples for plan in prepared.parts}
    drawn_lengths = (lengths if examples is None else lengths[list(examples)] for examples in drawn)
    return min(prepared.settings.patch_frames, frames, *map(pyramid.patched_length, drawn_lengths))


def _initial_motion(
    task: Task, seed: int, random: np.random.Generator, progress: Progress | None
) -> tuple[Rows, list[Int64], list[PathCosts]]:
    """Return the initial rows at the coarsest stage, and for each part an initial path `(F',)` at the finest stage.

    The third value is the costs of each part's path.
    """
    prepared = task.prepared
    finest = prepared.stages[-1]
    length = pyramid.stage_length(task.frames, finest.ratio)
    total = np.zeros((length, finest.rows.shape[1]), np.float32)
    votes = np.zeros(finest.rows.shape[1], np.float32)
    initial_paths, path_costs = [], []
    for (index, plan), planning in zip(
        enumerate(prepared.parts), parts_of_progress(progress, len(prepared.parts)), strict=True
    ):
        # If all parts began with the same frame, they would move together as in the examples.
        offset = (index - prepared.planning.root_part) % len(prepared.parts)
        initial_path = plan_initial_path(plan.graph, length, seed + offset, random, planning)
        costs = FREE
        for constraint in task.constraints:
            costs = constraint.path_costs(task, plan, initial_path, costs)
        costs = with_taste(plan, within_budget(plan, initial_path, costs), length, random)
        path_costs.append(costs)
        initial_paths.append(plan.source_frames[constrained_path(plan, initial_path, costs)])
        total[:, plan.columns] += finest.rows[:, plan.columns].take(initial_paths[-1], axis=0)
        votes[plan.columns] += 1.0
    if len(prepared.parts) > 1:
        total /= np.maximum(votes, 1.0)
    rows = pyramid.resample_rows(total, pyramid.stage_length(task.frames, prepared.stages[0].ratio))
    return rows, initial_paths, path_costs


def _match(task: Task, stage: int, rows: Rows) -> list[Int64]:
    """Return for each part the starts of the example patches nearest to those of `rows` `(F, C)`."""
    prepared = task.prepared
    alpha = prepared.settings.completeness
    length = patch_length(prepared, stage, len(rows))
    for constraint in task.constraints:
        rows = constraint.with_targets(rows, length)
    return [prepared.planning.nearest_patches(stage, plan, rows, length, alpha) for plan in prepared.parts]


def _blend(task: Task, stage: int, chosen: list[Int64], frames: int) -> Rows:
    """Return the rows `(frames, C)` that the chosen patches of all parts give together."""
    prepared = task.prepared
    examples = prepared.stages[stage].rows
    length = patch_length(prepared, stage, frames)
    if len(prepared.parts) == 1:
        return _folded(task, average_votes(examples, chosen[0], length), frames)
    total, votes = np.zeros((frames, examples.shape[1]), np.float32), np.zeros(examples.shape[1], np.float32)
    for plan, patches in zip(prepared.parts, chosen, strict=True):
        total[:, plan.columns] += _folded(task, average_votes(examples[:, plan.columns], patches, length), frames)
        votes[plan.columns] += 1.0
    total /= np.maximum(votes, 1.0)
    return total


def _folded(task: Task, rows: Rows, frames: int) -> Rows:
    """Return the rows `(frames, C)` from those of all patches, including patches that extend over the end."""
    for constraint in task.constraints:
        rows = constraint.folded(rows, frames)
    return rows


def _paths_of_parts(
    task: Task, chosen: list[Int64], initial_paths: list[Int64], path_costs: list[PathCosts]
) -> list[Int64]:
    """Return the path `(F,)` of each part through the finest stage.

    The root's part is planned first; the others are coupled to it.
    """
    prepared, paths = task.prepared, list(initial_paths)
    length = patch_length(prepared, len(prepared.stages) - 1, len(initial_paths[0]))
    votes = [patches[: len(initial_paths[0]) - length + 1] for patches in chosen]

    def path(part: int, leader: Int64 | None) -> Int64:
        plan: PartPlan = prepared.parts[part]
        coupling = None if leader is None else coupling_to(plan, leader)
        return path_of_part(plan, votes[part], length, initial_paths[part], path_costs[part], coupling)

    root_part = prepared.planning.root_part
    paths[root_part] = path(root_part, None)
    for part in range(len(prepared.parts)):
        if part != root_part:
            paths[part] = path(part, paths[root_part])
    return paths


def _segments_of_parts(task: Task, paths: list[Int64]) -> list[Segments]:
    """Return the segments of each part at the full rate; the root's part leads, and others stay in phase with it."""
    parts, root_part = task.prepared.parts, task.prepared.planning.root_part
    leading = segments_of_path(task, parts[root_part], paths[root_part])
    return [
        leading if part == root_part else segments_of_path(task, plan, path, leading)
        for part, (plan, path) in enumerate(zip(parts, paths, strict=True))
    ]


def planned_frames(task: Task) -> Float64 | None:
    """Return the planned frame `(F,)` of each frame of the result; None if they are the same."""
    rates = next((constraint.rates for constraint in task.constraints if constraint.rates is not None), None)
    if rates is None:
        return None
    passed = np.concatenate(([0.0], np.cumsum(rates[:-1])))
    return np.asarray(passed * (np.ceil(passed[-1]) / max(passed[-1], 1e-9)))


def is_unchanged(planned: Float64) -> bool:
    """Return whether each frame of the result is a frame of the plan."""
    return bool(np.allclose(np.diff(planned), 1.0))


def planned_task(task: Task, planned: Float64) -> Task:
    """Return the task for planning all of the planned frames."""
    constraints = (constraint.at_rates(planned) for constraint in task.constraints)
    kept = tuple(constraint for constraint in constraints if constraint is not None)
    return replace(task, frames=round(float(planned[-1])) + 1, constraints=kept)


def played(segments: Segments, planned: Float64, bounds: Bounds) -> Segments:
    """Return the segments of a plan as the result plays them, whose frames are the planned frames `(F,)`."""
    rounding = 1e-6
    starts = np.searchsorted(planned, segments.starts - rounding)
    # A segment that no frame shows is left out.
    number = np.flatnonzero(np.diff(np.append(starts, len(planned))) > 0)
    starts = starts[number]
    ends = np.append(starts[1:], len(planned))
    example, spans = bounds.example_of(segments.sources[number]), planned[ends - 1] - planned[starts]
    # A frame of the result lies up to one planned frame before or after those of its segment.
    room = np.maximum(bounds.ends[example] - 1 - bounds.starts[example] - rounding, 0.0)
    slower = np.minimum(1.0, room / np.maximum(spans, 1e-9))
    latest = bounds.ends[example] - 1 - slower * spans - rounding
    sources = segments.sources[number] + planned[starts] - segments.starts[number]
    sources = np.maximum(np.minimum(sources, latest), bounds.starts[example])
    within = np.repeat(slower, ends - starts)
    within[ends - 1] = 1.0
    rates = np.append(np.diff(planned), planned[-1] - planned[-2]) * within
    return Segments(starts, sources, len(planned), rates)
