# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial path: at the examples' own speed, in a new order, and through all of them."""

from dataclasses import replace

import numpy as np
import pytest
from dense_graph import all_costs, graph_of
from hypothesis import given, settings
from hypothesis import strategies as st
from measures import seen_of_path
from motions import walker, waver

from genmm_addon.core import Prepared, Settings, prepare
from genmm_addon.core.examples import Repetition
from genmm_addon.core.examples.coverage import Coverage
from genmm_addon.core.examples.preparing import with_noise
from genmm_addon.core.examples.transition_graph import TransitionGraph
from genmm_addon.core.planning import path_improvement
from genmm_addon.core.planning.initial_path import STRETCH_SECONDS, plan_initial_path
from genmm_addon.core.planning.path_improvement import improved
from genmm_addon.core.planning.path_objective import UNSEEN_WEIGHT, objectives_of, path_objective
from genmm_addon.core.planning.replanning import replanned
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.planning.stretches import Piece, Stretches, one_after_another

few = settings(max_examples=25, deadline=None)
WALK = prepare([walker()])
WAVE = prepare([waver()])
TWO = prepare([walker(240), walker(150, seed=3)])
ALL = {"walk": WALK, "wave": WAVE, "two walks": TWO}


def tour_of(prepared: Prepared, frames: int, seed: int) -> np.ndarray:
    return plan_initial_path(graph_of(prepared), frames, seed, np.random.default_rng(seed))


def improved_path(graph: TransitionGraph, path: np.ndarray) -> np.ndarray:
    better = improved(graph, Stretches.of_path(path, graph.bounds), np.array([UNSEEN_WEIGHT]))
    return better.pieces()[0].path


def test_improving_in_pieces_lowers_the_objective_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(TWO)
    monkeypatch.setattr(path_improvement, "pieces", lambda rows, _: (slice(row, row + 1) for row in range(rows)))
    for seed in range(5):
        path = blind_path(graph, 300, seed)
        better = improved_path(graph, path)
        assert len(better) == len(path) and better[0] == path[0]
        assert path_objective(graph, better) < path_objective(graph, path)


def runs_of(prepared: Prepared, initial_path: np.ndarray) -> Segments:
    return Segments.of_path(initial_path, prepared.stages[-1].bounds)


@few
@given(frames=st.integers(1, 300), seed=st.integers(0, 99))
def test_a_tour_has_as_many_frames_as_asked_for_all_of_the_examples(frames: int, seed: int) -> None:
    initial_path = tour_of(TWO, frames, seed)
    assert initial_path.shape == (frames,)
    assert np.all((initial_path >= 0) & (initial_path < TWO.stages[-1].bounds.frames))


@pytest.mark.slow
@few
@given(seed=st.integers(0, 99))
def test_runs_are_long_enough_to_be_seen_and_never_the_whole_example(seed: int) -> None:
    for prepared in ALL.values():
        lengths = runs_of(prepared, tour_of(prepared, 160, seed)).lengths
        assert lengths.min() >= graph_of(prepared).shortest
        assert lengths.max() <= 2 * graph_of(prepared).longest


@pytest.mark.parametrize("name", ALL)
def test_a_tour_twice_as_long_as_the_examples_visits_everything(name: str) -> None:
    prepared = ALL[name]
    graph, total = graph_of(prepared), prepared.stages[-1].bounds.frames
    for seed in range(5):
        initial_path = tour_of(prepared, 2 * total, seed)
        seen = seen_of_path(graph.coverage, initial_path)
        assert np.mean(seen > 0.2) > 0.9


def test_every_example_is_visited() -> None:
    unlike = prepare([walker(), waver(150)])
    bounds = unlike.stages[-1].bounds
    for seed in range(5):
        assert set(bounds.example_of(tour_of(unlike, 2 * bounds.frames, seed)).tolist()) == {0, 1}


@pytest.mark.parametrize("name", ALL)
def test_the_order_is_new(name: str) -> None:
    prepared = ALL[name]
    for seed in range(5):
        assert len(runs_of(prepared, tour_of(prepared, 160, seed)).starts) > 1


def test_the_same_chance_gives_the_same_tour_and_another_seed_another() -> None:
    assert np.array_equal(tour_of(WALK, 160, 3), tour_of(WALK, 160, 3))
    assert np.mean(tour_of(WALK, 160, 3) == tour_of(WALK, 160, 4)) < 0.5


