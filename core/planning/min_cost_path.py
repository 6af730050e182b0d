# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of least frame cost through the examples (Viterbi 1967), with a shortest segment.

Under high frame costs, a path that could leave at any frame would follow all of them by several cheap transitions in a
row, with segments too short for a crossfade.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64, Rows
from ..examples.transition_costs import Bounds
from ..examples.transition_graph import Predecessors
from ..features.pyramid import patched_length
from .frame_cost import UnaryCosts
from .path_objective import NO_EDGE
from .stretches import NONE

Number = TypeVar("Number", np.float32, np.int32)

VOTED_TRANSITION_COST = 2.0
"""Cost of any transition, in frames' worth of votes, in addition to its transition cost."""
COST_OF_SQUARE = 0.3
"""Cost of a transition, in votes, for each squared unit of its cost: two visible transitions beat one bad one."""


def min_cost_path(
    unary_costs: UnaryCosts, predecessors: Predecessors, bounds: Bounds, shortest: int, weight: float = 1.0
) -> Int64:
    """Return the path `(F,)` of least frame cost, and fewest and cheapest transitions (Viterbi 1967).

    No segment is shorter than `shortest` frames, unless F or most of the examples are shorter. weight: of the squared
    costs of transitions.
    """
    total, frames = bounds.frames, len(unary_costs.initial_path)
    lengths = bounds.ends - bounds.starts
    shortest = max(1, min(shortest, frames, patched_length(lengths)))
    inside = np.arange(total) - bounds.starts[bounds.example_of(np.arange(total))]
    unripe = np.flatnonzero(inside < shortest - 1)
    cost_of_transition = VOTED_TRANSITION_COST + np.minimum(weight * COST_OF_SQUARE * predecessors.costs**2, NO_EDGE)
    came_from = np.empty((frames, total), np.int32)
    # Sums along the diagonals give the votes against a segment; recent arrivals wait until they are long enough.
    sums, free = np.zeros(total, np.float32), np.full(total, NO_EDGE, np.float32)
    waiting, lowered = list[tuple[Rows, NDArray[np.int32], float]](), 0.0
    for frame, votes in enumerate(unary_costs.of_frames(total)):
        if frame == 0:
            arrived, source = np.zeros(total, np.float32), np.zeros(total, np.int32)
        else:
            cheapest, arrived = predecessors.cheapest(free, cost_of_transition)
            source = cheapest.astype(np.int32)
        before = _shifted(sums, 1, bounds.starts, 0.0)
        waiting.append((arrived - before, source, lowered))
        sums = before + votes
        stay = _shifted(free, 1, bounds.starts, NO_EDGE) + votes
        came_from[frame], free = NONE, stay
        if frame >= shortest - 1:
            landed, source, since = waiting.pop(0)
            done = _shifted(landed - np.float32(lowered - since), shortest - 1, unripe, NO_EDGE) + sums
            better = done < stay
            free = np.where(better, done, stay)
            came = _shifted(source, shortest - 1, unripe, NONE)
            came_from[frame] = np.where(better, came, NONE)
            low = free.min()
            free, lowered = np.minimum(free - low, NO_EDGE), lowered + float(low)
    return _backtrack(came_from, int(free.argmin()), shortest)


def _shifted(values: NDArray[Number], by: int, outside: Int64, otherwise: float) -> NDArray[Number]:
    """Return the values `by` frames before each example frame; `otherwise` where that is outside of the same example.

    outside: the frames `(K,)` of which that is so, among them the first `by`.
    """
    moved = np.empty_like(values)
    moved[by:] = values[: len(values) - by]
    moved[outside] = otherwise
    return moved


def _backtrack(came_from: NDArray[np.int32], last: int, shortest: int) -> Int64:
    """Return the path `(F,)` that ends at `last`.

    came_from: `(F, N)` the frame that a segment came from if it has just reached `shortest` frames; NONE for a frame
    that continues the one before.
    """
    path = np.empty(len(came_from), np.int64)
    frame, source_frame = len(path) - 1, last
    while frame >= 0:
        came = int(came_from[frame, source_frame])
        if came == NONE:
            path[frame] = source_frame
            frame, source_frame = frame - 1, source_frame - 1
            continue
        path[frame - shortest + 1 : frame + 1] = np.arange(source_frame - shortest + 1, source_frame + 1)
        frame, source_frame = frame - shortest, came
    return path
