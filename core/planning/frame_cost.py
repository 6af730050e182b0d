# SPDX-License-Identifier: GPL-3.0-or-later
"""Unary costs of a path: the cost, in votes, of each example frame at each stage frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float32, Int64, Rows
from ..examples.transition_graph import Groups
from ..features.voting import count_votes
from ..motion.piecewise import pieces

TRUST = 1.0
"""Votes of an initial path, relative to those of the patches."""
FIXED_FRAME_COST = 1e4
"""Votes against leaving the fixed beginning. It is finite, so a beginning without transitions can still be left."""


@dataclass(frozen=True, eq=False)
class FrameCost:
    """Unary cost of a path at some of its frames: votes against each example frame.

    table: `(K, n)` votes. rows: `(F,)` the table's row that applies to each stage frame; -1: none.
    """

    table: Rows
    rows: Int64

    def against(self, path: Int64) -> Float32:
        """Return the votes `(F,)` against each frame of a path."""
        return np.where(self.rows >= 0, self.table[self.rows, path], np.float32(0.0))

    def times(self, weight: float) -> "FrameCost":
        """Return the cost multiplied by a weight."""
        return self if weight == 1.0 else replace(self, table=self.table * np.float32(weight))


@dataclass(frozen=True, eq=False)
class UnaryCosts:
    """Votes for and against each example frame at each stage frame.

    initial_path: `(F,)`, each of whose frames has `trust` votes, and whose first `fixed_frames` frames are kept.
    frame_costs: votes against. chosen: `(F - p + 1,)` starts of the patches of `length` p that vote; None: no patch
    votes.
    """

    initial_path: Int64
    trust: float
    frame_costs: Sequence[FrameCost] = ()
    fixed_frames: int = 0
    chosen: Int64 | None = None
    length: int = 1

    def of_frames(self, total: int) -> Iterator[Rows]:
        """Yield the votes `(total,)` against each of `total` example frames, one stage frame after another."""
        for piece in pieces(len(self.initial_path), total):
            yield from self._table(piece.start, piece.stop, total)

    def _table(self, first: int, last: int, total: int) -> Rows:
        """Return the votes `(last - first, total)` at the stage frames from `first` to `last`."""
        table, rows = np.zeros((last - first, total), np.float32), np.arange(last - first)
        if self.chosen is not None:
            low, high = max(first - self.length + 1, 0), min(last, len(self.chosen))
            table -= count_votes(self.chosen[low:high], self.length, total)[first - low : last - low]
        table[rows, self.initial_path[first:last]] -= self.trust
        for frame_cost in self.frame_costs:
            used = frame_cost.rows[first:last]
            asked = np.flatnonzero(used >= 0)
            table[asked] += frame_cost.table[used[asked]]
        fixed = rows[: max(self.fixed_frames - first, 0)]
        table[fixed] += FIXED_FRAME_COST
        table[fixed, self.initial_path[first + fixed]] -= FIXED_FRAME_COST
        return table


@dataclass(frozen=True, eq=False)
class PathCosts:
    """Costs of a part's path.

    frame_costs: costs of its frames. first: the part's frame that the path begins with, if fixed. closing: cost of a
    last frame that does not lead to that first frame. shortest: length of the shortest segment, as a share of that in a
    free path. groups: groups of examples, by number, each of which must be within reach of every frame; none if free.
    by_poses: True if poses lead all seeds to the same frames, unless each seed has its own preferences. signals: costs
    of frames that do not fit signals, for which transitions may cost `budget` times what they cost without signals.
    weight: of the costs of transitions relative to votes.
    """

    frame_costs: tuple[FrameCost, ...] = ()
    first: int | None = None
    closing: FrameCost | None = None
    shortest: float = 1.0
    groups: Groups = ()
    by_poses: bool = False
    signals: tuple[FrameCost, ...] = ()
    budget: float = np.inf
    weight: float = 1.0

    @property
    def together(self) -> tuple[FrameCost, ...]:
        """All costs of frames, including those of signals and that of closing."""
        frame_costs = (*self.frame_costs, *self.signals)
        return frame_costs if self.closing is None else (*frame_costs, self.closing)

    def with_signal(self, cost: FrameCost, budget: float) -> "PathCosts":
        """Return the costs with that of another signal; the largest budget of all signals counts."""
        largest = max(budget, self.budget) if self.signals else budget
        return replace(self, signals=(*self.signals, cost), budget=largest)

    def weighted(self, weight: float) -> "PathCosts":
        """Return the costs with a weight on all but those of signals, which then are costs like others."""
        frame_costs = (*(cost.times(weight) for cost in self.frame_costs), *self.signals)
        closing = None if self.closing is None else self.closing.times(weight)
        return replace(self, frame_costs=frame_costs, closing=closing, signals=(), weight=weight)


FREE = PathCosts()
