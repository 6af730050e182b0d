# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition graph: a few edges for each frame, found in blocks, compared with tables of all pairs."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from dense_graph import all_costs, all_edge_costs, graph_of
from measures import is_sound
from motions import walker, waver

from genmm_addon.core import Constraints, Loop, Motion, Part, PoseConstraint, prepare, synthesize
from genmm_addon.core.examples import graph_building
from genmm_addon.core.examples.edges import FOREIGN_COST, GRAPH_TRANSITION_COST, SQUARED_COST, UNIT_POWER
from genmm_addon.core.examples.graph_building import cheapest_predecessors
from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.examples.transition_graph import FAR_PREDECESSORS, TransitionGraph
from genmm_addon.core.examples.transition_windows import TransitionWindows
from genmm_addon.core.features import limb_partition
from genmm_addon.core.features.graph_size import FEWEST_NEIGHBORS
from genmm_addon.core.planning.frame_cost import FrameCost, UnaryCosts
from genmm_addon.core.planning.initial_path import plan_initial_path
from genmm_addon.core.planning.min_cost_path import min_cost_long_path
from genmm_addon.core.planning.path_objective import path_objective

TWO_WALKS = [walker(240), walker(150, seed=3)]
WALK_AND_WAVE = [walker(), waver(150)]
TWO = prepare(TWO_WALKS)
UNLIKE = prepare(WALK_AND_WAVE)
ALL: dict[str, list[Motion]] = {"walk": [walker()], "two walks": TWO_WALKS, "walk and wave": WALK_AND_WAVE}
every = pytest.mark.parametrize("name", ALL)


@pytest.fixture
def few_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit graphs of few frames to as few edges for each frame as a library's graph has."""
    monkeypatch.setattr(graph_building, "ALL_EDGES_FRAMES", 0)
    monkeypatch.setattr(graph_building, "neighbors_kept", lambda frames: FEWEST_NEIGHBORS)


@pytest.fixture
def every_edge_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build graphs in blocks with all edges kept."""
    monkeypatch.setattr(graph_building, "ALL_EDGES_FRAMES", 0)
    monkeypatch.setattr(graph_building, "neighbors_kept", lambda frames: frames)


def pinned(frames: int) -> Constraints:
    """Return a constraint to the walk's own pose at two frames."""
    motion = walker(frames, seed=5)
    joints = np.zeros((frames, len(motion.skeleton.names)), bool)
    joints[[20, 120]] = True
    return Constraints(PoseConstraint(motion, joints, np.zeros(frames, bool)))


@every
def test_a_graph_of_few_frames_keeps_every_edge(name: str) -> None:
    graph = graph_of(prepare(ALL[name]))
    assert graph.edges.complete
    assert np.array_equal(graph.edges.table, all_edge_costs(graph))


@every
def test_built_in_blocks_with_every_edge_it_is_the_table_of_all_pairs(name: str, every_edge_found: None) -> None:
    graph = graph_of(prepare(ALL[name]))
    costs = all_costs(graph)
    expected = np.isfinite(costs)
    found = np.zeros_like(expected)
    found[graph.edges.leaves, graph.edges.arrivals] = True
    assert np.array_equal(found, expected)
    unit = np.float32(max(float(np.median(costs.min(axis=1))), 0.1) ** UNIT_POWER)
    assert graph.unit == pytest.approx(float(unit), rel=1e-3)
    if len(graph.bounds.starts) == 1:
        plain = GRAPH_TRANSITION_COST + SQUARED_COST * (costs / unit) ** 2
        assert graph.edges.costs == pytest.approx(plain[graph.edges.leaves, graph.edges.arrivals], rel=0.01, abs=0.05)


