# SPDX-License-Identifier: GPL-3.0-or-later
"""Coupling of a part to the root's part: the cost of playing a part's frame together with the root part's frame."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Int64, Rows
from ..features.nearest_patches import frame_distances
from ..features.pyramid import PLANNING_RATE
from .transition_costs import GAP_SECONDS, Bounds, movement_unit, rows_around

COUPLING_COST = 0.1
"""Cost, in votes, for each squared unit of movement by which the columns shared with the root's part differ."""
STEP_COST = 0.5
"""Cost, in votes, for each squared unit of movement by which the rest of the body differs between the example's frame
and the frame that the root's part shows."""
SAME_MOMENT_COST = 4.0
"""Cost, in votes, of showing the same moment as the root's part, one nearer than the shortest jump; without it, the
part would only copy that part. If a short example has nothing else in step, going out of step costs more."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """Costs of a part's n frames beside the N frames of a stage, computed when a path asks for them.

    rows: `(N, C)` of the stage's frames. own: `(n,)` the part's frames among them. unit: of squared distances.
    weight: votes for each unit. same_moment: number of frames within which a moment counts as the same; None: showing
    the same moment costs nothing.
    """

    rows: Rows
    own: Int64
    unit: float
    weight: float
    same_moment: float | None = None

    def beside(self, leading: Int64) -> Rows:
        """Return the cost `(K, n)` of the part's frames beside K frames of the stage, in votes."""
        distances = frame_distances(self.rows[leading], self.rows[self.own])
        cost = (self.weight * (distances / self.unit)).astype(np.float32)
        if self.same_moment is not None:
            cost[np.abs(self.own - leading[:, None]) <= self.same_moment] += SAME_MOMENT_COST
        return np.asarray(cost)


def shared_coupling(rows: Rows, part_frames: Int64, unit: float) -> Coupling:
    """Return the coupling by the columns `(N, C)` that a part shares with the root's; unit: the part's movement."""
    return Coupling(rows, part_frames, unit**2, COUPLING_COST)


def step_coupling(rows: Rows, part_frames: Int64, bounds: Bounds, rate: float) -> Coupling:
    """Return the coupling by gait phase, from the columns `(N, C)` of other limbs at `rate` frames per second."""
    # Passing legs look the same in both halves of a stride; the frames before and after distinguish them.
    moving = rows_around(rows, bounds, 1)
    unit = 3 * movement_unit(rows, bounds, rate) ** 2
    return Coupling(moving, part_frames, unit, STEP_COST, GAP_SECONDS * rate)


@dataclass(frozen=True, eq=False)
class Gait:
    """Gait phase of the root's part at the full rate, compared by the rest of the body for a part that stays in phase.

    rows: `(N, C)` of the rest of the body. bounds: of the examples. leading: `(F,)` the frames that the root's part
    shows. unit: of squared distances. step: output frames from one comparison to the next. same_moment: number of
    frames within which a moment counts as the same.
    """

    rows: Rows
    bounds: Bounds
    leading: Int64
    unit: float
    step: int
    same_moment: float

    @classmethod
    def of_rest(cls, rows: Rows, bounds: Bounds, rate: float, leading: Int64) -> "Gait":
        """Return the gait by the rows `(N, C)` of the rest of the body, at `rate` frames per second."""
        unit, step = movement_unit(rows, bounds, rate) ** 2, max(1, round(rate / PLANNING_RATE))
        return cls(rows, bounds, leading, unit, step, GAP_SECONDS * rate)

    def costs(self, starts: Int64, sources: Int64, reach: int) -> Float64:
        """Return the costs `(R, 2 reach + 1)` of segments shifted in their examples by -reach to reach frames.

        starts, sources: `(R,)` the output frames and example frames that segments begin with. The cost is the mean
        squared distance, in units, of the rest of the body from its pose at the root part's frames. It is infinite
        beyond the ends of an example, unless the unshifted segment is already there.
        """
        frames = len(self.leading)
        lengths = np.diff(np.append(starts, frames))
        # The first frame of each segment is compared, and the frames a whole number of steps after it.
        inside = np.arange(frames) - np.repeat(starts, lengths)
        looks = np.flatnonzero(inside % self.step == 0)
        segment = np.repeat(np.arange(len(starts)), lengths)[looks]
        firsts, counts = np.flatnonzero(inside[looks] == 0), np.bincount(segment)
        source_frames, leading = sources[segment] + inside[looks], self.leading[looks]
        leading_rows = self.rows[leading]
        example = self.bounds.example_of(sources)
        first, last = self.bounds.starts[example], self.bounds.ends[example] - 1
        costs = np.empty((len(starts), 2 * reach + 1))
        for column, later in enumerate(range(-reach, reach + 1)):
            asked = np.clip(source_frames + later, first[segment], last[segment])
            away = self.rows[asked] - leading_rows
            cost = np.einsum("tc,tc->t", away, away) / self.unit
            cost[np.abs(asked - leading) <= self.same_moment] += SAME_MOMENT_COST
            costs[:, column] = np.add.reduceat(cost, firsts) / counts
            beyond = (sources + later < first) | (sources + lengths - 1 + later > last)
            costs[beyond & (later != 0), column] = np.inf
        return costs
