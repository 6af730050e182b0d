# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and knees that go where they are to be without a jerk: nothing changes its speed by more than legs do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from .examples import LiveExamples
from .inertia import braking
from .single.legs import PosedLeg, near_bend

Float64 = NDArray[np.float64]

FOOT_ACCELERATION = 16.0
"""Sizes a second squared by which a foot changes its speed at most, beside what it does in its example."""
KNEE_ACCELERATION = 150.0
"""Radians a second squared by which a knee changes that of its bend at most, beside what it does in its example."""
SINKS = 0.003
"""A foot is so much lower than it is to be at most, in sizes."""
MISS = 0.06
"""Meanwhile a foot misses its place by this share of its leg's length at most."""


@dataclass(frozen=True)
class CalmKnee:
    """A knee's bend, radians, and its change in the last step. goal: what it was to be. own: its example's."""

    bend: float
    change: float
    goal: float
    own: float
    own_change: float

    @classmethod
    def at_rest(cls, bend: float) -> "CalmKnee":
        """Return a knee that is bent as in its example, and rests."""
        return cls(bend, 0.0, bend, bend, 0.0)

    def next(self, leg: PosedLeg, goal: float, rate: float) -> "CalmKnee":
        """Return the knee a step later, on its way to where it is to be."""
        own, change = leg.bend, leg.bend - self.own
        most = KNEE_ACCELERATION / rate**2 + abs(change - self.own_change)
        to = goal - self.goal - _approach(self.bend - self.goal, most)
        # A leg that stretches brakes before it is straight.
        to = max(to, min(-float(braking(max(self.bend, 0.0), most)), change))
        speed = self.change + min(max(to - self.change, -most), most)
        # No knee bends backward that does not in its example.
        bend = max(near_bend(leg, goal, self.bend + speed, MISS), min(own, 0.0))
        return CalmKnee(bend, bend - self.bend, goal, own, change)


@dataclass(frozen=True, eq=False)
class CalmFeet:
    """Places `(F, 3)` of feet, and their change in the last step; goals: where they were to be; played: where they
    were by themselves, with the change of that.
    """

    places: Float64
    change: Float64
    goals: Float64
    played: Float64
    played_change: Float64

    @classmethod
    def at_rest(cls, places: Float64) -> "CalmFeet":
        """Return feet that are as in their example, and rest."""
        nothing = np.zeros_like(places)
        return cls(places, nothing, places, places, nothing)

    def toward(self, examples: LiveExamples, goals: Float64, played: Float64) -> Float64:
        """Return where `(F, 3)` feet go in a step that are to be at goals, and would be where they are played."""
        rate, own = examples.index.frames_per_second, played - self.played
        most = FOOT_ACCELERATION * examples.skeleton.size / rate**2 + rotations.lengths(own - self.played_change)
        gap = self.places - self.goals
        lengths = np.maximum(rotations.lengths(gap), rotations.SMALLEST_NORM)
        share = np.minimum(1.0, braking(lengths, most) / lengths)
        more = goals - self.goals - share[:, None] * gap - self.change
        slowed = np.minimum(1.0, most / np.maximum(rotations.lengths(more), rotations.SMALLEST_NORM))
        places = self.places + self.change + slowed[:, None] * more
        sunk = np.maximum((goals - places) @ examples.up - SINKS * examples.skeleton.size, 0.0)
        return np.asarray(places + sunk[:, None] * examples.up)

    def next(self, goals: Float64, played: Float64, places: Float64) -> "CalmFeet":
        """Return the feet a step later, where they went."""
        return CalmFeet(places, places - self.places, goals, played, played - self.played)


def _approach(gap: float, most: float) -> float:
    """Return by how much a gap is to close in a step, so that it can brake in time."""
    size = min(float(braking(abs(gap), most)), abs(gap))
    return size if gap > 0.0 else -size
