# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of feet over a transition: those of the example that is shown, and what differs from them dying out.

Legs that are blended joint by joint drag a foot that swings along the ground, or beneath it, and slide it there.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.foot_moves import HIGHEST_LIFT
from .examples import LiveExamples
from .inertia import Decay

Float64 = NDArray[np.float64]

HEIGHT_SECONDS = 0.33
"""After a transition a foot comes to the height of the example over so long, or sooner where it would sink."""
NO_CROSSING = 2.5
"""A difference that dies out never crosses 0 where its speed, over all of its frames, is at most so many times it."""


@dataclass(frozen=True, eq=False)
class FootHeights:
    """Heights `(F,)` of feet: the example's, and what was above it in the last step; each with its change in that step.

    rise: what is left of the last transition. lift: how high a foot is raised on its way, a step in place of a slide.
    """

    own: Float64
    own_change: Float64
    above: Float64
    above_change: Float64
    rise: Decay
    lift: Float64

    @classmethod
    def at_rest(cls, heights: Float64) -> "FootHeights":
        """Return the heights of feet that are as in their example."""
        nothing, one = np.zeros(len(heights)), np.ones(len(heights))
        return cls(heights, nothing, nothing, nothing, Decay(nothing, nothing, one, one), nothing)

    def gone_over(self, examples: LiveExamples, before: float, frame: float) -> "FootHeights":
        """Return the heights after a transition to one frame, seen at the next: nobody is where he was suddenly."""
        own = heights_at(examples, before)
        above = self.above + self.own - own
        change = self.above_change + self.own_change - (heights_at(examples, frame) - own)
        rise = dying_out(above, change, HEIGHT_SECONDS * examples.index.frames_per_second)
        return FootHeights(own, self.own_change, above, change, rise, np.zeros(len(own)))

    def raised(self, examples: LiveExamples, begun: NDArray[np.bool_], lift: Float64) -> "FootHeights":
        """Return the heights where some feet begin another way, on which they are raised; the way before dies out."""
        rise = dying_out(self.above, self.above_change, HEIGHT_SECONDS * examples.index.frames_per_second)
        return replace(self, rise=self.rise.begun_anew(begun, rise), lift=np.where(begun, lift, self.lift))

    def next(self, examples: LiveExamples, frame: float, ease: Decay) -> "FootHeights":
        """Return the heights a step later, at a frame; ease: the ways on which feet are raised."""
        own, rise = heights_at(examples, frame), self.rise.next()
        share = np.minimum(np.asarray(ease.since) / ease.frames, 1.0)
        # Nothing at both ends of a way, and where a foot is as high by itself.
        low = np.clip(1.0 - (own - examples.ground) / (HIGHEST_LIFT * examples.skeleton.size), 0.0, 1.0)
        above = rise.now() + low * self.lift * (4.0 * share * (1.0 - share)) ** 2
        return FootHeights(own, own - self.own, above, above - self.above, rise, self.lift)

    @property
    def total(self) -> Float64:
        """`(F,)` where feet are."""
        return self.own + self.above


def dying_out(above: Float64, change: Float64, frames: float) -> Decay:
    """Return how heights `(F,)` above an example's, with their change, die out in so many frames or less: none sinks
    below the example's that was above it, and none sinks on that was below.
    """
    height, change = np.maximum(above, 0.0), np.where(above > 0.0, change, np.maximum(change, 0.0))
    soonest = NO_CROSSING * height / np.maximum(-change, 1e-9)
    within = np.where(change < 0.0, np.clip(soonest, 1.0, frames), frames)
    return Decay(above, np.maximum(change, -NO_CROSSING * height / within), within, np.zeros(len(above)))


def heights_at(examples: LiveExamples, frame: float) -> Float64:
    """Return the height `(F,)` of each foot at a frame, between two maybe."""
    before = int(frame)
    share, after = frame - before, min(before + 1, len(examples.heights) - 1)
    return np.asarray((1 - share) * examples.heights[before] + share * examples.heights[after], np.float64)
