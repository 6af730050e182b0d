# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm feet and knees: they approach their goals with accelerations that legs can have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from .examples import LiveExamples
from .inertia import braking
from .single.legs import PosedLeg, near_bend

Float64 = NDArray[np.float64]

FOOT_ACCELERATION = 16.0
"""Largest acceleration of a foot, in sizes per second squared, in addition to that of its example."""
KNEE_ACCELERATION = 150.0
"""Largest angular acceleration of a knee's bend, in radians per second squared, in addition to that of its example."""
SINKS = 0.003
"""Largest height of a foot's goal above the foot, in sizes."""
MISS = 0.06
"""Largest distance of a foot from its place while its knee is calmed, as a share of the leg's length."""


@dataclass(frozen=True)
class CalmKnee:
    """Bend of a knee in radians, its last change and goal; played, played_change: those of its example."""

    bend: float
    change: float
    goal: float
    played: float
    played_change: float

    @classmethod
    def at_rest(cls, bend: float) -> "CalmKnee":
        """Return a knee at rest, bent as in its example."""
        return cls(bend, 0.0, bend, bend, 0.0)

    def next(self, leg: PosedLeg, goal: float, rate: float) -> "CalmKnee":
        """Return the knee one step later, on its way to a goal."""
        played, change = leg.bend, leg.bend - self.played
        most = KNEE_ACCELERATION / rate**2 + abs(change - self.played_change)
        to = goal - self.goal - _approach(self.bend - self.goal, most)
        # A leg that stretches brakes before it is straight.
        to = max(to, min(-float(braking(max(self.bend, 0.0), most)), change))
        speed = self.change + min(max(to - self.change, -most), most)
        # No knee bends backward unless it does in its example.
        bend = max(near_bend(leg, goal, self.bend + speed, MISS), min(played, 0.0))
        return CalmKnee(bend, bend - self.bend, goal, played, change)


@dataclass(frozen=True, eq=False)
class CalmFeet:
    """Places `(F, 3)` of feet, and their change in the last step.

    goals: their goals then. played: their places in the example, with the change of these.
    """

    places: Float64
    change: Float64
    goals: Float64
    played: Float64
    played_change: Float64

    @classmethod
    def at_rest(cls, places: Float64) -> "CalmFeet":
        """Return feet at rest, at their places in the example."""
        nothing = np.zeros_like(places)
        return cls(places, nothing, places, places, nothing)

    def toward(self, examples: LiveExamples, goals: Float64, played: Float64) -> Float64:
        """Return the places `(F, 3)` of feet after a step toward goals `(F, 3)`; played: places in the example."""
        rate, played_step = examples.index.frames_per_second, played - self.played
        most = FOOT_ACCELERATION * examples.skeleton.size / rate**2 + rotations.lengths(
            played_step - self.played_change
        )
        gap = self.places - self.goals
        lengths = np.maximum(rotations.lengths(gap), rotations.SMALLEST_NORM)
        share = np.minimum(1.0, braking(lengths, most) / lengths)
        more = goals - self.goals - share[:, None] * gap - self.change
        slowed = np.minimum(1.0, most / np.maximum(rotations.lengths(more), rotations.SMALLEST_NORM))
        places = self.places + self.change + slowed[:, None] * more
        sunk = np.maximum((goals - places) @ examples.up - SINKS * examples.skeleton.size, 0.0)
        return np.asarray(places + sunk[:, None] * examples.up)

    def next(self, goals: Float64, played: Float64, places: Float64) -> "CalmFeet":
        """Return the feet one step later, at the places to which they went."""
        return CalmFeet(places, places - self.places, goals, played, played - self.played)


def _approach(gap: float, most: float) -> float:
    """Return the amount by which a gap closes in a step, such that it can brake in time."""
    size = min(float(braking(abs(gap), most)), abs(gap))
    return size if gap > 0.0 else -size
