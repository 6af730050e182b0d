# SPDX-License-Identifier: GPL-3.0-or-later
"""The first guess: a tour through the examples at their own speed, in a new order.

It plays runs of the examples, cuts where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance.
"""

import numpy as np
from numpy.typing import NDArray

from .cuts import Bounds, Cuts

SHORTEST_RUN_SECONDS = 0.8
LONGEST_RUN_SECONDS = 4.0
OUTLOOK_SECONDS = 1.5
"""How far ahead the tour looks for what is still to be shown."""
PULL = 8.0
"""How many units of cut cost it is worth to reach a second of motion that was shown once too seldom."""
CHANCE = 0.6
"""Spread of the random part of each choice, in units of cut cost."""

GOLDEN_RATIO = 0.6180339887498949


def plan_tour(
    cuts: Cuts, bounds: Bounds, frames: int, rate: float, seed: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Which example frame `(F,)` each of `frames` stage frames shows, at `rate` stage frames per second.

    Neighbouring seeds begin far apart: at multiples of the golden ratio of the examples' length.
    """
    total = bounds.frames
    shortest = max(1, min(round(SHORTEST_RUN_SECONDS * rate), total // 3))
    longest = max(shortest + 1, min(round(LONGEST_RUN_SECONDS * rate), round(0.75 * total)))
    outlook = max(1, min(round(OUTLOOK_SECONDS * rate), total))
    ends = bounds.ends[bounds.example_of(np.arange(total))]
    visits = np.zeros(total)
    current = int((seed * GOLDEN_RATIO + random.random() / (4 * total)) % 1.0 * total)
    tour: list[NDArray[np.int64]] = []
    shown = 0
    while shown < frames:
        end = int(ends[current])
        if end - current >= frames - shown and frames - shown <= shortest:
            tour.append(np.arange(current, current + frames - shown))
            break
        last = np.arange(min(current + shortest, end) - 1, min(current + longest, end))
        wanted = _lack(visits, ends, outlook, shown / total)
        # A candidate run is judged by all it shows, not by its last frame.
        sums = np.concatenate((np.zeros(1), np.cumsum(shown / total - visits)))
        along = (sums[last + 1] - sums[current]) / (last + 1 - current)
        score = PULL * (wanted + np.minimum(along, 1.0)[:, None]) - cuts.costs[last]
        score += CHANCE * (random.gumbel(size=(len(last), 1)) + random.gumbel(size=total))
        row, target = np.unravel_index(int(np.argmax(score)), score.shape)
        run = np.arange(current, int(last[row]) + 1)
        tour.append(run)
        visits[run] += 1
        shown += len(run)
        current = int(target)
    return np.concatenate(tour)[:frames]


def _lack(
    visits: NDArray[np.float64], ends: NDArray[np.int64], outlook: int, expected: float
) -> NDArray[np.float64]:
    """By how many visits `(N,)` what follows each frame falls short of its share, over the outlook."""
    sums = np.concatenate((np.zeros(1), np.cumsum(expected - visits)))
    frames = np.arange(len(visits))
    until = np.minimum(frames + outlook, ends)
    return (sums[until] - sums[frames]) / outlook
