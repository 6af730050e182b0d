# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition graph: planning asks for a few edges of each frame, and never for all pairs."""

from dataclasses import replace

import numpy as np
import pytest
from measures import is_sound
from motions import walker, waver
from sparse_graph import SparseGraph, sparsely

from genmm_addon.core import Constraints, Loop, Part, PoseConstraint, Prepared, prepare, synthesize
from genmm_addon.core.features import limb_partition
from genmm_addon.core.library.dense_graph import (
    FOREIGN_COST,
    GRAPH_TRANSITION_COST,
    GROUP_PREDECESSORS,
    PREDECESSORS,
    SQUARED_COST,
    UNIT_POWER,
    DenseGraph,
    cheapest_predecessors,
)
from genmm_addon.core.planning.frame_cost import FrameCost
from genmm_addon.core.planning.initial_path import plan_initial_path
from genmm_addon.core.planning.minimum_duration import UnaryCosts, min_cost_long_path
from genmm_addon.core.planning.path_objective import path_objective

WALK = prepare([walker()])
TWO = prepare([walker(240), walker(150, seed=3)])
UNLIKE = prepare([walker(), waver(150)])
LIMBS = prepare([waver()], parts=limb_partition(waver().skeleton))
ALL = {"walk": WALK, "two walks": TWO, "walk and wave": UNLIKE, "limbs": LIMBS}
every = pytest.mark.parametrize("name", ALL)


def dense_of(prepared: Prepared) -> DenseGraph:
    graph = prepared.parts[0].graph
    assert isinstance(graph, DenseGraph)
    return graph


def pinned(frames: int) -> Constraints:
    """The walk's own pose at two frames."""
    motion = walker(frames, seed=5)
    joints = np.zeros((frames, len(motion.skeleton.names)), bool)
    joints[[20, 120]] = True
    return Constraints(PoseConstraint(motion, joints, np.zeros(frames, bool)))


@every
def test_a_sparse_graph_that_keeps_all_edges_gives_the_dense_ones_results(name: str) -> None:
    for seed in range(3):
        dense, sparse = (synthesize(one, 240, seed=seed) for one in (ALL[name], sparsely(ALL[name])))
        assert np.array_equal(dense.source_frames, sparse.source_frames)
        assert np.array_equal(dense.motion.rotations, sparse.motion.rotations)


@pytest.mark.parametrize("constraints", [pinned(240), Constraints(loop=Loop.TRAVEL)], ids=["pins", "loop"])
def test_so_it_does_under_constraints(constraints: Constraints) -> None:
    dense, sparse = (synthesize(one, 240, constraints=constraints, seed=1) for one in (TWO, sparsely(TWO)))
    assert np.array_equal(dense.motion.rotations, sparse.motion.rotations)


@every
@pytest.mark.parametrize("constraints", [Constraints(), Constraints(loop=Loop.TRAVEL)], ids=["free", "loop"])
def test_a_few_edges_and_similar_frames_of_each_are_enough_to_plan_with(name: str, constraints: Constraints) -> None:
    few = sparsely(ALL[name], edges=PREDECESSORS, similar=16)
    result = synthesize(few, 240, constraints=constraints, seed=2)
    assert is_sound(result.motion)


@every
def test_paths_through_a_few_edges_go_along_them_and_cost_no_more_than_three_times_as_much(name: str) -> None:
    dense = dense_of(ALL[name])
    # Without edges from each example a sparse graph is in two pieces, and a path sees one of them alone.
    each = [(number,) for number in range(len(dense.bounds.starts))]
    sparse = SparseGraph.of(dense, PREDECESSORS, 16).with_groups(each)
    costs = []
    for graph in (dense, sparse):
        paths = [plan_initial_path(graph, 160, seed, np.random.default_rng(seed)) for seed in range(4)]
        costs.append(np.mean([path_objective(dense, path) for path in paths]))
    leaves = np.flatnonzero(np.diff(paths[-1]) != 1)
    kept = sparse.leaves * dense.frames + sparse.arrivals
    assert np.isin(paths[-1][leaves] * dense.frames + paths[-1][leaves + 1], kept).all()
    assert costs[1] < 3.0 * costs[0] + 5.0


def test_a_sparse_graph_is_linear_in_its_frames() -> None:
    sparse = SparseGraph.of(dense_of(WALK), PREDECESSORS, 16)
    for array in (sparse.leaves, sparse.arrivals, sparse.costs, sparse.similar, sparse.shares):
        assert array.size <= 16 * sparse.frames
    assert sparse.departures(np.arange(10, 20)).costs.size < 10 * sparse.frames


