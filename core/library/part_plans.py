# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that paths through the examples are planned by: features, stages, and the transition graph of each part."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..features import pyramid
from ..features.blend_rounds import BlendRounds
from ..features.body_parts import Part
from ..features.features import FeatureRows
from ..features.nearest_patches import frame_distances, nearest_patches
from ..features.patch_index import PatchIndex
from ..settings import Settings
from .coupling import Coupling, shared_coupling, step_coupling
from .graph_building import build_transition_graph
from .transition_costs import Bounds, movement_unit
from .transition_graph import Groups, Sampled, TransitionGraph

Rows = NDArray[np.float32]

TABLE_FRAMES = 1024
"""Distances of all rows of a stage to each other are kept for so many: 4 MB, which a cache holds."""
INDEXED_PATCHES = 8192
"""Among no more patches than these an index would look at a quarter of them anyway."""
INDEXED_PAIRS = 1 << 22
"""From so many pairs of patches on, an index is made faster than they are compared in the five rounds of a stage."""


@dataclass(frozen=True, eq=False)
class Stage:
    """The examples at one stage: rows `(N, C)`, where each lies, and the stage's share of the full rate."""

    rows: Rows
    bounds: Bounds
    ratio: float

    @cached_property
    def between(self) -> Rows:
        """Return the squared distances `(N, N)` of all rows, made when they are first asked for; see TABLE_FRAMES."""
        return frame_distances(self.rows, self.rows)


