# SPDX-License-Identifier: GPL-3.0-or-later
"""The first guess: a tour through the examples at their own speed, in a new order.

It plays runs of the examples, cuts where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance. Of several tours the best is kept.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .cuts import Bounds, Cuts
from .settings import Settings

SHORTEST_RUN_SECONDS = 0.8
USUAL_RUN_SECONDS = 2.5
"""A cut's cost counts whole for a run of this length, less for a longer one: what matters is cost per second."""
LONGEST_RUN_SECONDS = 5.0
LONGEST_SHARE = 0.75
"""No run shows more than this share of all examples: copying is not synthesis."""
OUTLOOK_SECONDS = 1.5
"""How far ahead the tour looks for what is still to be shown."""
PULL = 48.0
"""What it is worth, in cut cost, to show motion that was shown once too seldom."""
WEAKEST_PULL = 6.0
USUAL_PATCH = 11
USUAL_COMPLETENESS = 0.01
"""The paper's p and alpha, for which the values here are meant."""
CUT_COST = 4.0
"""What a cut costs that nobody sees."""
TASTE = 3.0
"""How much more or less a cut costs to the taste of a seed, on the mean."""
CHANCE = 2.0
"""Spread of the random part of each choice, in cut cost."""

CANDIDATES = 16
"""Of how many tours the best is kept; fewer for very long results, which even out by themselves."""
CANDIDATE_FRAMES = 4000
"""Stage frames planned in all for one result, as far as more than one tour is planned."""
SEEN_ENOUGH = 0.1
"""While the best tour leaves more than this share of the examples unseen, further ones are tried ..."""
PATIENCE = 3
"""... up to this many times as many."""
UNSEEN_WEIGHT = 150.0
"""What it costs a tour, in cut cost per second, to leave the examples unseen."""
PACE_WEIGHT = 100.0
"""What it costs a tour to move twice as fast as the examples on the whole."""

HEADING_COST = 16.0
"""What it costs a cut to leave the result facing a right angle away from where the example faced."""
HEADING_WEIGHT = 20.0
"""The same for a tour throughout, in cut cost per second."""
SEEN_WITHIN = 0.25
"""Radians by which a motion may be turned and still counts, half, as shown."""
MOST_LACK = 1.5
"""More than this many visits short is not more urgent."""
PACE_LACK = 4.0
"""See _wander."""
FADE_SECONDS = 0.4
"""How long the way across a cut takes, about."""

GOLDEN_RATIO = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class Sampled:
    """The examples' bodies at N stage frames.

    poses: `(N, J, 3)` where the joints are, seen from the root. headings: `(N,)` radians, which way they face; zero
    where that is kept anyway. paces: `(N,)` how far the joints move per frame of the full rate, on the mean.
    """

    poses: NDArray[np.float32]
    headings: NDArray[np.float32]
    paces: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Landscape:
    """What a tour needs to know of the examples' N stage frames.

    prices: `(N, N)` what each cut counts: its squared cost, since two visible cuts are better than one that hurts.
    alikeness: `(N, N)` how much of the row's frame is seen when the column's is shown, rows summing to one.
    begins, ends: `(N,)` where the example of each frame begins and ends. sampled: the bodies. shortest, usual `(N,)`,
    longest, outlook: lengths of runs, in stage frames. rate, full_rate: stage frames and full frames per second.
    pull, noise: how strongly a tour is drawn to what is unseen, and how much is left to chance.
    """

    cuts: Cuts
    prices: NDArray[np.float32]
    alikeness: NDArray[np.float32]
    ends: NDArray[np.int64]
    begins: NDArray[np.int64]
    sampled: Sampled
    shortest: int
    usual: NDArray[np.floating]
    longest: int
    outlook: int
    rate: float
    full_rate: float
    pull: float
    noise: float


