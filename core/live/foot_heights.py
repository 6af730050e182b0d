# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of feet across a transition: those of the example that is shown, plus decaying differences from them.

Legs that are blended joint by joint would drag a swinging foot along the ground or below it, and slide it there.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float64, Mask
from ..feet.footsteps import HIGHEST_LIFT
from .examples import LiveExamples
from .inertia import Decay

RETURN_SECONDS = 0.35
"""Time, in seconds, in which a released foot returns to its place in the example, and every foot to the example's
height after a transition, or sooner if it would sink."""
NO_CROSSING = 2.5
"""Largest speed at which a decaying difference never crosses 0, in multiples of the difference over its decay time."""


@dataclass(frozen=True, eq=False)
class FootHeights:
    """Heights `(F,)` of feet in the example, and their height above it in the last step, each with its change.

    rise: what remains of the last transition. lift: height by which a foot is raised while it steps instead of slides.
    """

    played: Float64
    played_change: Float64
    above: Float64
    above_change: Float64
    rise: Decay
    lift: Float64

    @classmethod
    def at_rest(cls, heights: Float64) -> "FootHeights":
        """Return the heights of feet that are as high as in their example."""
        zero, full = np.zeros(len(heights)), np.ones(len(heights))
        return cls(heights, zero, zero, zero, Decay(zero, zero, full, full), zero)

    def after_transition(self, examples: LiveExamples, before: float, frame: float) -> "FootHeights":
        """Return the heights after a transition to `before`, shown at `frame`, without a jump of height or speed."""
        played = heights_at(examples, before)
        above = self.above + self.played - played
        change = self.above_change + self.played_change - (heights_at(examples, frame) - played)
        rise = dying_out(above, change, RETURN_SECONDS * examples.index.frames_per_second)
        return FootHeights(played, self.played_change, above, change, rise, np.zeros(len(played)))

    def raised(self, examples: LiveExamples, begun: Mask, lift: Float64) -> "FootHeights":
        """Return the heights with some feet raised for a new movement; what remains of the one before decays."""
        rise = dying_out(self.above, self.above_change, RETURN_SECONDS * examples.index.frames_per_second)
        return replace(self, rise=self.rise.replaced_where(begun, rise), lift=np.where(begun, lift, self.lift))

    def next(self, examples: LiveExamples, frame: float, ease: Decay) -> "FootHeights":
        """Return the heights one step later, at a frame; ease: the movements during which feet are raised."""
        played, rise = heights_at(examples, frame), self.rise.next()
        share = np.minimum(np.asarray(ease.since) / ease.frames, 1.0)
        # 0 at both ends of a movement, and for a foot that is as high in its example.
        low = np.clip(1.0 - (played - examples.ground) / (HIGHEST_LIFT * examples.skeleton.size), 0.0, 1.0)
        above = rise.now() + low * self.lift * (4.0 * share * (1.0 - share)) ** 2
        return FootHeights(played, played - self.played, above, above - self.above, rise, self.lift)

    @property
    def total(self) -> Float64:
        """Return the heights `(F,)` of the feet."""
        return self.played + self.above


def dying_out(above: Float64, change: Float64, frames: float) -> Decay:
    """Return the decay of heights `(F,)` above an example's, with their change, in at most `frames` frames.

    No foot above the example's sinks below it, and none below it sinks farther.
    """
    height, change = np.maximum(above, 0.0), np.where(above > 0.0, change, np.maximum(change, 0.0))
    soonest = NO_CROSSING * height / np.maximum(-change, 1e-9)
    within = np.where(change < 0.0, np.clip(soonest, 1.0, frames), frames)
    return Decay(above, np.maximum(change, -NO_CROSSING * height / within), within, np.zeros(len(above)))


def heights_at(examples: LiveExamples, frame: float) -> Float64:
    """Return the height `(F,)` of each foot at a fractional frame."""
    before = int(frame)
    share, after = frame - before, min(before + 1, len(examples.heights) - 1)
    return np.asarray((1 - share) * examples.heights[before] + share * examples.heights[after], np.float64)
