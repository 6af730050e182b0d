# SPDX-License-Identifier: GPL-3.0-or-later
"""The path through the examples for which most patches vote."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from ..examples.transition_costs import Bounds
from ..examples.transition_graph import Predecessors
from ..features.voting import count_votes
from .frame_cost import FrameCost

Rows = NDArray[np.float32]


VOTED_TRANSITION_COST = 2.0
"""Cost of any transition, in frames' worth of votes."""
COST_PER_UNIT = 1.0
"""Additional cost, in frames' worth of votes, for each unit of a transition's cost."""
FIXED_FRAME_COST = 1e4
"""Votes against leaving the fixed beginning. It is finite, so a beginning without transitions can still be left."""
VOTE_BLOCK = 2048
"""Number of frames whose votes are held at once, which limits memory."""
WINDOW, OVERLAP = 256, 48
"""Stage frames of the windows in which a long path is found, and stage frames added at both ends of each window. Of two
results of 10,000 frames from each of 62 clips, those of 58 clips were the same as frame by frame. On the other four,
some windows had paths that do not meet; most do if the window begins one window earlier."""
LONG_PATH = 3 * WINDOW
"""Number of stage frames from which windows are faster than one frame after another."""
WINDOW_ENTRIES = 1 << 17
"""Largest number of transitions that are compared at once in all windows: 0.5 MB, which fits a cache."""
FEWEST_WINDOWS = 4
"""Smallest number of windows for which finding them in parallel is faster."""
TOGETHER = 16
"""Number of frames of a path that are traced at once, slightly more than most segments have."""


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes for each of N example frames at each stage frame; see `min_cost_path`."""

    chosen: NDArray[np.int64]
    length: int
    initial_path: NDArray[np.int64]
    trust: float
    fixed_frames: int
    frame_costs: Sequence[FrameCost]

    def of_frames(self, first: int, last: int, total: int) -> Rows:
        """Return the votes `(last - first, N)` of some stage frames."""
        low, high = max(first - self.length + 1, 0), min(last, len(self.chosen))
        votes = count_votes(self.chosen[low:high], self.length, total)[first - low : last - low]
        fixed = min(last, self.fixed_frames)
        if first < fixed:
            votes[: fixed - first] -= FIXED_FRAME_COST
            votes[np.arange(fixed - first), self.initial_path[first:fixed]] += FIXED_FRAME_COST
        votes[np.arange(last - first), self.initial_path[first:last]] += self.trust
        for frame_cost in self.frame_costs:
            rows = frame_cost.rows[first:last]
            asked = np.flatnonzero(rows >= 0)
            votes[asked] -= frame_cost.table[rows[asked]]
        return votes


@dataclass(frozen=True, eq=False)
class _Transitions:
    """Transitions to each example frame from predecessors `(N, M)`, at costs in votes.

    Continuing from the frame before costs nothing. firsts: the first frame of each example, which has none before it.
    """

    predecessors: NDArray[np.int64]
    costs: Rows
    firsts: NDArray[np.int64]

    def least_totals(self, votes_at: Callable[[int], Rows], frames: int, windows: int) -> Rows:
        """Return the least totals `(frames, N, B)` of paths in B windows side by side.

        votes_at: the votes `(N, B)` at a frame of all windows.
        """
        totals = np.empty((frames, len(self.costs), windows), np.float32)
        sources, costs = self._with_onward()
        costs = costs[..., None]
        candidates = np.empty((*sources.shape, windows), np.float32)
        np.negative(votes_at(0), out=totals[0])
        for frame in range(1, frames):
            best = totals[frame]
            totals[frame - 1].take(sources, axis=0, out=candidates, mode="clip")
            np.add(candidates, costs, out=candidates)
            np.minimum.reduce(candidates, axis=0, out=best)
            best -= np.minimum.reduce(best, axis=0)
            best -= votes_at(frame)
        return totals

    def least_totals_of_one(self, votes: Iterable[Rows], frames: int) -> Rows:
        """Return the same totals `(frames, N)` for a single path; votes: `(F', N)` of consecutive blocks of frames.

        The arrays are so small that the overhead of calls matters: this takes two thirds of the time.
        """
        totals = np.empty((frames, len(self.costs)), np.float32)
        sources, costs = self._with_onward()
        flat, candidates = sources.ravel(), np.empty(sources.shape, np.float32)
        filled, before = candidates.reshape(-1), None
        for best, frame_votes in zip(totals, chain.from_iterable(votes), strict=True):
            if before is None:
                np.negative(frame_votes, out=best)
            else:
                before.take(flat, out=filled, mode="clip")
                np.add(candidates, costs, out=candidates)
                np.minimum.reduce(candidates, axis=0, out=best)
                np.subtract(best, np.minimum.reduce(best), out=best)
                np.subtract(best, frame_votes, out=best)
            before = best
        return totals

    def _with_onward(self) -> tuple[NDArray[np.int64], Rows]:
        """Return the sources and the costs `(M + 1, N)` of all transitions to each example frame, and of continuing.

        Continuing from the frame before is one more source, which costs nothing; with few frames, a separate call would
        take longer than this addition. The origins are computed along the final path only, not at every frame.
        """
        count = len(self.costs)
        onward = np.zeros(count, np.float32)
        onward[self.firsts] = np.inf
        sources = np.concatenate((self.predecessors.T, np.maximum(np.arange(count) - 1, 0)[None]))
        return sources, np.concatenate((self.costs.T, onward[None]))

    def path(self, totals: Rows) -> NDArray[np.int64]:
        """Return the path `(frames,)` that has the least totals `(frames, N)`.

        Most source_frames continue from the frame before, so many are traced at once, up to the first that does not.
        """
        path, begins, steps = np.empty(len(totals), np.int64), np.zeros(totals.shape[1], bool), np.arange(TOGETHER)
        begins[self.firsts] = True
        path[-1] = totals[-1].argmin()
        frame = len(path) - 1
        while frame > 0:
            back = steps[: min(frame, int(path[frame]) + 1)]
            source_frames, earlier = path[frame] - back, frame - 1 - back
            sources = self.predecessors[source_frames]
            candidates = totals[earlier[:, None], sources] + self.costs[source_frames]
            best = candidates.argmin(axis=1)
            jumps = begins[source_frames] | (candidates[back, best] < totals[earlier, source_frames - 1])
            length = int(jumps.argmax()) if jumps.any() else len(back)
            path[frame - length : frame] = path[frame] - length + steps[:length]
            frame -= length
            if length < len(back):
                frame -= 1
                path[frame] = sources[length, best[length]]
        return path

    def paths(self, totals: Rows) -> NDArray[np.int64]:
        """Return the paths `(frames, B)` that have the least totals `(frames, N, B)`."""
        paths, windows = np.empty((len(totals), totals.shape[2]), np.int64), np.arange(totals.shape[2])
        begins = np.zeros(totals.shape[1], bool)
        begins[self.firsts] = True
        source_frames = paths[-1] = totals[-1].argmin(axis=0)
        for frame in range(len(paths) - 1, 0, -1):
            before, sources = totals[frame - 1], self.predecessors[source_frames]
            candidates = before[sources, windows[:, None]] + self.costs[source_frames]
            best = candidates.argmin(axis=1)
            jumps = begins[source_frames] | (candidates[windows, best] < before[source_frames - 1, windows])
            source_frames = paths[frame - 1] = np.where(jumps, sources[windows, best], source_frames - 1)
        return paths


def min_cost_path(
    chosen: NDArray[np.int64],
    length: int,
    predecessors: Predecessors,
    bounds: Bounds,
    initial_path: NDArray[np.int64],
    trust: float,
    fixed_frames: int = 1,
    frame_costs: Sequence[FrameCost] = (),
) -> NDArray[np.int64]:
    """Return the path `(F,)` of example frames with most votes, and fewest and cheapest transitions (Viterbi 1967).

    chosen: `(F - p + 1,)` the patches' starts. length: p. initial_path: `(F,)` the initial path; each of its frames has
    `trust` votes, and its first `fixed_frames` frames are kept.
    """
    votes = _Votes(chosen, length, initial_path, trust, fixed_frames, frame_costs)
    costs = VOTED_TRANSITION_COST + COST_PER_UNIT * predecessors.costs
    transitions = _Transitions(predecessors.frames, costs.astype(np.float32), bounds.starts)
    path = _by_windows(votes, transitions, len(initial_path))
    return _frame_by_frame(votes, transitions, 0, len(initial_path)) if path is None else path


def _frame_by_frame(votes: _Votes, transitions: _Transitions, begin: int, end: int) -> NDArray[np.int64]:
    """Return the path `(end - begin,)` from one stage frame to another, found one frame after another."""
    firsts, total = range(begin, end, VOTE_BLOCK), len(transitions.costs)
    blocks = (votes.of_frames(first, min(first + VOTE_BLOCK, end), total) for first in firsts)
    return transitions.path(transitions.least_totals_of_one(blocks, end - begin))


def _at_windows(votes: Rows, begins: NDArray[np.int64], frame: int) -> Rows:
    """Return the votes `(N, B)` at a frame of windows that begin at rows of votes `(F, N)`."""
    return np.asarray(votes[begins + frame].T)


def _by_windows(votes: _Votes, transitions: _Transitions, frames: int) -> NDArray[np.int64] | None:
    """Return the path of many frames, found in parallel in overlapping windows.

    If two windows have no common frame at which to change over, the later one is found again from the beginning of the
    earlier one. Return None if there are few frames, or if the windows still have no common frame.
    """
    total, size = len(transitions.costs), WINDOW + 2 * OVERLAP
    count = min(WINDOW_ENTRIES // max(transitions.costs.size, 1), -(-frames // WINDOW))
    if frames < LONG_PATH or count < FEWEST_WINDOWS:
        return None
    begins = np.clip(np.arange(0, frames, WINDOW) - OVERLAP, 0, frames - size)
    path = np.empty(frames, np.int64)
    end = 0
    # The smallest block comes first: if its windows do not meet, no other work is wasted.
    for first, last in pairwise(sorted({0, *range(len(begins), 0, -count)})):
        together = begins[first:last]
        block = votes.of_frames(int(together[0]), int(together[-1]) + size, total)
        at = together - together[0]
        found = transitions.paths(transitions.least_totals(partial(_at_windows, block, at), size, len(together)))
        for begin, window in zip(together.tolist(), found.T, strict=True):
            last = begin + size
            change = _meeting(path[begin:end], window)
            if change is None:
                begin = max(begin - WINDOW, 0)
                window = _frame_by_frame(votes, transitions, begin, last)
                change = _meeting(path[begin:end], window)
            if change is None:
                return None
            path[begin + change : last] = window[change:]
            end = last
    return path


def _meeting(path: NDArray[np.int64], window: NDArray[np.int64]) -> int | None:
    """Return the frame nearest to the middle at which the end of a path and the beginning of a window are equal.

    Return None if there is no such frame, and 0 if there is no path before.
    """
    if not len(path):
        return 0
    common = np.flatnonzero(path == window[: len(path)])
    return int(common[np.abs(common - len(path) // 2).argmin()]) if len(common) else None
