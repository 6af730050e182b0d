# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment of two chains of joints that keeps their order, by dynamic programming over the pairs of joints."""

import numpy as np

from ...arrays import Array

MOST_UNLIKE = 2.0
"""Largest cost of two joints or branches that are matched: the logarithm of the ratio of their distances or lengths,
or the distance of their unit vectors, which is 2 for opposite ones. The confidence is then 0.14."""


def align(costs: Array) -> list[tuple[int, int]]:
    """Return the pairs, in order, of the joints of two chains; joints of the longer one are left out without a cost.

    costs: `(N, M)` of the pairs, of which the least total counts; a joint of the shorter chain may be left out at
    MOST_UNLIKE.
    """
    count, other_count = costs.shape
    if count > other_count:
        return [(one, other) for other, one in align(costs.T)]
    totals = np.zeros((count + 1, other_count + 1))
    totals[:, 0] = MOST_UNLIKE * np.arange(count + 1)
    for i in range(1, count + 1):
        for j in range(1, other_count + 1):
            without = min(totals[i, j - 1], totals[i - 1, j] + MOST_UNLIKE)
            totals[i, j] = min(without, totals[i - 1, j - 1] + costs[i - 1, j - 1])
    pairs: list[tuple[int, int]] = []
    i, j = count, other_count
    while i > 0 and j > 0:
        if totals[i, j] == totals[i, j - 1]:
            j -= 1
        elif totals[i, j] == totals[i - 1, j] + MOST_UNLIKE:
            i -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