def test_neighboring_seeds_begin_far_apart() -> None:
    total = len(graph_of(WALK).ends)
    begins = np.array([tour_of(WALK, 40, seed)[0] for seed in range(8)])
    assert np.abs(np.diff(begins)).min() > total / 5
    assert len(set(begins.tolist())) == 8


def test_cuts_are_cheaper_than_cuts_made_blindly() -> None:
    graph = graph_of(WALK)
    costs = all_costs(graph)
    made: list[float] = []
    for seed in range(10):
        initial_path = tour_of(WALK, 160, seed)
        leaves = np.flatnonzero(np.diff(initial_path) != 1)
        made.extend(costs[initial_path[leaves], initial_path[leaves + 1]].tolist())
    assert np.mean(made) < 0.6 * np.mean(costs[np.isfinite(costs)])


def test_a_tour_that_lingers_has_a_higher_price_than_one_that_sees_all() -> None:
    graph = graph_of(WALK)
    total = len(graph.ends)
    everything = np.tile(np.arange(total), 2)
    lingering = np.resize(np.arange(10, 20), 2 * total)
    assert path_objective(graph, everything) < path_objective(graph, lingering)


def test_unseen_frames_raise_the_objective() -> None:
    graph = graph_of(WALK)
    total = len(graph.ends)
    half = total // 2
    still = replace(graph.sampled, paces=np.ones(total, np.float32), headings=np.zeros(total, np.float32))
    still = replace(still, poses=np.zeros_like(still.poses))
    plain = replace(graph, sampled=still, edges=replace(graph.edges, costs=np.zeros(total * total, np.float32)))
    every = path_objective(plain, np.concatenate((np.arange(half, total), np.arange(half))))
    one = path_objective(plain, np.concatenate((np.arange(half), np.arange(half))))
    assert one > every + 5


def test_path_without_cuts_at_full_pace_costs_nothing() -> None:
    assert path_objective(graph_of(WALK), np.arange(len(graph_of(WALK).ends))) == pytest.approx(0, abs=0.5)


