# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment of two chains of joints that keeps their order: dynamic programming over the pairs of joints.

A pair's cost comes from how long both stretches from the pair before are and what both joints look like; a joint that
the other chain does not have is left out at a cost.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

LEFT_OUT = 0.6
BEYOND = 0.3
SHORT = 0.1
FIRST = 0.3
PLACE = 1.0
RATIO = 0.3
SCALES = np.exp(np.linspace(-0.5, 0.5, 11))
SCALING = 0.3
SAME_SCALE = np.ones(1)


def align(places: Array, others: Array, costs: Array, scales: Array = SCALES) -> tuple[list[tuple[int, int]], Array]:
    """Return the pairs of joints of two chains, in order, and the costs `(P,)` of these pairs.

    places, others: `(N,)`, `(M,)` distances along the chains from the joint that carries them, as shares of their
    lengths. costs: `(N, M)` of the pairs by what the joints look like. scales: `(S,)` of the other chain, of which the
    best counts.
    """
    count, other_count = costs.shape
    many = len(scales)
    scaled = others[None] * scales[:, None]
    totals = np.full((count + 1, other_count + 1, many), np.inf)
    totals[0, 0] = SCALING * np.abs(np.log(scales))
    steps = np.zeros((count + 1, other_count + 1, many), np.int64)
    own = np.zeros((count + 1, other_count + 1, many))
    starts, other_starts = np.concatenate(([0.0], places)), np.concatenate((np.zeros((many, 1)), scaled), axis=1)
    for i in range(1, count + 1):
        ahead = np.log(places[i - 1] - starts[:i] + SHORT)
        skipped = LEFT_OUT * (i - 1 - np.arange(i))
        for j in range(1, other_count + 1):
            there = np.log(scaled[:, j - 1, None] - other_starts[:, :j] + SHORT)
            ratios = RATIO * np.abs(ahead[:, None, None] - there.T[None])
            ratios[0, 0] *= FIRST
            step = ratios + skipped[:, None, None] + (LEFT_OUT * (j - 1 - np.arange(j)))[None, :, None]
            options = (totals[:i, :j] + step).reshape(i * j, many)
            best = np.argmin(options, axis=0)
            here = costs[i - 1, j - 1] + PLACE * np.abs(places[i - 1] - scaled[:, j - 1])
            totals[i, j] = np.take_along_axis(options, best[None], 0)[0] + here
            own[i, j] = here + np.take_along_axis(ratios.reshape(i * j, many), best[None], 0)[0]
            steps[i, j] = (best // j) * (other_count + 1) + best % j
    beyond = BEYOND * ((count - np.arange(count + 1))[:, None] + (other_count - np.arange(other_count + 1)))
    ends = (totals + beyond[..., None]).reshape(-1, many)
    ends[0] = np.inf
    place, number = (int(value) for value in np.unravel_index(int(np.argmin(ends)), ends.shape))
    pairs: list[tuple[int, int]] = []
    values: list[float] = []
    while place > 0:
        i, j = divmod(place, other_count + 1)
        pairs.append((i - 1, j - 1))
        values.append(float(own[i, j, number]))
        place = int(steps[i, j, number])
    return pairs[::-1], np.array(values[::-1])