def survey(
    cuts: Cuts, sampled: Sampled, bounds: Bounds, rate: float, full_rate: float, settings: Settings
) -> Landscape:
    """The landscape of N stage frames at `rate` per second, of `full_rate` frames.

    Larger patches make longer runs, a smaller alpha pulls harder, more noise leaves more to chance.
    """
    scale = settings.patch_frames / USUAL_PATCH
    total = bounds.frames
    example = bounds.example_of(np.arange(total))
    shortest = max(1, min(round(scale * SHORTEST_RUN_SECONDS * rate), total // 3))
    ends, begins = bounds.ends[example], bounds.starts[example]
    return Landscape(
        cuts=cuts,
        prices=CUT_COST + cuts.costs**2,
        alikeness=_facing_alike(cuts.alikeness, sampled.headings),
        ends=ends,
        begins=begins,
        sampled=sampled,
        shortest=shortest,
        usual=np.minimum(scale * USUAL_RUN_SECONDS * rate, (ends - begins) / 2),
        longest=max(shortest + 1, min(round(scale * LONGEST_RUN_SECONDS * rate), round(LONGEST_SHARE * total))),
        outlook=max(1, min(round(OUTLOOK_SECONDS * rate), total)),
        rate=rate,
        full_rate=full_rate,
        pull=_pull(settings.completeness),
        noise=settings.noise,
    )


def _facing_alike(alikeness: NDArray[np.float32], headings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Alikeness `(N, N)` of frames that also face the same way, rows summing to one."""
    facing = alikeness * _same_heading(headings[:, None] - headings)
    return np.asarray(facing / facing.sum(axis=1, keepdims=True), np.float32)


def _same_heading(turned: NDArray[np.floating]) -> NDArray[np.floating]:
    """How much 0 to 1 of a motion is seen when it is shown turned by an angle; nothing when it faces elsewhere."""
    return np.asarray(np.exp((np.cos(turned) - 1.0) / SEEN_WITHIN**2))


def commonest_turn(turned: NDArray[np.floating]) -> float:
    """The angle by which most of a result is turned away from its sources, radians."""
    if not turned.any():
        return 0.0
    candidates = np.linspace(-np.pi, np.pi, 72, endpoint=False)
    # Quarter-degree steps are finer than anybody sees; most frames share a few values.
    values, counts = np.unique(np.round(turned, 3), return_counts=True)
    agreement = _same_heading(values - candidates[:, None]) @ counts
    near = _same_heading(values - candidates[int(np.argmax(agreement))]) * counts
    centre = candidates[int(np.argmax(agreement))]
    away = (values - centre + np.pi) % (2 * np.pi) - np.pi
    return float(centre + np.sum(away * near) / np.sum(near))


def _pull(completeness: float | None) -> float:
    """How strongly a tour is drawn to what it has not shown, for an alpha; plain matching still is, a little."""
    if completeness is None:
        return WEAKEST_PULL
    return max(PULL * float((USUAL_COMPLETENESS / completeness) ** 0.25), WEAKEST_PULL)


def plan_tour(landscape: Landscape, frames: int, seed: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Which example frame `(F,)` each of `frames` stage frames shows.

    Neighbouring seeds begin far apart: at multiples of the golden ratio of the examples' length.
    """
    beginnings = np.flatnonzero(landscape.ends - np.arange(len(landscape.ends)) >= landscape.shortest)
    first = int(beginnings[int(seed * GOLDEN_RATIO % 1.0 * len(beginnings))])
    count = min(max(CANDIDATE_FRAMES // frames, 1), CANDIDATES)
    # Each seed has a taste of its own for where to cut, or all would end with the one best tour.
    total = len(landscape.ends)
    taste = np.add.outer(random.standard_exponential(total), random.standard_exponential(total))
    tasted = replace(landscape, prices=landscape.prices + (landscape.noise * TASTE * taste).astype(np.float32))
    best, least = np.empty(0, np.int64), np.inf
    for attempt in range(count * PATIENCE):
        # Every other tour minds its pace while it goes; which way is better, the examples decide.
        tour = _wander(tasted, frames, first, PACE_LACK * (attempt % 2), random)
        cost = price(tasted, tour)
        if cost < least:
            best, least = tour, cost
        if attempt >= count - 1 and _unseen(tasted, best) <= SEEN_ENOUGH:
            break
    return best


def _wander(
    landscape: Landscape, frames: int, first: int, pace_lack: float, random: np.random.Generator
) -> NDArray[np.int64]:
    """One tour that begins at frame `first`.

    pace_lack: how many visits short a frame counts that would bring a tour twice too quick back to the examples' pace.
    """
    total = len(landscape.ends)
    paces = landscape.sampled.paces / max(float(np.mean(landscape.sampled.paces)), 1e-9)
    visits = np.zeros(total)
    runs: list[NDArray[np.int64]] = []
    current, shown, turned, moved = first, 0, 0.0, 0.0
    while shown < frames:
        left = frames - shown
        if left <= landscape.shortest and landscape.ends[current] - current >= left:
            runs.append(np.arange(current, current + left))
            break
        lack = np.minimum(shown / total - visits, MOST_LACK)
        if shown:
            lack = lack - pace_lack * (moved / shown - 1.0) * (paces - 1.0)
        last, target = _next_cut(landscape, current, left, turned, lack, random)
        run = np.arange(current, last + 1)
        visits += landscape.alikeness[:, run].sum(axis=1) * _same_heading(np.array(turned))
        runs.append(run)
        shown += len(run)
        moved += float(paces[run].sum())
        turned += float(landscape.sampled.headings[last] - landscape.sampled.headings[target])
        current = target
    return np.concatenate(runs)[:frames]


def _next_cut(
    landscape: Landscape,
    current: int,
    left: int,
    turned: float,
    lack: NDArray[np.float64],
    random: np.random.Generator,
) -> tuple[int, int]:
    """The last frame of the run that begins at `current`, and where to go on.

    left: how many frames are still to be filled, which no run may leave too short to be one. turned: how far the result
    faces away from the example, radians.
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
    # Shown turned, what is still to be seen is not seen.
    turns = turned + landscape.sampled.headings[last][:, None] - landscape.sampled.headings
    gain = leave[:, None] * _same_heading(np.array(turned)) + arrive * _same_heading(turns)
    score = landscape.pull * gain - landscape.prices[last] * share[:, None]
    score -= HEADING_COST * (
        1.0 - np.cos(turned + landscape.sampled.headings[last][:, None] - landscape.sampled.headings)
    )
    score += landscape.noise * CHANCE * (random.gumbel(size=(len(last), 1)) + random.gumbel(size=total))
    score[:, landscape.ends - frames < landscape.usual] = -np.inf
    row, target = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(last[row]), int(target)


def price(landscape: Landscape, tour: NDArray[np.int64]) -> float:
    """What is wrong with a tour: its cuts' cost per second, what it leaves unseen, a foreign pace or heading."""
    leaves = _leaves(landscape, tour)
    cutting = float(np.sum(landscape.prices[tour[leaves], tour[leaves + 1]])) / (len(tour) / landscape.rate)
    facing = HEADING_WEIGHT * float(np.mean(1.0 - np.cos(_turned(landscape, tour))))
    pace = PACE_WEIGHT * abs(float(np.log2(max(_pace(landscape, tour, leaves), 1e-9))))
    return cutting + facing + pace + UNSEEN_WEIGHT * _unseen(landscape, tour)


def _leaves(landscape: Landscape, tour: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frames of the tour after which it cuts."""
    return np.flatnonzero((np.diff(tour) != 1) | (landscape.ends[tour[1:]] != landscape.ends[tour[:-1]]))


def _turned(landscape: Landscape, tour: NDArray[np.int64]) -> NDArray[np.floating]:
    """How far `(F,)` the result faces away from the example at each frame, radians, once it is turned as a whole."""
    leaves = _leaves(landscape, tour)
    turns = np.cumsum(landscape.sampled.headings[tour[leaves]] - landscape.sampled.headings[tour[leaves + 1]])
    turned = np.repeat(np.append(0.0, turns), np.diff(np.concatenate(([0], leaves + 1, [len(tour)]))))
    return turned - commonest_turn(turned)


def _unseen(landscape: Landscape, tour: NDArray[np.int64]) -> float:
    """The share of the examples that a tour does not show, as far as it is long enough to."""
    shown = np.bincount(tour, weights=_same_heading(_turned(landscape, tour)), minlength=len(landscape.ends))
    expected = min(1.0, len(tour) / len(landscape.ends))
    return float(np.mean(np.maximum(expected - landscape.alikeness @ shown, 0.0)))


def _pace(landscape: Landscape, tour: NDArray[np.int64], leaves: NDArray[np.int64]) -> float:
    """How fast the tour moves on the mean, in the examples' mean: its frames, and the way across its cuts."""
    mean = float(np.mean(landscape.sampled.paces))
    if mean <= 0:
        return 1.0
    gaps = landscape.sampled.poses[tour[leaves]] - landscape.sampled.poses[tour[leaves + 1]]
    gap = np.linalg.norm(gaps, axis=2).mean(axis=1)
    # What the body moves during a fade anyway covers part of the way.
    own = FADE_SECONDS * landscape.full_rate * landscape.sampled.paces[tour[leaves]]
    across = float(np.sum(np.hypot(gap, own) - own))
    return (float(np.sum(landscape.sampled.paces[tour])) + across / landscape.full_rate * landscape.rate) / (
        mean * len(tour)
    )