@every
def test_the_cost_of_an_edge_is_the_same_whether_it_is_kept_or_not(name: str, few_edges: None) -> None:
    graph = graph_of(prepare(ALL[name]))
    assert not graph.edges.complete
    asked = graph.edge_costs(graph.edges.leaves, graph.edges.arrivals.astype(np.int64))
    assert asked == pytest.approx(graph.edges.costs, rel=1e-4)
    leaving, arriving = np.random.default_rng(1).uniform(0, 1, (2, graph.frames))
    tasted = graph.with_preferences(leaving, arriving, 2.0).with_preferences(leaving, arriving, 1.0)
    asked = tasted.edge_costs(graph.edges.leaves, graph.edges.arrivals.astype(np.int64))
    assert asked == pytest.approx(tasted.edges.costs, rel=1e-4)
    raised = 3.0 * (leaving[graph.edges.leaves] + arriving[graph.edges.arrivals])
    assert tasted.edges.costs - graph.edges.costs == pytest.approx(raised, abs=1e-3)


@every
def test_the_cheapest_edges_are_kept(name: str, few_edges: None) -> None:
    graph = graph_of(prepare(ALL[name]))
    costs = all_costs(graph)
    kept = np.zeros(costs.shape, bool)
    kept[graph.edges.leaves, graph.edges.arrivals] = True
    for frame in range(graph.frames):
        cheapest = np.argsort(costs[:, frame])[: FEWEST_NEIGHBORS - 1]
        assert kept[cheapest[np.isfinite(costs[cheapest, frame])], frame].mean() > 0.95
        found = np.sort(graph.predecessors.costs[frame, :FEWEST_NEIGHBORS])
        assert found[:8] == pytest.approx(np.sort(costs[:, frame])[:8], abs=0.02)


@every
@pytest.mark.parametrize("constraints", [Constraints(), Constraints(loop=Loop.TRAVEL), pinned(240)])
def test_a_few_edges_of_each_frame_are_enough_to_plan_with(
    name: str, constraints: Constraints, few_edges: None
) -> None:
    result = synthesize(ALL[name], 240, constraints=constraints, seed=2)
    assert is_sound(result.motion)


@pytest.mark.usefixtures("few_edges")
def test_parts_are_planned_with_a_few_edges_each() -> None:
    prepared = prepare([waver()], parts=limb_partition(waver().skeleton))
    assert is_sound(synthesize(prepared, 240, seed=2).motion)


