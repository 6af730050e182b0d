# SPDX-License-Identifier: GPL-3.0-or-later
"""The cheapest path through the frames of examples that goes along with every frame of a motion.

Dynamic time warping (Sakoe, Chiba 1978) with open ends. The path may also jump to another place, at the cost of a
transition, so that a short example goes along with a long motion.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Indices = NDArray[np.int64]

STEPS = ((0, 0.6), (1, 0.0), (2, 0.25))
"""Frames by which the examples go on while one frame passes, and the cost of doing so: who waits would freeze."""


@dataclass(frozen=True, eq=False)
class Jumps:
    """Transitions into each of N frames: from K others, `(N, K)`, at their costs `(N, K)`."""

    sources: Indices
    costs: Float32


@dataclass(frozen=True, eq=False)
class Match:
    """A frame of the examples for each of T frames. cost: of a frame, on the mean, transitions included."""

    frames: Indices
    cost: float


def cheapest_match(costs: Float32, clips: NDArray[np.integer], jumps: Jumps | None) -> Match:
    """Return the cheapest path.

    costs: `(T, N)` of each pair of frames; clips: `(N,)` the clip of each frame of the examples; jumps: None for a path
    without transitions.
    """
    length, count = costs.shape
    index = np.arange(count)
    begins = np.concatenate(([True], np.diff(clips) != 0))
    since = index - np.maximum.accumulate(np.where(begins, index, 0))
    came = np.empty((length, count), np.int32)
    best = costs[0].copy()
    for frame in range(1, length):
        arrived = np.full(count, np.inf, np.float32)
        source = index.copy()
        for step, step_cost in STEPS:
            going_on = np.full(count, np.inf, np.float32)
            going_on[step:] = best[: count - step] + np.float32(step_cost)
            cheaper = (going_on < arrived) & (since >= step)
            arrived, source = np.where(cheaper, going_on, arrived), np.where(cheaper, index - step, source)
        if jumps is not None:
            jumping = best[jumps.sources] + jumps.costs
            kind = np.argmin(jumping, axis=1)
            cheaper = jumping[index, kind] < arrived
            arrived = np.where(cheaper, jumping[index, kind], arrived)
            source = np.where(cheaper, jumps.sources[index, kind], source)
        came[frame] = source
        best = arrived + costs[frame]
    path = np.empty(length, np.int64)
    path[-1] = int(np.argmin(best))
    for frame in range(length - 1, 0, -1):
        path[frame - 1] = came[frame, path[frame]]
    return Match(path, float(best[path[-1]]) / length)
