# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance of a body while it reaches, measured by whoever knows its support, and the goal that its trunk gets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Mask
from ...motion.motion import Motion, pose_along


@dataclass(frozen=True, eq=False)
class Balance:
    """The masses of a body, and the measure of its balance.

    masses: `(J,)`, 1 together. centers: `(J, 3)` of mass, in the axes of the joints. tolerance: smallest distance
    outside of the support that counts. outside: a function that returns for a motion the distance of its center of mass
    from the support `(T,)`, not above 0 where no balance is asked, and the direction outward `(T, 3)`.

    >>> anywhere = Balance(np.full(2, 0.5), np.zeros((2, 3)), 0.03, lambda _: (np.zeros(60), np.zeros((60, 3))))
    >>> anywhere.without([np.array([True, False])]).masses.tolist()
    [0.0, 0.5]
    """

    masses: Float64
    centers: Float64
    tolerance: float
    outside: Callable[[Motion], tuple[Float64, Float64]]

    def without(self, limbs: Sequence[Mask]) -> "Balance":
        """Return the balance of a body of which the joints `(J,)` of some limbs weigh nothing."""
        return replace(self, masses=np.where(np.any(limbs, axis=0), 0.0, self.masses))

    def moments(self, motion: Motion) -> Float64:
        """Return the masses' places `(T, J, 3)` times their masses, for the joints that weigh anything."""
        heavy = np.flatnonzero(self.masses)
        needed = sorted({above for joint in heavy.tolist() for above in motion.skeleton.chain(joint)})
        matrices, positions = (values.astype(np.float64) for values in pose_along(motion, needed))
        at = np.searchsorted(needed, heavy)
        arms = np.einsum("tjab,jb->tja", matrices[:, at], self.centers[heavy])
        return np.asarray(self.masses[heavy, None] * (positions[:, at] + arms))


@dataclass(frozen=True, eq=False)
class CenterGoal:
    """A goal for a trunk: the sum of a body's moments moves along the ground from sums `(T, 3)` by moves `(T, 3)`."""

    body: Balance
    sums: Float64
    moves: Float64

    @property
    def directions(self) -> Float64:
        """Return the directions `(T, 3)` of the moves; zeros where there is none."""
        return np.asarray(self.moves / np.maximum(np.linalg.norm(self.moves, axis=1), 1e-12)[:, None])

    def arms(self, motion: Motion, joints: Sequence[int], places: Float64) -> tuple[Float64, Float64]:
        """Return the moments `(N, T, 3)` of the masses that N joints carry about their places `(N, T, 3)`, and the
        distances `(T,)` along the moves that are still missing.
        """
        moments, heavy = self.body.moments(motion), np.flatnonzero(self.body.masses)
        arms = np.zeros_like(places)
        for place, joint in enumerate(joints):
            below = motion.skeleton.descendants(joint)[heavy]
            arms[place] = moments[:, below].sum(axis=1) - self.share(motion, joint) * places[place]
        away = self.sums + self.moves - moments.sum(axis=1)
        return arms, np.asarray(np.einsum("ta,ta->t", self.directions, away))

    def share(self, motion: Motion, joint: int) -> float:
        """Return the mass that a joint carries."""
        return float(self.body.masses[motion.skeleton.descendants(joint)].sum())
