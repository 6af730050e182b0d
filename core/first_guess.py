# SPDX-License-Identifier: GPL-3.0-or-later
"""The first guess: a tour through the examples at their own speed, in a new order.

It plays runs of the examples, cuts where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance. Of several tours the best is kept.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cuts import Bounds, Cuts

SHORTEST_RUN_SECONDS = 0.8
USUAL_RUN_SECONDS = 2.5
"""A cut's cost counts whole for a run of this length, less for a longer one: what matters is cost per second."""
LONGEST_RUN_SECONDS = 5.0
LONGEST_SHARE = 0.75
"""No run shows more than this share of all examples: copying is not synthesis."""
OUTLOOK_SECONDS = 1.5
"""How far ahead the tour looks for what is still to be shown."""
PULL = 32.0
"""What it is worth, in cut cost, to show motion that was shown once too seldom."""
CUT_COST = 4.0
"""What a cut costs that nobody sees."""
CHANCE = 2.0
"""Spread of the random part of each choice, in cut cost."""

CANDIDATES = 16
"""Of how many tours the best is kept; fewer for very long results, which even out by themselves."""
CANDIDATE_FRAMES = 4000
"""Stage frames planned in all for one result, as far as more than one tour is planned."""
UNSEEN_WEIGHT = 100.0
"""What it costs a tour, in cut cost per second, to leave the examples unseen."""
PACE_WEIGHT = 60.0
"""What it costs a tour to move twice as fast as the examples on the whole."""

FADE_SECONDS = 0.4
"""How long the way across a cut takes, about."""

GOLDEN_RATIO = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class Landscape:
    """What a tour needs to know of the examples' N stage frames.

    begins, ends: `(N,)` where the example of each frame begins and ends. poses: `(N, J, 3)` where the joints are, seen
    from the root. paces: `(N,)` how far they move per frame of the full rate, on the mean. shortest, usual `(N,)`,
    longest, outlook: lengths of runs, in stage frames. rate, full_rate: stage frames and full frames per second.
    """

    cuts: Cuts
    ends: NDArray[np.int64]
    begins: NDArray[np.int64]
    poses: NDArray[np.float32]
    paces: NDArray[np.float32]
    shortest: int
    usual: NDArray[np.floating]
    longest: int
    outlook: int
    rate: float
    full_rate: float