def test_a_frame_is_reached_from_its_cheapest_predecessors() -> None:
    costs = np.random.default_rng(2).uniform(0, 3, (20, 20)).astype(np.float32)
    found = cheapest_predecessors(costs, 4)
    for frame in range(20):
        assert np.sort(found.costs[frame]) == pytest.approx(np.sort(costs[:, frame])[:4])
        assert np.array_equal(costs[found.frames[frame], frame], found.costs[frame])
    assert cheapest_predecessors(costs[:3], 4).frames.shape == (20, 3)


def test_the_cheapest_way_by_predecessors_is_that_of_all_pairs() -> None:
    random = np.random.default_rng(3)
    costs, totals = random.uniform(0, 3, (20, 20)).astype(np.float32), random.uniform(0, 1, 20).astype(np.float32)
    every_one = cheapest_predecessors(costs, 20)
    frames, cheapest = every_one.cheapest(totals, 2 * every_one.costs)
    through = totals[:, None] + 2 * costs
    assert np.array_equal(frames, through.argmin(axis=0)) and np.array_equal(cheapest, through.min(axis=0))


def test_without_groups_the_predecessors_stay_as_they_are() -> None:
    graph = dense_of(UNLIKE)
    assert graph.with_groups(()) is graph and graph.predecessors.frames.shape[1] == PREDECESSORS


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_with_groups_every_frame_is_reached_from_each_and_without_them_from_its_own(sparse: bool) -> None:
    graph = sparsely(UNLIKE, PREDECESSORS, 16).parts[0].graph if sparse else dense_of(UNLIKE)
    own = graph.bounds.example_of(np.arange(graph.frames))[:, None]
    assert np.mean(graph.bounds.example_of(graph.predecessors.frames) == own) > 0.9
    grouped = graph.with_groups([(0,), (1,)])
    example = grouped.bounds.example_of(grouped.predecessors.frames)
    for number in (0, 1):
        assert ((example == number).sum(axis=1) >= GROUP_PREDECESSORS).all()
    frames = np.arange(graph.frames)[:, None]
    assert np.array_equal(grouped.predecessors.costs, dense_of(UNLIKE).costs[grouped.predecessors.frames, frames])


def test_a_path_reaches_the_group_that_is_asked_for_where_islands_kept_it_away() -> None:
    graph = dense_of(UNLIKE)
    bounds, total = graph.bounds, graph.frames
    # The predecessors that a library has: all of a frame's own example.
    costs = np.where(
        bounds.example_of(np.arange(total))[:, None] == bounds.example_of(np.arange(total)), graph.costs, 1e6
    )
    islands = replace(graph, predecessors=cheapest_predecessors(costs.astype(np.float32), PREDECESSORS))
    against = np.stack([8.0 * (bounds.example_of(np.arange(total)) != number) for number in (0, 1)])
    asked = FrameCost(against.astype(np.float32), (np.arange(120) >= 60).astype(np.int64))
    unary_costs = UnaryCosts(None, 1, np.arange(120) % 100, 0.5, 1, [asked])

    def share_of(graph: DenseGraph) -> float:
        path = min_cost_long_path(unary_costs, graph.predecessors, bounds, 8)
        return float(np.mean(bounds.example_of(path) == asked.rows))

    assert share_of(islands) == 0.5
    assert share_of(islands.with_groups([(0,), (1,)])) > 0.95


def test_groups_are_told_by_the_numbers_of_all_examples_to_a_part_that_draws_from_some() -> None:
    skeleton = walker().skeleton
    third = [Part(part.name, part.joints, (0, 2)) for part in limb_partition(skeleton)]
    plan = prepare([walker(), waver(150), walker(150, seed=3)], parts=third).parts[0]
    grouped = plan.graph_of([(0, 1), (1,), (2,)])
    example = plan.bounds.example_of(grouped.predecessors.frames)
    assert plan.bounds.frames == plan.graph.frames and len(plan.bounds.starts) == 2
    for number in (0, 1):
        assert ((example == number).sum(axis=1) >= GROUP_PREDECESSORS).all()


def test_every_example_is_within_reach_of_every_other_and_no_cheap_way_is_made_cheaper() -> None:
    graph = dense_of(UNLIKE)
    unit = np.float32(np.median(graph.costs.min(axis=1)) ** UNIT_POWER)
    plain = GRAPH_TRANSITION_COST + SQUARED_COST * (graph.costs / unit) ** 2
    for one, (start, end) in enumerate(zip(graph.bounds.starts, graph.bounds.ends, strict=True)):
        for other, (begin, stop) in enumerate(zip(graph.bounds.starts, graph.bounds.ends, strict=True)):
            block, own = graph.all_edge_costs[start:end, begin:stop], plain[start:end, begin:stop]
            factor = 1.0 if one == other else min(FOREIGN_COST / float(own.min()), 1.0)
            assert block == pytest.approx(own * np.float32(factor), rel=1e-5)
    assert (graph.all_edge_costs < plain).any()