@every
def test_paths_through_a_few_edges_cost_no_more_than_twice_as_much(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = graph_of(prepare(ALL[name]))
    monkeypatch.setattr(graph_building, "ALL_EDGES_FRAMES", 0)
    sparse = graph_of(prepare(ALL[name]))
    costs = []
    for graph in (dense, sparse):
        paths = [plan_initial_path(graph, 160, seed, np.random.default_rng(seed)) for seed in range(4)]
        costs.append(np.mean([path_objective(dense, path) for path in paths]))
    assert costs[1] < 2.0 * costs[0] + 5.0


def test_every_frame_has_a_departure_and_examples_lead_to_each_other(few_edges: None) -> None:
    graph = graph_of(prepare([walker(), waver(150), walker(150, seed=3), waver(120, seed=4)]))
    departures = graph.departures(np.arange(graph.frames))
    assert np.isfinite(departures.costs).any(axis=1).all()
    example = graph.bounds.example_of(np.arange(graph.frames))
    reached = np.zeros(4, bool)
    reached[0] = True
    for _ in range(4):
        reached[example[graph.edges.arrivals[reached[example[graph.edges.leaves]]]]] = True
    assert reached.all()
    assert graph.predecessors.frames.shape[1] == FEWEST_NEIGHBORS + FAR_PREDECESSORS


def drifting(frames: int) -> np.ndarray:
    """Return rows of a long take that returns to its beginning."""
    random = np.random.default_rng(1)
    angles = np.cumsum(random.normal(0.2, 0.1, (frames, 6)), axis=0)
    return np.concatenate((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)


def windows_of(rows: np.ndarray) -> TransitionWindows:
    return TransitionWindows.of(rows, Bounds.of_lengths(np.array([len(rows) - 500, 500])), 10.0)


@pytest.mark.slow
def test_the_search_in_cells_finds_the_nearest_windows() -> None:
    windows = windows_of(drifting(5000))
    assert len(windows.cells.centers) > 1
    found, asked = windows.nearest(8), np.arange(0, 5000, 50)
    everywhere = np.arange(len(windows.example))
    hits = []
    for position in asked:
        exact = windows.between(np.full(len(everywhere), position), everywhere)
        nearest = np.argsort(exact, kind="stable")[:8]
        hits.append(np.isin(found.positions[position], nearest).mean())
        assert found.costs[position] == pytest.approx(exact[found.positions[position]], abs=1e-4)
    assert np.mean(hits) > 0.93


@pytest.mark.slow
def test_memory_grows_with_the_frames_and_not_with_their_square() -> None:
    peaks = []
    for frames in (4000, 16_000):
        rows = drifting(frames)
        tracemalloc.start()
        graph_building._cheapest_edges(windows_of(rows))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 5 * peaks[0]
    assert peaks[1] < 4 * 16_000**2 / 8


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
    graph = graph_of(UNLIKE)
    assert graph.with_groups(()) is graph and graph.predecessors.frames.shape[1] == FEWEST_NEIGHBORS


def test_every_frame_can_be_reached_from_each_group() -> None:
    graph = graph_of(UNLIKE)
    own = graph.bounds.example_of(np.arange(graph.frames))[:, None]
    assert np.mean(graph.bounds.example_of(graph.predecessors.frames) == own) > 0.9
    grouped = graph.with_groups([(0,), (1,)])
    example = grouped.bounds.example_of(grouped.predecessors.frames)
    costs = all_costs(graph)
    for number in (0, 1):
        assert ((example == number).sum(axis=1) >= FAR_PREDECESSORS).all()
        members = np.flatnonzero(graph.bounds.example_of(np.arange(graph.frames)) == number)
        best = np.where(example == number, grouped.predecessors.costs, np.inf).min(axis=1)
        assert best == pytest.approx(costs[members].min(axis=0), abs=0.02)


def test_a_path_reaches_the_group_that_is_asked_for_where_islands_kept_it_away() -> None:
    graph = graph_of(UNLIKE)
    bounds, total = graph.bounds, graph.frames
    # The predecessors as in a library: all from a frame's own example.
    costs = np.where(
        bounds.example_of(np.arange(total))[:, None] == bounds.example_of(np.arange(total)), all_costs(graph), 1e6
    )
    islands = replace(graph, predecessors=cheapest_predecessors(costs.astype(np.float32), FEWEST_NEIGHBORS))
    against = np.stack([8.0 * (bounds.example_of(np.arange(total)) != number) for number in (0, 1)])
    asked = FrameCost(against.astype(np.float32), (np.arange(120) >= 60).astype(np.int64))
    unary_costs = UnaryCosts(np.arange(120) % 100, 0.5, [asked], 1)

    def share_of(graph: TransitionGraph) -> float:
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
        assert ((example == number).sum(axis=1) >= FAR_PREDECESSORS).all()


def test_every_example_is_within_reach_of_every_other_and_no_cheap_way_is_made_cheaper() -> None:
    graph = graph_of(UNLIKE)
    costs, table = all_costs(graph), graph.edges.table
    unit = np.float32(np.median(costs.min(axis=1)) ** UNIT_POWER)
    plain = GRAPH_TRANSITION_COST + SQUARED_COST * (costs / unit) ** 2
    for one, (start, end) in enumerate(zip(graph.bounds.starts, graph.bounds.ends, strict=True)):
        for other, (begin, stop) in enumerate(zip(graph.bounds.starts, graph.bounds.ends, strict=True)):
            block, own = table[start:end, begin:stop], plain[start:end, begin:stop]
            factor = 1.0 if one == other else min(FOREIGN_COST / float(own.min()), 1.0)
            # Products of float32 round differently with the number of threads.
            assert block == pytest.approx(own * np.float32(factor), rel=1e-4)
    assert (table < plain).any()
