# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables by which paths through the examples are planned: features, stages, and each part's transition graph."""

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Int64, Mask, Rows
from ..features import pyramid
from ..features.body_parts import Part
from ..features.cells import MOST_SEARCHED
from ..features.features import FeatureRows
from ..features.nearest_patches import nearest_patches
from ..settings import Settings
from .coupling import Coupling, shared_coupling, step_coupling
from .graph_building import build_transition_graph
from .transition_costs import Bounds, movement_unit
from .transition_graph import Groups, SampledBodies, TransitionGraph


@dataclass(frozen=True, eq=False)
class Stage:
    """The examples at one stage: rows `(N, C)`, their bounds, and the stage's rate as a share of the full rate."""

    rows: Rows
    bounds: Bounds
    ratio: float


@dataclass(frozen=True, eq=False)
class PartPlan:
    """One part: its feature columns, and the transition graph of the n frames at the finest stage that it may show.

    source_frames: `(n,)` these frames' numbers among the N frames of the finest stage. bounds: the ranges of its
    examples in them. coupling: cost of this part's frames beside the root part's in the columns that both share; None
    if they share none, or for the root's part itself.
    gait_columns: columns of the rest of the body, by which this part stays in gait phase with the root's part; the
    path then follows this coupling alone. None if it does not stay in phase.
    grouped: the graph with the predecessors of groups that was asked for last, by these groups: one result asks for
    it two or three times.
    """

    part: Part
    columns: Int64 | slice
    graph: TransitionGraph
    source_frames: Int64
    bounds: Bounds
    coupling: Coupling | None
    gait_columns: Int64 | None = None
    grouped: dict[tuple[tuple[int, ...], ...], TransitionGraph] = field(default_factory=dict, init=False)

    @property
    def in_step(self) -> bool:
        """Return whether the part stays in gait phase with the root's part."""
        return self.gait_columns is not None

    def graph_of(self, groups: Groups) -> TransitionGraph:
        """Return the part's graph, with predecessors of each group of examples for every frame.

        groups: numbers of examples in the order given to `prepare`; those that the part does not draw from are left
        out.
        """
        if not groups:
            return self.graph
        key = tuple(map(tuple, groups))
        graph = self.grouped.get(key)
        if graph is None:
            graph = self.graph.with_groups(self._part_groups(groups))
            self.grouped.clear()
            self.grouped[key] = graph
        return graph

    def _part_groups(self, groups: Groups) -> Groups:
        """Return groups of examples by their numbers in the part."""
        if self.part.examples is None:
            return groups
        part_numbers = {number: index for index, number in enumerate(sorted(set(self.part.examples)))}
        return [[part_numbers[number] for number in group if number in part_numbers] for group in groups]

    def coupling_costs(self, leading: Int64) -> Rows | None:
        """Return the coupling cost `(K, n)` of each frame beside K frames of the root's part; None if uncoupled."""
        return None if self.coupling is None else self.coupling.beside(leading)

    def part_frames(self, frames: Int64) -> Int64:
        """Return the part's numbers of frames of the finest stage, all of which it may show."""
        return np.searchsorted(self.source_frames, frames)

    def may_show(self, stage: Stage) -> Mask:
        """Return a mask `(N,)` of the frames of a stage that belong to this part's examples."""
        if self.part.examples is None:
            return np.ones(stage.bounds.frames, bool)
        return np.isin(stage.bounds.example_of(np.arange(stage.bounds.frames)), np.array(self.part.examples))


