# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of a path planned again: the cheapest path, as found by trying all."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from dense_graph import graph_of
from motions import walker

from genmm_addon.core import prepare
from genmm_addon.core.examples.transition_graph import Predecessors, TransitionGraph
from genmm_addon.core.planning.replanning import joined
from genmm_addon.core.planning.stretches import PathWindow, Piece
from genmm_addon.core.planning.window_search import cheapest_pieces

GRAPH = replace(graph_of(prepare([walker(48), walker(40, seed=3)])), shortest=2, longest=4)


def few_ways(graph: TransitionGraph, count: int = 2) -> TransitionGraph:
    """Return the graph with so few predecessors that all paths through it can be tried."""
    found = graph.predecessors
    return replace(graph, predecessors=Predecessors(found.frames[:, :count], found.costs[:, :count]))


def all_ways(graph: TransitionGraph, first: int, frames: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the sources and lengths of all sequences of segments with `frames` frames that begin with `first`."""
    for length in range(graph.shortest, min(graph.longest, frames, int(graph.ends[first]) - first) + 1):
        if length == frames:
            yield [first], [length]
        for target in np.flatnonzero((graph.predecessors.frames == first + length - 1).any(axis=1)):
            for sources, lengths in all_ways(graph, int(target), frames - length):
                yield [first, *sources], [length, *lengths]


def cost_of(graph: TransitionGraph, piece: Piece, rewards: np.ndarray) -> float:
    leaves = piece.sources + piece.lengths - 1
    edges = np.minimum(graph.edge_costs(leaves[:-1], piece.sources[1:]), 1e6)
    return float(edges.sum() - rewards[piece.path].sum())


@pytest.mark.parametrize("seed", range(4))
def test_no_way_is_cheaper_than_the_one_that_is_found(seed: int) -> None:
    graph, random = few_ways(GRAPH), np.random.default_rng(seed)
    rewards = (20.0 * random.random(graph.frames)).astype(np.float32)
    # With so few predecessors, few frames have a path of that length, and rounding in NumPy changes which.
    first = int(random.choice([frame for frame in range(graph.frames - 4) if any(all_ways(graph, frame, 9))]))
    pieces = [Piece(np.array(sources), np.array(lengths)) for sources, lengths in all_ways(graph, first, 9)]
    last = int(pieces[random.integers(len(pieces))].path[-1])
    to_last = [piece for piece in pieces if piece.path[-1] == last]
    windows = [
        PathWindow(to_last[0], rewards=rewards),
        PathWindow(pieces[0], rewards=rewards, free_end=True),
    ]
    for found, allowed in zip(cheapest_pieces(graph, windows), (to_last, pieces), strict=True):
        least = min(cost_of(graph, piece, rewards) for piece in allowed)
        assert cost_of(graph, found, rewards) == pytest.approx(least, abs=1e-3)
        assert found.path[0] == first and len(found.path) == 9
    assert cheapest_pieces(graph, windows)[0].path[-1] == last


def test_a_window_may_begin_where_that_is_cheapest() -> None:
    first_costs = np.full(GRAPH.frames, 1e3, np.float32)
    first_costs[7] = 1.0
    piece = Piece(np.array([0, 3]), np.array([3, 3]))
    found = cheapest_pieces(GRAPH, [PathWindow(piece, first_costs, free_end=True), PathWindow(piece, free_end=True)])
    assert [one.path[0] for one in found] == [7, 0]


def test_a_window_below_the_shortest_segment_stays() -> None:
    piece = Piece(np.array([7, 20]), np.array([1, 1]))
    graph = replace(GRAPH, shortest=3)
    (found,) = cheapest_pieces(graph, [PathWindow(piece, free_end=True)])
    assert found is piece


def test_no_segment_leads_from_one_example_to_the_next() -> None:
    rewards = np.zeros(GRAPH.frames, np.float32)
    end = int(GRAPH.ends[0])
    rewards[end - 3 : end + 3] = 1e3
    piece = Piece(np.array([0, 3, 6]), np.array([3, 3, 3]))
    (found,) = cheapest_pieces(GRAPH, [PathWindow(piece, rewards=rewards, free_end=True)])
    assert np.all(found.sources + found.lengths <= GRAPH.ends[found.sources])
    assert found.lengths.min() >= 2 and found.lengths.max() <= 4


def test_windows_planned_together_are_those_planned_one_by_one() -> None:
    graph = graph_of(prepare([walker()]))
    pieces = [Piece(np.array([5, 30, 60]), np.array([9, 12, 20])), Piece(np.array([50, 3]), np.array([14, 11]))]
    together = cheapest_pieces(graph, [PathWindow(piece) for piece in pieces])
    for piece, found in zip(pieces, together, strict=True):
        assert np.array_equal(found.path, cheapest_pieces(graph, [PathWindow(piece)])[0].path)


def test_joined_pieces_are_as_long_begin_and_end_alike_and_cost_less() -> None:
    graph = graph_of(prepare([walker()]))
    random = np.random.default_rng(1)
    places = np.flatnonzero(graph.ends - np.arange(graph.frames) >= 16)
    pieces = [Piece(random.choice(places, 8), np.full(8, 16)) for _ in range(3)]
    path = joined(graph, pieces)
    blind = Piece(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("sources", "lengths")))
    nothing = np.zeros(graph.frames)
    assert path.lengths.sum() == 3 * 8 * 16
    assert np.array_equal(path.path[: 5 * 16], pieces[0].path[: 5 * 16])
    assert np.array_equal(path.path[-5 * 16 :], pieces[-1].path[-5 * 16 :])
    assert cost_of(graph, path, nothing) < cost_of(graph, blind, nothing)
    assert joined(graph, pieces[:1]) is pieces[0]


def test_pieces_of_few_segments_are_joined_too() -> None:
    graph = graph_of(prepare([walker()]))
    pieces = [Piece(np.array([0, 30]), np.array([20, 20])), Piece(np.array([5, 40, 10]), np.array([20, 20, 20]))] * 2
    path = joined(graph, pieces).path
    assert len(path) == 200 and path[0] == 0
