# SPDX-License-Identifier: GPL-3.0-or-later
"""Unary costs of a path: the cost, in votes, of each example frame at each stage frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import Groups

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FrameCost:
    """The unary cost of a path at some of its frames: votes against each example frame.

    table: `(K, n)`. rows: `(F,)` which row of the table each stage frame goes by; -1: none.
    """

    table: Rows
    rows: NDArray[np.int64]

    def against(self, path: NDArray[np.int64]) -> NDArray[np.float32]:
        """The votes `(F,)` against each frame of a path."""
        return np.where(self.rows >= 0, self.table[self.rows, path], np.float32(0.0))


@dataclass(frozen=True, eq=False)
class PathCosts:
    """Costs of a part's path: of its frames, its first frame where that is settled; poses: some are of given poses.

    groups: groups of examples, by number, each of which must be within reach of every frame; none where it is free.
    """

    frame_costs: tuple[FrameCost, ...] = ()
    first: int | None = None
    poses: bool = False
    groups: Groups = ()


FREE = PathCosts()
