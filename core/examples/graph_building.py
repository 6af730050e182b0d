# SPDX-License-Identifier: GPL-3.0-or-later
"""Construction of the transition graph in blocks: its edges, its coverage, and the settings' demands on a path."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Indices, Rows
from ..features.graph_size import ALL_EDGES_FRAMES, FEWEST_NEIGHBORS, REGIONS, neighbors_kept
from ..settings import Settings
from .coverage import Coverage
from .cycles import LONGEST_SEGMENT_SECONDS
from .edges import Edges, cost_unit, least_costs, nearness_of, plain_edge_costs, with_nearness
from .transition_costs import Bounds, find_transitions
from .transition_graph import FAR_PREDECESSORS, Predecessors, SampledBodies, TransitionGraph
from .transition_windows import Neighbors, TransitionWindows

SHORTEST_SEGMENT_SECONDS = 0.8
"""Shortest segment of the initial path, in seconds, at the usual patch length."""
LEAST_NOISE = 0.25
"""Noise below which segments become no longer. Their length is bounded because tables of scores grow with it."""
LONGEST_SHARE = 0.75
"""Largest share of all examples in one segment: copying is not synthesis."""
COVERAGE_WEIGHT = 48.0
"""Reward, in edge cost, for showing motion whose visit deficit is one."""
LEAST_COVERAGE_WEIGHT = 6.0
"""Smallest such reward, for a large alpha or none."""
USUAL = Settings()
"""Settings for which the durations and the coverage weight are meant: longer patches, p of the paper, scale the
durations, and a smaller alpha raises the weight."""


def build_transition_graph(
    rows: Rows, sampled: SampledBodies, bounds: Bounds, rate: float, full_rate: float, settings: Settings
) -> TransitionGraph:
    """Return the transition graph of stage rows `(N, C)`; rate, full_rate: stage frames and full frames per second.

    Larger patches make longer segments, a smaller alpha raises the coverage weight, and more noise adds randomness.
    """
    scale = settings.patch_frames / USUAL.patch_frames
    total = bounds.frames
    example = bounds.example_of(np.arange(total))
    shortest = max(1, min(round(scale * SHORTEST_SEGMENT_SECONDS * rate), total // 3))
    usual = scale * LONGEST_SEGMENT_SECONDS * rate / 2
    ends, begins = bounds.ends[example], bounds.starts[example]
    windows = TransitionWindows.of(rows, bounds, rate)
    if total <= ALL_EDGES_FRAMES:
        edges, unit, predecessors, coverage = _all_edges(windows, rate)
    else:
        edges, unit, predecessors, coverage = _cheapest_edges(windows)
    nearness = nearness_of(edges, bounds)
    return TransitionGraph(
        bounds=bounds,
        predecessors=predecessors,
        coverage=coverage,
        sampled=sampled,
        begins=begins,
        ends=ends,
        shortest=shortest,
        usual=np.minimum(usual, (ends - begins) / 2),
        longest=_longest_segment(bounds, rate, shortest, settings),
        lookahead=max(1, min(round(usual), total)),
        rate=rate,
        full_rate=full_rate,
        coverage_weight=_coverage_weight(settings.completeness),
        noise=settings.noise,
        windows=windows,
        edges=with_nearness(edges, nearness, bounds),
        unit=unit,
        nearness=nearness,
    )


def with_noise(graph: TransitionGraph, settings: Settings) -> TransitionGraph:
    """Return the graph with the noise of settings that are otherwise those it was made with."""
    longest = _longest_segment(graph.bounds, graph.rate, graph.shortest, settings)
    return replace(graph, noise=settings.noise, longest=longest)


def _longest_segment(bounds: Bounds, rate: float, shortest: int, settings: Settings) -> int:
    """Return the longest segment of an initial path, in stage frames; rate: stage frames per second."""
    noise = min(max(settings.noise, LEAST_NOISE), 1.0)
    seconds = settings.patch_frames / USUAL.patch_frames * LONGEST_SEGMENT_SECONDS / noise
    possible = min(round(LONGEST_SHARE * bounds.frames), int((bounds.ends - bounds.starts).max()))
    return max(shortest + 1, min(round(seconds * rate), possible))


def cheapest_predecessors(costs: Rows, count: int) -> Predecessors:
    """Return the `count` cheapest rows of transition costs `(n, N)` for each column, or all if there are fewer."""
    count = min(count, len(costs))
    frames = np.argpartition(costs, count - 1, axis=0)[:count].T
    of_frame = costs[frames, np.arange(costs.shape[1])[:, None]]
    return Predecessors(np.ascontiguousarray(frames), np.ascontiguousarray(of_frame))


def _all_edges(windows: TransitionWindows, rate: float) -> tuple[Edges, float, Predecessors, Coverage]:
    """Return every edge of few frames, their unit, the cheapest predecessors and the coverage by single frames."""
    transitions = find_transitions(windows.rows, windows.bounds, rate)
    total = len(windows.rows)
    unit = cost_unit(transitions.costs.min(axis=1, initial=np.inf))
    arrivals = np.tile(np.arange(total, dtype=np.int32), total)
    edges = Edges(np.arange(total + 1) * total, arrivals, plain_edge_costs(transitions.costs, unit).ravel())
    coverage = Coverage.of_frames(transitions.similarity, windows.bounds)
    return edges, unit, cheapest_predecessors(transitions.costs, FEWEST_NEIGHBORS), coverage


def _cheapest_edges(windows: TransitionWindows) -> tuple[Edges, float, Predecessors, Coverage]:
    """Return the cheapest edges of many frames, and the other values as `_all_edges` does."""
    total = len(windows.rows)
    neighbor_sets = (windows.nearest(neighbors_kept(total)), windows.nearest_in_regions(REGIONS))
    leaves, arrivals, costs = _both_directions(windows, neighbor_sets)
    best = np.full(total, np.inf, np.float32)
    np.minimum.at(best, leaves, costs)
    unit = cost_unit(best)
    offsets = np.searchsorted(leaves, np.arange(total + 1))
    edges = Edges(offsets, arrivals.astype(np.int32), plain_edge_costs(costs, unit))
    return edges, unit, _predecessors_of(windows, *neighbor_sets), Coverage.of_clusters(windows)


def _both_directions(windows: TransitionWindows, neighbor_sets: Sequence[Neighbors]) -> tuple[Indices, Indices, Rows]:
    """Return leaves, arrivals and costs `(X,)` of the edges between neighbors, each once, in order.

    Two similar windows give two transitions, each from before one window to after the other.
    """
    keys: list[Indices] = []
    costs: list[Rows] = []
    total = len(windows.rows)
    for neighbors in neighbor_sets:
        position = np.repeat(np.arange(len(neighbors.positions)), neighbors.positions.shape[1])
        other, cost = neighbors.positions.ravel(), neighbors.costs.ravel()
        for out, into in ((position, other), (other, position)):
            leaves, arrivals = windows.frames_left(out), windows.frames_reached(into)
            kept = np.isfinite(cost) & (leaves >= 0) & (arrivals >= 0)
            keys.append(leaves[kept] * total + arrivals[kept])
            costs.append(cost[kept])
    unique, least = least_costs(np.concatenate(keys), np.concatenate(costs))
    return unique // total, unique % total, least


def _predecessors_of(windows: TransitionWindows, nearest: Neighbors, in_regions: Neighbors) -> Predecessors:
    """Return the cheapest predecessors of each frame, and the cheapest of those in the regions."""
    arriving = windows.arriving(np.arange(len(windows.rows)))
    frames: list[Indices] = []
    costs: list[Rows] = []
    for neighbors, count in ((nearest, FEWEST_NEIGHBORS), (in_regions, FAR_PREDECESSORS)):
        left = windows.frames_left(neighbors.positions[arriving])
        left_costs = np.where(left >= 0, neighbors.costs[arriving], np.float32(np.inf))
        if neighbors is in_regions:
            # Predecessors that are already among the nearest would be duplicates.
            left_costs[left_costs <= costs[0][:, -1:]] = np.inf
        order = np.argsort(left_costs, axis=1, kind="stable")[:, :count]
        frames.append(np.maximum(np.take_along_axis(left, order, axis=1), 0))
        costs.append(np.take_along_axis(left_costs, order, axis=1))
    return Predecessors(np.concatenate(frames, axis=1), np.concatenate(costs, axis=1))


def _coverage_weight(completeness: float | None) -> float:
    """Return the coverage weight of a path for an alpha; None, plain matching, keeps a small weight."""
    if completeness is None or USUAL.completeness is None:
        return LEAST_COVERAGE_WEIGHT
    return max(COVERAGE_WEIGHT * float((USUAL.completeness / completeness) ** 0.25), LEAST_COVERAGE_WEIGHT)
