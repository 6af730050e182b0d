# SPDX-License-Identifier: GPL-3.0-or-later
"""Unary costs of a path: the cost, in votes, of each example frame at each stage frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..examples.transition_graph import Groups

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FrameCost:
    """Unary cost of a path at some of its frames: votes against each example frame.

    table: `(K, n)` votes. rows: `(F,)` the table's row that applies to each stage frame; -1: none.
    """

    table: Rows
    rows: NDArray[np.int64]

    def against(self, path: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the votes `(F,)` against each frame of a path."""
        return np.where(self.rows >= 0, self.table[self.rows, path], np.float32(0.0))


@dataclass(frozen=True, eq=False)
class PathCosts:
    """Costs of a part's path.

    frame_costs: costs of its frames. first: the part's frame that the path begins with, if fixed. closing: cost of a
    last frame that does not lead to that first frame. shortest: length of the shortest segment, as a share of that in a
    free path. groups: groups of examples, by number, each of which must be within reach of every frame; none if free.
    by_poses: True if poses lead all seeds to the same frames, unless each seed has its own preferences.
    """

    frame_costs: tuple[FrameCost, ...] = ()
    first: int | None = None
    closing: FrameCost | None = None
    shortest: float = 1.0
    groups: Groups = ()
    by_poses: bool = False

    @property
    def together(self) -> tuple[FrameCost, ...]:
        """All costs of frames, including that of closing."""
        return self.frame_costs if self.closing is None else (*self.frame_costs, self.closing)


FREE = PathCosts()
