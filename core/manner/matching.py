# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for the cheapest path through frames of examples that matches every frame of a motion.

The method is dynamic time warping (Sakoe, Chiba 1978) with open ends. The path may also jump to another place, at the
cost of a transition, so that a short example can match a long motion.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32, Indices
from ..motion.piecewise import pieces
from .style_free_rows import costs_of_columns

Steps = NDArray[np.uint8]

STEPS = ((0, 0.6), (1, 0.0), (2, 0.25))
"""Steps of the examples, in frames, for one frame of the motion, and their costs: repeated frames would freeze."""
TEMPOS = (0.5, 0.63, 0.8, 1.0, 1.26, 1.59, 2.0)
"""Tempos of the examples that are tried, each a quarter faster than the one before: a path of steps of 0, 1 and 2
frames follows any tempo between half and twice each of them."""
SLOWEST, FASTEST = TEMPOS[0], TEMPOS[-1]
"""The slowest and the fastest of them."""
MOST_COSTS = 2**25
"""Largest number of pair costs that are kept: 128 MB."""
MOST_STEPS = 2**27
"""Largest number of path steps that are kept: 128 MB."""


@dataclass(frozen=True, eq=False)
class Jumps:
    """Transitions into each of N frames: K sources `(N, K)`, and their costs `(N, K)`."""

    sources: Indices
    costs: Float32


@dataclass(frozen=True, eq=False)
class Match:
    """A frame of the examples for each of T frames; cost: mean of a frame, transitions included."""

    frames: Indices
    cost: float


@dataclass(frozen=True, eq=False)
class MatchCosts:
    """Costs of pairs of a motion's T frames and the examples' N frames, computed in parts from weighted rows.

    left: `(T, D)`. right: `(N, D)`. of_frames: `(N,)` costs of the examples' frames for any frame of the motion.
    """

    left: Float32
    right: Float32
    of_frames: Float32

    @cached_property
    def table(self) -> Float32 | None:
        """Return all costs `(T, N)` if they are few enough to keep; None otherwise."""
        fits = len(self.left) * len(self.right) <= MOST_COSTS
        return costs_of_columns(self.left, self.right) + self.of_frames if fits else None

    def rows(self, first: int, end: int, at: Indices) -> Float32:
        """Return the costs `(end - first, A)` of consecutive frames of the motion for example frames `at` `(A,)`."""
        if self.table is not None:
            return self.table[first:end][:, at]
        return (costs_of_columns(self.left[first:end], self.right) + self.of_frames)[:, at]


def cheapest_match(costs: MatchCosts, at: Indices, clips: NDArray[np.integer], jumps: Jumps | None) -> Match:
    """Return the cheapest path through the frames `at` `(A,)` of the examples; its frames are places in `at`.

    clips: `(A,)` the clip of each. jumps: among them, None for a path without transitions. If the steps of all frames
    would take too much memory, those of each block are computed again on the way back.
    """
    length, count = len(costs.left), len(at)
    begins = np.concatenate(([True], np.diff(clips) != 0))
    since = np.arange(count) - np.maximum.accumulate(np.where(begins, np.arange(count), 0))
    best = costs.rows(0, 1, at)[0]
    blocks = [(1 + piece.start, 1 + piece.stop) for piece in pieces(length - 1, count)]
    is_kept = length * count <= MOST_STEPS
    kept: list[Steps] = []
    begun: list[Float32] = []
    for first, end in blocks:
        begun.append(best)
        steps, best = _steps(best, costs.rows(first, end, at), since, jumps)
        if is_kept:
            kept.append(steps)
    path = np.empty(length, np.int64)
    path[-1] = int(np.argmin(best))
    for number in range(len(blocks) - 1, -1, -1):
        first, end = blocks[number]
        steps = kept[number] if is_kept else _steps(begun[number], costs.rows(first, end, at), since, jumps)[0]
        for frame in range(end - 1, first - 1, -1):
            place = path[frame]
            step = int(steps[frame - first, place])
            if jumps is not None and step >= len(STEPS):
                path[frame - 1] = jumps.sources[place, step - len(STEPS)]
            else:
                path[frame - 1] = place - STEPS[step][0]
    return Match(path, float(best[path[-1]]) / length)


def _steps(best: Float32, costs: Float32, since: Indices, jumps: Jumps | None) -> tuple[Steps, Float32]:
    """Return the steps `(B, A)` of the cheapest paths to each example frame at B frames, and the paths' costs `(A,)`.

    best: `(A,)` costs of paths up to the frame before. costs: `(B, A)`. A step is its place in STEPS; jumps are counted
    after those.
    """
    came, index = np.zeros(costs.shape, np.uint8), np.arange(costs.shape[1])
    for frame, frame_costs in enumerate(costs):
        arrived, step_taken = np.full(len(best), np.inf, np.float32), came[frame]
        for number, (step, step_cost) in enumerate(STEPS):
            going_on = np.full(len(best), np.inf, np.float32)
            going_on[step:] = best[: len(best) - step] + np.float32(step_cost)
            cheaper = (going_on < arrived) & (since >= step)
            arrived = np.where(cheaper, going_on, arrived)
            step_taken[cheaper] = number
        if jumps is not None:
            jumping = best[jumps.sources] + jumps.costs
            kind = np.argmin(jumping, axis=1)
            cheaper = jumping[index, kind] < arrived
            arrived = np.where(cheaper, jumping[index, kind], arrived)
            step_taken[cheaper] = len(STEPS) + kind[cheaper]
        best = arrived + frame_costs
    return came, best
