# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: they approach their goals with accelerations that legs can have."""

from dataclasses import dataclass

from .inertia import braking
from .single.legs import PosedLeg, near_bend

KNEE_ACCELERATION = 150.0
"""Largest angular acceleration of a knee's bend, in radians per second squared, in addition to that of its example."""
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


def _approach(gap: float, most: float) -> float:
    """Return the amount by which a gap closes in a step, such that it can brake in time."""
    size = min(float(braking(abs(gap), most)), abs(gap))
    return size if gap > 0.0 else -size