def survey(
    cuts: Cuts, poses: NDArray[np.float32], paces: NDArray[np.float32], bounds: Bounds, rate: float, full_rate: float
) -> Landscape:
    """The landscape of N stage frames at `rate` per second, of `full_rate` frames. poses, paces: see Landscape."""
    total = bounds.frames
    example = bounds.example_of(np.arange(total))
    shortest = max(1, min(round(SHORTEST_RUN_SECONDS * rate), total // 3))
    ends, begins = bounds.ends[example], bounds.starts[example]
    return Landscape(
        cuts=cuts,
        ends=ends,
        begins=begins,
        poses=poses,
        paces=paces,
        shortest=shortest,
        usual=np.minimum(USUAL_RUN_SECONDS * rate, (ends - begins) / 2),
        longest=max(shortest + 1, min(round(LONGEST_RUN_SECONDS * rate), round(LONGEST_SHARE * total))),
        outlook=max(1, min(round(OUTLOOK_SECONDS * rate), total)),
        rate=rate,
        full_rate=full_rate,
    )


def plan_tour(landscape: Landscape, frames: int, seed: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Which example frame `(F,)` each of `frames` stage frames shows.

    Neighbouring seeds begin far apart: at multiples of the golden ratio of the examples' length.
    """
    beginnings = np.flatnonzero(landscape.ends - np.arange(len(landscape.ends)) >= landscape.shortest)
    first = int(beginnings[int(seed * GOLDEN_RATIO % 1.0 * len(beginnings))])
    count = min(max(CANDIDATE_FRAMES // frames, 1), CANDIDATES)
    tours = [_wander(landscape, frames, first, random) for _ in range(count)]
    return min(tours, key=lambda tour: price(landscape, tour))


def _wander(landscape: Landscape, frames: int, first: int, random: np.random.Generator) -> NDArray[np.int64]:
    total = len(landscape.ends)
    visits = np.zeros(total)
    runs: list[NDArray[np.int64]] = []
    current, shown = first, 0
    while shown < frames:
        left = frames - shown
        if left <= landscape.shortest and landscape.ends[current] - current >= left:
            runs.append(np.arange(current, current + left))
            break
        last, target = _next_cut(landscape, current, left, shown / total - visits, random)
        run = np.arange(current, last + 1)
        visits += landscape.cuts.alikeness[:, run].sum(axis=1)
        runs.append(run)
        shown += len(run)
        current = target
    return np.concatenate(runs)[:frames]


def _next_cut(
    landscape: Landscape, current: int, left: int, lack: NDArray[np.float64], random: np.random.Generator
) -> tuple[int, int]:
    """The last frame of the run that begins at `current`, and where to go on.

    left: how many frames are still to be filled, which no run may leave too short to be one.
    lack: `(N,)` by how many visits each frame falls short of its share.
    """
    total, end = len(lack), int(landscape.ends[current])
    frames = np.arange(total)
    last = np.arange(min(current + landscape.shortest, end) - 1, min(current + landscape.longest, end))
    remainder = left - (last + 1 - current)
    whole = (remainder <= 0) | (remainder >= landscape.shortest)
    last = last[whole] if whole.any() else last[:1]
    sums = np.concatenate((np.zeros(1), np.cumsum(lack)))
    ahead = (sums[np.minimum(frames + landscape.outlook, landscape.ends)] - sums[frames]) / landscape.outlook
    along = (sums[last + 1] - sums[current]) / (last + 1 - current)
    # What lies between a cut and the near end of an example is hard to come back to.
    stranded_before = np.where(frames - landscape.begins < landscape.usual, sums[frames] - sums[landscape.begins], 0.0)
    stranded_after = np.where(end - 1 - last < landscape.usual[current], sums[end] - sums[last + 1], 0.0)
    leave = along - np.maximum(stranded_after, 0.0) / landscape.usual[current]
    arrive = ahead - np.maximum(stranded_before, 0.0) / landscape.usual
    share = landscape.usual[current] / (last + 1 - current)
    score = PULL * (leave[:, None] + arrive) - (CUT_COST + landscape.cuts.costs[last] ** 2) * share[:, None]
    score += CHANCE * (random.gumbel(size=(len(last), 1)) + random.gumbel(size=total))
    score[:, landscape.ends - frames < landscape.usual] = -np.inf
    row, target = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(last[row]), int(target)


def price(landscape: Landscape, tour: NDArray[np.int64]) -> float:
    """What is wrong with a tour: its cuts' cost per second, what it leaves unseen, a pace that is not the examples'."""
    leaves = np.flatnonzero((np.diff(tour) != 1) | (landscape.ends[tour[1:]] != landscape.ends[tour[:-1]]))
    costs = landscape.cuts.costs[tour[leaves], tour[leaves + 1]]
    cutting = float(np.sum(CUT_COST + costs**2)) / (len(tour) / landscape.rate)
    seen = landscape.cuts.alikeness @ np.bincount(tour, minlength=len(landscape.ends))
    expected = min(1.0, len(tour) / len(landscape.ends))
    unseen = float(np.mean(np.maximum(expected - seen, 0.0)))
    pace = _pace(landscape, tour, leaves)
    return cutting + UNSEEN_WEIGHT * unseen + PACE_WEIGHT * abs(float(np.log2(max(pace, 1e-9))))


def _pace(landscape: Landscape, tour: NDArray[np.int64], leaves: NDArray[np.int64]) -> float:
    """How fast the tour moves on the mean, in the examples' mean: its frames, and the way across its cuts."""
    mean = float(np.mean(landscape.paces))
    if mean <= 0:
        return 1.0
    gaps = landscape.poses[tour[leaves]] - landscape.poses[tour[leaves + 1]]
    gap = np.linalg.norm(gaps, axis=2).mean(axis=1)
    # What the body moves during a fade anyway covers part of the way.
    own = FADE_SECONDS * landscape.full_rate * landscape.paces[tour[leaves]]
    across = float(np.sum(np.hypot(gap, own) - own))
    return (float(np.sum(landscape.paces[tour])) + across / landscape.full_rate * landscape.rate) / (mean * len(tour))