@dataclass(frozen=True, eq=False)
class PartPlan:
    """One part: its feature columns, and the transition graph of the n frames at the finest stage that it may show.

    source_frames: `(n,)` which of the N frames of the finest stage these are; bounds: where each of its examples lies
    in them. coupling: how ill a frame of this part fits one of the root's part in what the two share; None where they
    share nothing, or for the root's part itself.
    gait_columns: those of the rest of the body, by which this part keeps the phase of the root's part; the path then
    goes by that coupling alone. None where it keeps no phase.
    """

    part: Part
    columns: NDArray[np.int64] | slice
    graph: TransitionGraph
    source_frames: NDArray[np.int64]
    bounds: Bounds
    coupling: Coupling | None
    gait_columns: NDArray[np.int64] | None = None

    @property
    def in_step(self) -> bool:
        """True where the part keeps the phase of the root's part."""
        return self.gait_columns is not None

    def graph_of(self, groups: Groups) -> TransitionGraph:
        """Return the part's graph, with predecessors of each group of examples for every frame.

        groups: numbers of the examples as `prepare` was given them; those that the part does not draw from are left
        out.
        """
        if self.part.examples is None:
            return self.graph.with_groups(groups)
        own = {number: index for index, number in enumerate(sorted(set(self.part.examples)))}
        return self.graph.with_groups([[own[number] for number in group if number in own] for group in groups])

    def coupling_costs(self, leading: NDArray[np.int64]) -> Rows | None:
        """Return the coupling cost `(K, n)` of each frame beside K frames of the root's part; None where it is free."""
        return None if self.coupling is None else self.coupling.beside(leading)

    def own(self, frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return frames of the finest stage, all of them this part's, as it numbers them itself."""
        return np.searchsorted(self.source_frames, frames)

    def may_show(self, stage: Stage) -> NDArray[np.bool_]:
        """Return a mask `(N,)` of the frames of a stage that are of this part's examples."""
        if self.part.examples is None:
            return np.ones(stage.bounds.frames, bool)
        return np.isin(stage.bounds.example_of(np.arange(stage.bounds.frames)), np.array(self.part.examples))


@dataclass(frozen=True, eq=False)
class PlanningData:
    """The examples as rows, from coarse to fine, and the plan of each part.

    features: of all N frames, at the full rate. stages: from the coarsest to the finest. parts: in their order;
    root_part: the index of the one that has the root. patch_indexes: of the patches of long examples, made when they
    are first searched, by stage, part and length.
    """

    features: FeatureRows
    stages: tuple[Stage, ...]
    parts: tuple[PartPlan, ...]
    root_part: int
    patch_indexes: dict[tuple[int, int, int], PatchIndex] = field(default_factory=dict)

    @property
    def rows(self) -> Rows:
        """The features `(N, C)` at the full rate."""
        return self.features.rows

    @property
    def finest(self) -> Stage:
        """The stage that paths go through."""
        return self.stages[-1]

    def nearest_patches(
        self, stage: int, plan: PartPlan, rows: Rows, length: int, completeness: float | None
    ) -> NDArray[np.int64]:
        """Return the start `(F - p + 1,)` of the example patch nearest to each patch of rows `(F, C)` for a part.

        Of few pairs of patches each is compared; for many an index is searched, which is made when it is first needed.
        """
        there, key = self.stages[stage], (stage, self.parts.index(plan), length)
        starts = there.bounds.patch_starts(length)
        starts &= plan.may_show(there)[: len(starts)]
        own, count = rows[:, plan.columns], int(np.count_nonzero(starts))
        if count <= INDEXED_PATCHES or len(rows) * count <= INDEXED_PAIRS:
            return nearest_patches(own, there.rows[:, plan.columns], starts, length, completeness)
        if key not in self.patch_indexes:
            self.patch_indexes[key] = PatchIndex.of(there.rows[:, plan.columns], starts, length)
        return self.patch_indexes[key].nearest(own, completeness)

    def blend_rounds(self, stage: int, length: int, completeness: float | None) -> BlendRounds:
        """Return rounds of the same for rows that the mean of patches gives, where `blends_in_table` is True."""
        there = self.stages[stage]
        starts = there.bounds.patch_starts(length)
        starts &= self.parts[0].may_show(there)[: len(starts)]
        return BlendRounds(there.between, starts, length, completeness)

    def blends_in_table(self, stage: int) -> bool:
        """Return True where a table of distances is kept for a stage: for few examples that move as a whole."""
        whole = len(self.parts) == 1 and isinstance(self.parts[0].columns, slice)
        return whole and self.stages[stage].bounds.frames <= TABLE_FRAMES

    def part_of(self, joint: int) -> int:
        """Return the index of the part whose motion a joint has: the root's where several do."""
        if joint in self.parts[self.root_part].part.joints:
            return self.root_part
        return next(index for index, plan in enumerate(self.parts) if joint in plan.part.joints)


def stages_of(rows: Rows, bounds: Bounds, rate: float, settings: Settings) -> tuple[Stage, ...]:
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
    column_joints: NDArray[np.int64],
    finest: Stage,
    sampled: Sampled,
    rate: float,
    settings: Settings,
    in_step: bool,
) -> PartPlan:
    """Return the plan of a part; in_step: it keeps the phase of the part that leads.

    That part's transitions are then judged by the whole body: by a torso alone, either half of a stride is as good.
    """
    columns = np.flatnonzero(np.isin(column_joints, np.array(part.joints)))
    stage_rate = finest.ratio * rate
    source_frames, bounds = _frames_of(part, finest)
    own = finest.rows[source_frames][:, columns]
    seen = Sampled(sampled.poses[source_frames], sampled.headings[source_frames], sampled.paces[source_frames])
    judged = finest.rows[source_frames] if part is leading and in_step else own
    graph = build_transition_graph(judged, seen, bounds, stage_rate, rate, settings)
    shared = columns[np.isin(column_joints[columns], np.array(leading.joints))]
    if part is leading or not (len(shared) or in_step):
        whole = len(columns) == finest.rows.shape[1]
        return PartPlan(part, slice(None) if whole else columns, graph, source_frames, bounds, None)
    if in_step:
        # In the examples the other limbs tell the phase as well as the part that leads.
        others = np.flatnonzero(
            np.isin(column_joints, np.array(leading.joints)) | ~np.isin(column_joints, np.array(part.joints))
        )
        coupling = step_coupling(finest.rows[:, others], source_frames, finest.bounds, stage_rate)
        return PartPlan(part, columns, graph, source_frames, bounds, coupling, gait_columns=others)
    unit = movement_unit(own, bounds, stage_rate)
    coupling = shared_coupling(finest.rows[:, shared], source_frames, unit)
    return PartPlan(part, columns, graph, source_frames, bounds, coupling)


def _frames_of(part: Part, stage: Stage) -> tuple[NDArray[np.int64], Bounds]:
    """Return the frames of a stage that a part may show, and where each of its examples lies in them."""
    if part.examples is None:
        return np.arange(stage.bounds.frames), stage.bounds
    numbers = sorted(set(part.examples))
    source_frames = [np.arange(stage.bounds.starts[number], stage.bounds.ends[number]) for number in numbers]
    return np.concatenate(source_frames), Bounds.of_lengths(np.array([len(frames) for frames in source_frames]))
