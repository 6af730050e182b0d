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
SAME_MOMENT_COST = 4.0
"""Votes against showing the moment that the root's part shows, or that part would not be one of its own. Where a short
example has nothing else in step, going out of step costs more."""
SAME_MOMENT_SECONDS = 0.25
"""Moments so near to it are the same one."""
GAIT_LOOKS = 10.0
"""Frames per second that tell how well a segment keeps the phase: its stage frames are as many."""


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


@dataclass(frozen=True, eq=False)
class Gait:
    """The phase of the root's part at the full rate, as the rest of the body tells it to a part that keeps it.

    rows: `(N, C)` of the rest of the body. bounds: of the examples. leading: `(F,)` the frames that the root's part
    shows. unit: of distances, squared. step, same_moment: output frames from one look to the next, and frames within
    which a moment counts as the same.
    """

    rows: Rows
    bounds: Bounds
    leading: NDArray[np.int64]
    unit: float
    step: int
    same_moment: float

    @classmethod
    def of_rest(cls, rows: Rows, bounds: Bounds, rate: float, leading: NDArray[np.int64]) -> "Gait":
        """Return the phase by the rest of the body's rows `(N, C)`, at `rate` frames per second."""
        unit, step = movement_unit(rows, bounds, rate) ** 2, max(1, round(rate / GAIT_LOOKS))
        return cls(rows, bounds, leading, unit, step, SAME_MOMENT_SECONDS * rate)

    def costs(self, starts: NDArray[np.int64], sources: NDArray[np.int64], reach: int) -> NDArray[np.float64]:
        """Return what each segment costs that shows its example from -reach to reach frames later, `(R, 2 reach + 1)`.

        starts, sources: `(R,)` the output frames and examples' frames that segments begin with. The cost is the mean
        squared distance of the rest of the body from where the root's part has it, in units; infinite beyond the ends
        of an example, unless the segment lies there already.
        """
        frames = len(self.leading)
        lengths = np.diff(np.append(starts, frames))
        # Of every segment the first frame is looked at, and those that are a whole number of steps after it.
        inside = np.arange(frames) - np.repeat(starts, lengths)
        looks = np.flatnonzero(inside % self.step == 0)
        segment = np.repeat(np.arange(len(starts)), lengths)[looks]
        firsts, counts = np.flatnonzero(inside[looks] == 0), np.bincount(segment)
        own, leading = sources[segment] + inside[looks], self.leading[looks]
        there = self.rows[leading]
        example = self.bounds.example_of(sources)
        first, last = self.bounds.starts[example], self.bounds.ends[example] - 1
        costs = np.empty((len(starts), 2 * reach + 1))
        for column, later in enumerate(range(-reach, reach + 1)):
            asked = np.clip(own + later, first[segment], last[segment])
            away = self.rows[asked] - there
            cost = np.einsum("tc,tc->t", away, away) / self.unit
            cost[np.abs(asked - leading) <= self.same_moment] += SAME_MOMENT_COST
            costs[:, column] = np.add.reduceat(cost, firsts) / counts
            beyond = (sources + later < first) | (sources + lengths - 1 + later > last)
            costs[beyond & (later != 0), column] = np.inf
        return costs