@dataclass(frozen=True, eq=False)
class PlanningData:
    """The examples as rows, from coarse to fine, and the plan of each part.

    features: of all N frames, at the full rate. stages: from the coarsest to the finest. parts: in their order.
    root_part: the index of the part with the root.
    """

    features: FeatureRows
    stages: tuple[Stage, ...]
    parts: tuple[PartPlan, ...]
    root_part: int

    @property
    def rows(self) -> Rows:
        """The features `(N, C)` at the full rate."""
        return self.features.rows

    @property
    def finest(self) -> Stage:
        """The stage at which paths are planned."""
        return self.stages[-1]

    def nearest_patches(self, stage: int, plan: PartPlan, rows: Rows, length: int, completeness: float | None) -> Int64:
        """Return the start `(F - p + 1,)` of the example patch nearest to each patch of rows `(F, C)` for a part.

        Of more patches than MOST_SEARCHED, about as many are compared: those in every n-th stretch of four patches.
        """
        examples, starts = self.stages[stage].rows[:, plan.columns], self._starts(stage, plan, length)
        if not self.has_many_patches(stage, plan, length):
            return nearest_patches(rows[:, plan.columns], examples, starts, length, completeness)
        every = -(-int(np.count_nonzero(starts)) // MOST_SEARCHED)
        frames = np.flatnonzero(np.arange(len(examples)) // (4 * length) % every == 0)
        first, last = frames[: len(frames) - length + 1], frames[length - 1 :]
        together = starts[np.minimum(first, len(starts) - 1)] & (last - first == length - 1)
        nearest = nearest_patches(rows[:, plan.columns], examples[frames], together, length, completeness)
        return np.asarray(first[nearest])

    def has_many_patches(self, stage: int, plan: PartPlan, length: int) -> bool:
        """Return whether there are more patches of a part than are compared."""
        return int(np.count_nonzero(self._starts(stage, plan, length))) > MOST_SEARCHED

    def _starts(self, stage: int, plan: PartPlan, length: int) -> Mask:
        """Return a mask `(N - p + 1,)` of the frames of a stage at which a part's patches may start."""
        starts = self.stages[stage].bounds.patch_starts(length)
        return np.asarray(starts & plan.may_show(self.stages[stage])[: len(starts)])

    def part_of(self, joint: int) -> int:
        """Return the index of the part that moves a joint; the root's part has precedence."""
        if joint in self.parts[self.root_part].part.joints:
            return self.root_part
        return next(index for index, plan in enumerate(self.parts) if joint in plan.part.joints)


def stages_of(rows: Rows, bounds: Bounds, rate: float, settings: Settings) -> tuple[Stage, ...]:
    """Return the stages of the rows `(N, C)` at the full rate, from the coarsest to the finest."""
    lengths = bounds.ends - bounds.starts
    stages = []
    for ratio in pyramid.stage_ratios(lengths, rate, settings):
        pieces = [
            pyramid.resample_rows(rows[start:end], pyramid.stage_length(int(end - start), ratio))
            for start, end in zip(bounds.starts, bounds.ends, strict=True)
        ]
        stage_bounds = Bounds.of_lengths(np.array([len(piece) for piece in pieces]))
        stages.append(Stage(np.concatenate(pieces), stage_bounds, ratio))
    return tuple(stages)


def plan_part(
    part: Part,
    leading: Part,
    column_joints: Int64,
    finest: Stage,
    sampled: SampledBodies,
    rate: float,
    settings: Settings,
    in_step: bool,
) -> PartPlan:
    """Return the plan of a part; in_step: it stays in gait phase with the leading part.

    The leading part's transitions are then judged by the whole body, since a torso looks the same in both halves of a
    stride.
    """
    columns = np.flatnonzero(np.isin(column_joints, np.array(part.joints)))
    stage_rate = finest.ratio * rate
    source_frames, bounds = _frames_of(part, finest)
    rows, seen = finest.rows, sampled
    if part.examples is not None:
        rows, fields = rows[source_frames], (sampled.poses, sampled.headings, sampled.paces)
        seen = SampledBodies(*(values[source_frames] for values in fields))
    judged = rows if part is leading and in_step else rows[:, columns]
    graph = build_transition_graph(judged, seen, bounds, stage_rate, rate, settings)
    shared = columns[np.isin(column_joints[columns], np.array(leading.joints))]
    if part is leading or not (len(shared) or in_step):
        undivided = len(columns) == finest.rows.shape[1]
        return PartPlan(part, slice(None) if undivided else columns, graph, source_frames, bounds, None)
    if in_step:
        # In the examples the other limbs show the phase as well as the leading part does.
        others = np.flatnonzero(
            np.isin(column_joints, np.array(leading.joints)) | ~np.isin(column_joints, np.array(part.joints))
        )
        coupling = step_coupling(finest.rows[:, others], source_frames, finest.bounds, stage_rate)
        return PartPlan(part, columns, graph, source_frames, bounds, coupling, gait_columns=others)
    unit = movement_unit(judged, bounds, stage_rate)
    coupling = shared_coupling(finest.rows[:, shared], source_frames, unit)
    return PartPlan(part, columns, graph, source_frames, bounds, coupling)


def _frames_of(part: Part, stage: Stage) -> tuple[Int64, Bounds]:
    """Return the frames of a stage that a part may show, and the bounds of its examples in them."""
    if part.examples is None:
        return np.arange(stage.bounds.frames), stage.bounds
    numbers = sorted(set(part.examples))
    source_frames = [np.arange(stage.bounds.starts[number], stage.bounds.ends[number]) for number in numbers]
    return np.concatenate(source_frames), Bounds.of_lengths(np.array([len(frames) for frames in source_frames]))
