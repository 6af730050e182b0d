# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows over many example frames: searched over the likely ones, with the paths of a search over all of them."""

import numpy as np
import pytest
from dense_graph import graph_of
from motions import walker

from genmm_addon.core import prepare
from genmm_addon.core.examples.transition_graph import TransitionGraph
from genmm_addon.core.features.graph_size import ALL_EDGES_FRAMES, neighbors_kept
from genmm_addon.core.planning import window_search
from genmm_addon.core.planning.stretches import PathWindow, Piece
from genmm_addon.core.planning.window_frames import likely_frames
from genmm_addon.core.planning.window_search import cheapest_pieces


@pytest.fixture(scope="module")
def graph() -> TransitionGraph:
    """Return the graph of fifty walks of different gaits, with more frames than all edges are kept for."""
    graph = graph_of(prepare([walker(90 + number, seed=number) for number in range(50)]))
    assert graph.frames > ALL_EDGES_FRAMES
    return graph


@pytest.fixture(autouse=True)
def _as_for_many_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search windows as if the graph were too large for a search over all of its frames."""
    monkeypatch.setattr(window_search, "MOST_NEIGHBORS", 0)


def windows_of(graph: TransitionGraph, count: int, seed: int) -> list[PathWindow]:
    """Return windows along random walks over kept transitions, with random rewards, some with free ends."""
    random = np.random.default_rng(seed)
    windows: list[PathWindow] = []
    while len(windows) < count:
        sources, lengths = [int(random.integers(graph.frames))], []
        while len(sources) < 4:
            room = min(int(graph.ends[sources[-1]]) - sources[-1], graph.longest)
            if room < graph.shortest:
                break
            lengths.append(int(random.integers(graph.shortest, room + 1)))
            targets = np.flatnonzero((graph.predecessors.frames == sources[-1] + lengths[-1] - 1).any(axis=1))
            if not len(targets):
                break
            sources.append(int(random.choice(targets)))
        if len(sources) == 4 and len(lengths) == 3:
            rewards = random.random(len(graph.bounds.starts))[graph.bounds.example_of(np.arange(graph.frames))]
            piece = Piece(np.array(sources[:3]), np.array(lengths))
            windows.append(PathWindow(piece, None, bool(random.random() < 0.2), rewards.astype(np.float32)))
    return windows


def cost_of(graph: TransitionGraph, window: PathWindow, piece: Piece) -> float:
    assert window.rewards is not None
    edges = graph.edge_costs((piece.sources + piece.lengths - 1)[:-1], piece.sources[1:])
    return float(edges.sum() - window.rewards[piece.path].sum())


def test_a_window_gains_as_much_as_over_all_frames(graph: TransitionGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = windows_of(graph, 40, 1)
    over_likely = cheapest_pieces(graph, windows)
    monkeypatch.setattr(window_search, "MOST_NEIGHBORS", neighbors_kept(graph.frames))
    over_all = cheapest_pieces(graph, windows)
    least, all_least, before = (
        np.array([cost_of(graph, *pair) for pair in zip(windows, pieces, strict=True)])
        for pieces in (over_likely, over_all, [window.piece for window in windows])
    )
    assert np.all(least >= all_least - 1e-3)
    assert np.all(least <= before + 1e-3)
    assert (before - least).sum() > 0.95 * (before - all_least).sum() > 0


def test_pieces_are_possible_paths_with_the_windows_ends(graph: TransitionGraph) -> None:
    windows = windows_of(graph, 20, 2)
    for window, piece in zip(windows, cheapest_pieces(graph, windows), strict=True):
        assert piece.frames == window.piece.frames and piece.path[0] == window.piece.path[0]
        assert window.free_end or piece.path[-1] == window.piece.path[-1]
        assert graph.shortest <= piece.lengths.min() and piece.lengths.max() <= graph.longest
        assert np.all(piece.sources + piece.lengths <= graph.ends[piece.sources])
        leaves = (piece.sources + piece.lengths - 1)[:-1]
        assert (graph.predecessors.frames[piece.sources[1:]] == leaves[:, None]).any(axis=1).all()


def test_likely_frames_are_few_ascending_and_contain_the_piece(graph: TransitionGraph) -> None:
    windows = windows_of(graph, 10, 3)
    for window, frames in zip(windows, likely_frames(graph, windows), strict=True):
        assert np.all(np.diff(frames) > 0) and len(frames) < graph.frames
        assert np.isin(window.piece.sources, frames).all()
        assert np.isin(window.piece.sources + window.piece.lengths - 1, frames).all()


def test_windows_planned_together_are_those_planned_alone(graph: TransitionGraph) -> None:
    windows = windows_of(graph, 6, 4)
    for window, piece in zip(windows, cheapest_pieces(graph, windows), strict=True):
        assert np.array_equal(piece.path, cheapest_pieces(graph, [window])[0].path)


def test_a_window_may_begin_where_that_is_cheapest(graph: TransitionGraph) -> None:
    (window,) = windows_of(graph, 1, 5)
    first_costs = np.full(graph.frames, 1e3, np.float32)
    place = int(graph.bounds.starts[3])
    first_costs[place] = 1.0
    (piece,) = cheapest_pieces(graph, [PathWindow(window.piece, first_costs, free_end=True)])
    assert piece.path[0] == place
