# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs: unbroken stretches of an example, and the path through them that most patches vote for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .blending import count_votes
from .cuts import Bounds, Cuts, movement_unit

Rows = NDArray[np.float32]

CUT_COST = 2.0
"""A cut must win this many frames' worth of votes ..."""
COST_OF_UNIT = 1.0
"""... and this many more for each unit of its cost."""
OUT_OF_PHASE = 3.0
"""How many times what is invisible a cut must be worse in a result's own phase for it to leave it."""
INVISIBLE = 0.4
"""Cuts whose costs differ by less than this are as good as equal."""
HELD_VOTES = 1e4
"""Votes against leaving the held beginning; not infinite, so that one which leads nowhere still leads on."""
VOTE_BLOCK = 2048


@dataclass(frozen=True, eq=False)
class Runs:
    """An output of `frames` frames as R runs.

    starts: `(R,)` output frames at which the runs begin, ascending from 0.
    sources: `(R,)` the example frame (of all examples, one after another) shown at each start.
    """

    starts: NDArray[np.int64]
    sources: NDArray[np.int64]
    frames: int

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How long `(R,)` the runs are."""
        return np.diff(np.append(self.starts, self.frames))

    def source_frames(self) -> NDArray[np.int64]:
        """The example frame `(F,)` of each output frame."""
        return np.arange(self.frames) + np.repeat(self.sources - self.starts, self.lengths)

    @classmethod
    def of_path(cls, path: NDArray[np.int64], bounds: Bounds) -> "Runs":
        """The runs of a path `(F,)` of example frames."""
        broken = np.diff(path) != 1
        broken |= np.diff(bounds.example_of(path)) != 0
        starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(broken) + 1))
        return cls(starts, path[starts], len(path))


@dataclass(frozen=True)
class Phase:
    """A result's own share of all alignments with the examples.

    After a cut, output frame t preferably shows example frames n where n - t leaves the remainder `own` by `count`, so
    that results of different phases do not show the same frame at the same time, though they cut in the same places.
    """

    own: int = 0
    count: int = 1


@dataclass(frozen=True, eq=False)
class Demand:
    """What is wanted of a path at some of its frames: how many votes are against each example frame there.

    table: `(K, n)`. rows: `(F,)` which row of the table each stage frame goes by; -1: none.
    """

    table: Rows
    rows: NDArray[np.int64]

    def against(self, path: NDArray[np.int64]) -> NDArray[np.float32]:
        """The votes `(F,)` against each frame of a path."""
        return np.where(self.rows >= 0, self.table[self.rows, path], np.float32(0.0))


def likeliest_path(
    chosen: NDArray[np.int64],
    length: int,
    cuts: Cuts,
    bounds: Bounds,
    tour: NDArray[np.int64],
    trust: float,
    held: int = 1,
    demands: Sequence[Demand] = (),
) -> NDArray[np.int64]:
    """The example frame `(F,)` for each stage frame: most votes, fewest and cheapest cuts (Viterbi 1967).

    chosen: `(F - p + 1,)` the patches' starts. length: p. tour: `(F,)` the first guess, which has `trust`
    votes of its own, and whose first `held` frames are kept.
    """
    total, frames = bounds.frames, len(tour)
    price = CUT_COST + COST_OF_UNIT * cuts.source_costs
    came_from = np.empty((frames, total), np.int32)
    best = np.zeros(total, np.float32)
    before = np.arange(total) - 1
    first = bounds.starts
    index = np.arange(total)
    for block in range(0, frames, VOTE_BLOCK):
        votes = _votes_of_block(chosen, length, total, block, min(block + VOTE_BLOCK, frames))
        for frame, vote in enumerate(votes, start=block):
            if frame > 0:
                by_cut = best[cuts.sources] + price
                cheapest = by_cut.argmin(axis=1)
                cut = by_cut[index, cheapest]
                stay = np.empty_like(best)
                stay[1:] = best[:-1]
                stay[first] = np.inf
                cutting = cut < stay
                came_from[frame] = np.where(cutting, cuts.sources[index, cheapest], before)
                best = np.where(cutting, cut, stay)
                best -= best.min()
            if frame < held:
                best[index != tour[frame]] += HELD_VOTES
            best = best - vote
            best[tour[frame]] -= trust
            for demand in demands:
                if demand.rows[frame] >= 0:
                    best = best + demand.table[demand.rows[frame]]
    return _trace(came_from, int(best.argmin()))


def _votes_of_block(chosen: NDArray[np.int64], length: int, total: int, first: int, last: int) -> Rows:
    low, high = max(first - length + 1, 0), min(last, len(chosen))
    return count_votes(chosen[low:high], length, total)[first - low : last - low]


def _trace(came_from: NDArray[np.int32], last: int) -> NDArray[np.int64]:
    path = np.empty(len(came_from), np.int64)
    path[-1] = last
    for frame in range(len(path) - 1, 0, -1):
        path[frame - 1] = came_from[frame, path[frame]]
    return path


def without_short_runs(runs: Runs, bounds: Bounds, shortest: int) -> Runs:
    """The runs, those below `shortest` frames filled by a neighbor that can go on as long."""
    starts, sources = list(runs.starts), list(runs.sources)
    index = 0
    while index < len(starts) and len(starts) > 1:
        end = starts[index + 1] if index + 1 < len(starts) else runs.frames
        length = end - starts[index]
        if length >= shortest:
            index += 1
        elif index > 0 and _can_show(bounds, sources[index - 1], end - starts[index - 1]):
            del starts[index], sources[index]
            index = max(index - 1, 0)
        elif index + 1 < len(starts) and _can_show(bounds, sources[index + 1] - length, length + 1):
            starts[index + 1], sources[index + 1] = starts[index], sources[index + 1] - length
            del starts[index], sources[index]
        else:
            index += 1
    return Runs(np.array(starts), np.array(sources), runs.frames)


def _can_show(bounds: Bounds, source: int, length: int) -> bool:
    """Whether `length` frames from `source` on lie within one example."""
    last = source + length - 1
    if source < 0 or last >= bounds.frames:
        return False
    first, second = bounds.example_of(np.array((source, last)))
    return bool(first == second)


def at_full_rate(stage: Runs, stage_bounds: Bounds, bounds: Bounds, frames: int, shift: int = 0) -> Runs:
    """Runs of a stage told in frames of the full rate: `frames` of them, every run at the example's own speed.

    shift: by how many frames all runs show their example later, where it has as many.
    """
    starts = np.round(stage.starts * (frames / stage.frames)).astype(np.int64)
    starts, order = np.unique(starts, return_index=True)
    lengths = np.diff(np.append(starts, frames))
    middles = stage.sources[order] + (stage.lengths[order] - 1) / 2
    example = stage_bounds.example_of(stage.sources[order])
    share = (middles + 0.5 - stage_bounds.starts[example]) / (stage_bounds.ends - stage_bounds.starts)[example]
    full_lengths = (bounds.ends - bounds.starts)[example]
    sources = np.round(share * full_lengths - lengths / 2).astype(np.int64) + shift
    sources = np.clip(sources, 0, np.maximum(full_lengths - lengths, 0)) + bounds.starts[example]
    return _within_examples(Runs(starts, sources, frames), bounds)


def _within_examples(runs: Runs, bounds: Bounds) -> Runs:
    """Runs longer than their example (by rounding) begun again from its start."""
    starts, sources = [], []
    for start, source, length in zip(runs.starts, runs.sources, runs.lengths, strict=True):
        example = int(bounds.example_of(np.array(source)))
        while length > 0:
            piece = min(length, int(bounds.ends[example]) - int(source))
            starts.append(start)
            sources.append(source)
            start, length, source = start + piece, length - piece, bounds.starts[example]
    return Runs(np.array(starts), np.array(sources), runs.frames)


def refine_cuts(
    runs: Runs,
    rows: Rows,
    bounds: Bounds,
    rate: float,
    half: int,
    reach: int,
    phase: Phase,
    random: np.random.Generator,
    fixed: NDArray[np.bool_] | None = None,
) -> Runs:
    """The same runs with each cut at the cheapest frame nearby, at the full rate.

    The moment of a cut and the place it leads to each move by up to `reach` frames; half: see window_costs;
    rate: frames per second. Among cuts that are about as cheap, chance decides. fixed: `(R,)` the runs that must go on
    showing each frame when they do.
    """
    starts, sources = runs.starts.copy(), runs.sources.copy()
    blur = 2 * half * (INVISIBLE * movement_unit(rows, bounds, rate)) ** 2
    for index in range(1, len(starts)):
        previous = (int(starts[index - 1]), int(sources[index - 1]))
        following = int(starts[index + 1]) if index + 1 < len(starts) else runs.frames
        starts[index], sources[index] = _best_cut(
            rows,
            bounds,
            half,
            reach,
            previous,
            (int(starts[index]), int(sources[index])),
            following,
            blur,
            phase,
            random,
            fixed is not None and bool(fixed[index]),
        )
    return Runs(starts, sources, runs.frames)


def _best_cut(
    rows: Rows,
    bounds: Bounds,
    half: int,
    reach: int,
    previous: tuple[int, int],
    cut: tuple[int, int],
    following: int,
    blur: float,
    phase: Phase,
    random: np.random.Generator,
    fixed: bool,
) -> tuple[int, int]:
    """The cheapest (output frame, example frame) for one cut, given the run before and where the next one begins."""
    start, source = cut
    leave = previous[1] + start - 1 - previous[0]
    out_end = int(bounds.ends[bounds.example_of(np.array(leave))])
    example = int(bounds.example_of(np.array(source)))
    # Neither run loses more than a quarter of its length, so that there is room for a fade.
    back = min(reach, (start - previous[0]) // 4)
    ahead = min(reach, (following - start) // 4, out_end - 1 - leave)
    low = max(source - reach, int(bounds.starts[example]))
    high = min(source + reach, int(bounds.ends[example]) - (following - start))
    if high < low or ahead < 0:
        return cut
    leaves, arrivals = np.arange(leave - back, leave + ahead + 1), np.arange(low, high + 1)
    costs = _costs_between(rows, bounds, leaves, arrivals, half)
    offsets = arrivals[None] - (start + leaves - leave)[:, None]
    if fixed:
        costs[offsets != source - start] = np.inf
    else:
        costs[(offsets - phase.own) % phase.count != 0] += OUT_OF_PHASE * blur
    # The cheapest cut of all would be none: to go on where the run before would have gone.
    costs[np.abs(arrivals[None] - leaves[:, None] - 1) < half] = np.inf
    costs += blur * random.random(costs.shape, np.float32)
    shifts = leaves - leave
    # An earlier cut makes the run after it longer, which must not leave its example.
    costs[arrivals[None] + (following - start - shifts)[:, None] > int(bounds.ends[example])] = np.inf
    if not np.isfinite(costs).any():
        return cut
    row, column = np.unravel_index(int(np.argmin(costs)), costs.shape)
    return start + int(shifts[row]), int(arrivals[column])


def _costs_between(
    rows: Rows, bounds: Bounds, leaves: NDArray[np.int64], arrivals: NDArray[np.int64], half: int
) -> Rows:
    """Squared window distances `(A, B)` of leaving after each of `leaves` and going on at each of `arrivals`."""
    out = _window(rows, bounds, leaves, np.arange(-half + 1, half + 1))
    into = _window(rows, bounds, arrivals, np.arange(-half, half))
    squares = np.einsum("aj,aj->a", out, out)[:, None] + np.einsum("bj,bj->b", into, into)
    return np.asarray(squares - 2.0 * out @ into.T)


def _window(rows: Rows, bounds: Bounds, frames: NDArray[np.int64], around: NDArray[np.int64]) -> Rows:
    example = bounds.example_of(frames)
    index = np.clip(frames[:, None] + around, bounds.starts[example][:, None], bounds.ends[example][:, None] - 1)
    return np.asarray(rows[index].reshape(len(frames), -1))
