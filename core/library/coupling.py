# SPDX-License-Identifier: GPL-3.0-or-later
"""Coupling of a part to the root's part: the cost of each of its frames beside those that the root's part shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.nearest_patches import frame_distances
from .transition_costs import Bounds, movement_unit, rows_around

Rows = NDArray[np.float32]

COUPLING_COST = 0.1
"""Votes that a frame loses where what it shares with the root's part is one unit of movement (squared) off ..."""
MOST_COUPLING_COST = 10.0
"""... up to this many."""
STEP_COST = 0.5
"""Votes that a frame loses where the rest of the body, as the examples have it there, is one unit of movement (squared)
off what it is at the frame that the root's part shows ..."""
MOST_STEP_COST = 10.0
"""... up to this many."""
SAME_MOMENT_COST = 20.0
"""Votes against showing the moment that the root's part shows, or that part would not be one of its own ..."""
SAME_MOMENT_SECONDS = 0.25
"""... nor one so near to it."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """The likeness of a part's n frames to the N frames of a stage, computed for those that a path asks of.

    rows: `(N, C)` of the stage's frames. own: `(n,)` which of these are the part's. unit: of the distances, squared.
    weight, most: votes for each unit, and the most of them. same_moment: frames within which a moment counts as the
    same; None: it may be.
    """

    rows: Rows
    own: NDArray[np.int64]
    unit: float
    weight: float
    most: float
    same_moment: float | None = None

    def beside(self, leading: NDArray[np.int64]) -> Rows:
        """Return the cost `(K, n)` of the part's frames beside K frames of the stage, in votes."""
        distances = frame_distances(self.rows[leading], self.rows[self.own])
        cost = np.minimum(self.weight * (distances / self.unit), self.most).astype(np.float32)
        if self.same_moment is not None:
            cost[np.abs(self.own - leading[:, None]) <= self.same_moment] += SAME_MOMENT_COST
        return np.asarray(cost)


def shared_coupling(rows: Rows, own: NDArray[np.int64], unit: float) -> Coupling:
    """Return the coupling by the columns `(N, C)` that a part shares with the root's. unit: the part's movement."""
    return Coupling(rows, own, unit**2, COUPLING_COST, COUPLING_COST * MOST_COUPLING_COST)


def step_coupling(rows: Rows, own: NDArray[np.int64], bounds: Bounds, rate: float) -> Coupling:
    """Return the coupling by the phase that the columns `(N, C)` of other limbs tell, at `rate` frames per second."""
    # Passing legs look the same in either half of a stride: the frames before and after tell them apart.
    moving = rows_around(rows, bounds, 1)
    unit = 3 * movement_unit(rows, bounds, rate) ** 2
    return Coupling(moving, own, unit, STEP_COST, MOST_STEP_COST, SAME_MOMENT_SECONDS * rate)