def test_a_tour_that_stays_where_it_is_slow_pays_for_it() -> None:
    graph = graph_of(WALK)
    total = len(graph.ends)
    paces = np.where(np.arange(total) < total // 2, 0.1, 1.9).astype(np.float32)
    quick = replace(graph, sampled=replace(graph.sampled, paces=paces))
    first, second = np.arange(total // 2), np.arange(total // 2, total)
    even = np.arange(total // 4, total // 4 + total // 2)
    assert path_objective(quick, even) < path_objective(quick, second) < path_objective(quick, first)


def blind_path(graph: TransitionGraph, frames: int, seed: int) -> np.ndarray:
    """Return a path of segments of two seconds, from anywhere to anywhere."""
    random = np.random.default_rng(seed)
    places = np.flatnonzero(graph.ends - np.arange(graph.frames) >= 20)
    return np.concatenate([place + np.arange(20) for place in random.choice(places, frames // 20)])


@pytest.mark.parametrize("name", ALL)
def test_an_improved_path_costs_less_and_is_as_long_begins_alike_and_keeps_segments_long(name: str) -> None:
    graph = graph_of(ALL[name])
    for seed in range(5):
        path = blind_path(graph, 160, seed)
        better = improved_path(graph, path)
        lengths = runs_of(ALL[name], better).lengths
        assert path_objective(graph, better) < 0.6 * path_objective(graph, path)
        assert len(better) == len(path) and better[0] == path[0]
        assert lengths.min() >= graph.shortest
        assert np.isfinite(path_objective(graph, better))


def test_unimprovable_path_is_unchanged() -> None:
    graph = graph_of(WALK)
    best = blind_path(graph, 160, 1)
    for _ in range(20):
        best = improved_path(graph, best)
    assert np.array_equal(improved_path(graph, best), best)


def test_every_stretch_of_a_long_result_visits_everything() -> None:
    graph = graph_of(WALK)
    path = tour_of(WALK, 3000, 1)
    stretches = round(len(path) / (STRETCH_SECONDS * graph.rate))
    assert stretches == 5
    for piece in np.split(path, stretches):
        assert np.mean(seen_of_path(graph.coverage, piece) > 0.2) > 0.95
    # Half of a stretch may leave frames with costly access to the other half, but at most one or two do.
    halves = [np.mean(seen_of_path(graph.coverage, piece) > 0.2) for piece in np.split(path, 2 * stretches)]
    assert np.median(halves) > 0.95 and min(halves) > 0.5


def test_a_long_result_costs_no_more_for_each_second_than_a_short_one() -> None:
    graph = graph_of(WALK)
    short, long = (
        np.mean([path_objective(graph, tour_of(WALK, frames, seed)) for seed in range(4)]) for frames in (300, 3000)
    )
    assert long < 1.5 * short + 1.0


def test_more_noise_gives_transitions_of_more_places() -> None:
    def places(noise: float) -> int:
        graph = replace(graph_of(WALK), noise=noise)
        paths = [plan_initial_path(graph, 160, seed, np.random.default_rng(seed)) for seed in range(12)]
        return len({(path[at] // 3, path[at + 1] // 3) for path in paths for at in np.flatnonzero(np.diff(path) != 1)})

    # A larger number of transitions is not the only reason.
    assert places(0.0) < places(1.0) < places(3.0) < places(5.0)
    assert places(5.0) > 1.2 * places(1.0)


@pytest.mark.parametrize("name", ALL)
def test_the_most_noise_makes_no_worse_transitions_nor_many_more(name: str) -> None:
    """The same holds beyond the slider's end, where a transition by itself gains nothing."""

    def cost_and_count(noise: float) -> tuple[float, float]:
        graph = replace(graph_of(ALL[name]), noise=noise)
        costs = [
            graph.edge_costs(path[at], path[at + 1])
            for path in (plan_initial_path(graph, 400, seed, np.random.default_rng(seed)) for seed in range(8))
            for at in (np.flatnonzero(np.diff(path) != 1),)
        ]
        return float(np.concatenate(costs).mean()), len(np.concatenate(costs))

    (usual, count), (most, more), (_, hundred) = (cost_and_count(noise) for noise in (1.0, 5.0, 100.0))
    assert most < 1.5 * usual
    assert 0.9 * count < more < 2.0 * count and hundred < 2.0 * count


def of_paths(graph: TransitionGraph, paths: list[np.ndarray]) -> Stretches:
    pieces = [piece for path in paths for piece in Stretches.of_path(path, graph.bounds).pieces()]
    return Stretches.of_pieces(pieces)


@pytest.mark.parametrize("name", ALL)
def test_replanned_windows_never_raise_the_objective_and_keep_segments_long(name: str) -> None:
    graph, weights = graph_of(ALL[name]), np.array([UNSEEN_WEIGHT])
    for seed in range(5):
        before = Stretches.of_path(improved_path(graph, blind_path(graph, 160, seed)), graph.bounds)
        after = replanned(graph, before, weights, 3)
        (old,), _ = objectives_of(graph, before, weights)
        (new,), _ = objectives_of(graph, after, weights)
        path, own = after.pieces()[0].path, before.pieces()[0].path
        assert new <= old + 1e-9
        assert len(path) == len(own) and path[0] in (own[0], *graph.bounds.starts)
        assert runs_of(ALL[name], path).lengths.min() >= graph.shortest


def with_costly_opening() -> TransitionGraph:
    """Return a graph in which only bad transitions reach the first 12 frames."""
    graph = graph_of(WALK)
    table = graph.edges.table.copy()
    table[:, :12] = 2000.0
    each = Coverage.of_frames(np.eye(graph.frames, dtype=np.float32), graph.bounds)
    return replace(graph, edges=replace(graph.edges, costs=table.ravel()), coverage=each)


def test_beginning_that_no_transition_reaches_is_shown_at_the_start() -> None:
    costly, weights = with_costly_opening(), np.array([UNSEEN_WEIGHT])
    spans = ((40, 65), (30, 55), (45, 70), (12, 47), (45, 80))
    path = np.concatenate([np.arange(begin, end) for begin, end in spans])
    after = replanned(costly, Stretches.of_path(path, costly.bounds), weights, 3).pieces()[0].path
    assert after[0] == 0 and not (after[1:] == 0).any()


def test_with_less_noise_an_opening_that_only_bad_transitions_reach_is_shown_at_the_start() -> None:
    costly = replace(with_costly_opening(), noise=0.5)
    paths = [plan_initial_path(costly, 2 * costly.frames, seed, np.random.default_rng(seed)) for seed in range(6)]
    assert all(path[0] < costly.shortest for path in paths)
    assert not any(((path[1:] < 12) & (np.diff(path) != 1)).any() for path in paths)
    assert len({path.tobytes() for path in paths}) == 6 and len({int(path[0]) for path in paths}) > 3


def test_less_noise_gives_longer_segments() -> None:
    dance = prepare([walker(900)])
    longest = {noise: graph_of(with_noise(dance, noise)).longest for noise in (0.0, 0.25, 0.5, 1.0, 3.0)}
    assert longest[0.0] == longest[0.25] > longest[0.5] > longest[1.0] == longest[3.0] == graph_of(dance).longest
    assert longest[0.5] == graph_of(prepare([walker(900)], settings=Settings(noise=0.5))).longest


@pytest.mark.parametrize("name", ALL)
def test_replanning_paths_together_equals_replanning_them_one_by_one(name: str) -> None:
    graph = graph_of(ALL[name])
    paths = [blind_path(graph, frames, frames) for frames in (20, 80, 160, 240)]
    together = replanned(graph, of_paths(graph, paths), np.full(4, UNSEEN_WEIGHT), 2)
    for path, piece in zip(paths, together.pieces(), strict=True):
        alone = replanned(graph, of_paths(graph, [path]), np.full(1, UNSEEN_WEIGHT), 2)
        assert np.array_equal(piece.path, alone.pieces()[0].path)


@pytest.mark.parametrize("name", ALL)
def test_paths_that_are_improved_side_by_side_are_those_improved_one_by_one(name: str) -> None:
    graph = graph_of(ALL[name])
    paths = [blind_path(graph, frames, frames) for frames in (80, 160, 240)]
    together = improved(graph, of_paths(graph, paths), np.full(3, UNSEEN_WEIGHT))
    for path, piece in zip(paths, together.pieces(), strict=True):
        assert np.array_equal(piece.path, improved_path(graph, path))


def test_transitions_where_stretches_meet_cost_as_much_as_others() -> None:
    graph = graph_of(WALK)
    costs: list[float] = []
    meeting: list[float] = []
    for seed in range(4):
        path = tour_of(WALK, 3000, seed)
        leaves = np.flatnonzero(np.diff(path) != 1)
        made = graph.edge_costs(path[leaves], path[leaves + 1])
        near = np.abs(leaves[:, None] - np.linspace(0, 3000, 13)[1:-1]).min(axis=1) < 10
        meeting.extend(made[near].tolist())
        costs.extend(made[~near].tolist())
    assert np.mean(meeting) < 1.5 * np.mean(costs) + 2.0


def test_pieces_one_after_another_are_the_path_that_they_were() -> None:
    graph = graph_of(TWO)
    path = blind_path(graph, 160, 5)
    piece = Stretches.of_path(path, graph.bounds).pieces()[0]
    halves = [piece.part(slice(4)), piece.part(slice(4, None))]
    assert np.array_equal(one_after_another(halves).path, path)
    assert np.array_equal(Piece(piece.sources[:0], piece.lengths[:0]).path, path[:0])


@pytest.mark.slow
def test_of_many_gestures_that_end_as_they_begin_none_is_repeated_to_the_end() -> None:
    """In each, going back to its own beginning costs nothing, and any other transition a lot."""
    graph = graph_of(prepare([waver(60, seed) for seed in range(10)], repetitions=[Repetition.TAKE] * 10))
    table = graph.edges.table + np.float32(60.0)
    ends, begins = graph.bounds.ends - 1, graph.bounds.starts
    table[ends, begins] = 0.0
    tempting = replace(graph, edges=replace(graph.edges, costs=table.ravel()))
    for seed in range(6):
        path = plan_initial_path(tempting, graph.frames // 2, seed, np.random.default_rng(seed))
        assert np.bincount(path).max() <= 2
        # A result that is longer than all of them has to repeat some.
        longer = plan_initial_path(tempting, 2 * graph.frames, seed, np.random.default_rng(seed))
        assert np.bincount(longer).max() > 2
