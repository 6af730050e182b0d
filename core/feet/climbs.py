# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground below feet that climb, as on stairs, slopes and ladders, where no height is that of the ground throughout."""

import numpy as np

from ..arrays import Float64
from ..motion.climbing import climbs, encode_climb, leveled
from ..motion.filters import largest_beside
from ..motion.ground_travel import IN_THE_AIR_SECONDS
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, find_anchored
from ..settings import Facing


def plan_of_climb(motion: Motion) -> RootPlan | None:
    """Return the plan of the root of a motion that climbs; None for any other one."""
    root, *companions = find_anchored([motion])
    plan = RootPlan(root, tuple(companions), Facing.FREE, False, climbs=True)
    return plan if climbs(motion, plan) else None


def on_level_ground(motion: Motion) -> Motion:
    """Return a motion that climbs on level ground; any other one as it is."""
    plan = plan_of_climb(motion)
    return motion if plan is None else leveled(motion, plan, encode_climb(motion, plan))


def above_own_ground(heights: Float64, rate: float, slow: float) -> Float64:
    """Return the heights `(T, K)` of joints above the places to which each comes down before and after.

    They are infinite where a joint goes up or down faster than one that stands: faster than `slow`, in units per
    second, and than the climb. On a slope that was made by raising a level walk, feet go up at its pace as they stand.
    """
    frames, reach = len(heights), max(round(0.5 * IN_THE_AIR_SECONDS * rate), 1)
    beside = min(2 * reach, frames - 1)
    # Beyond the ends the climb goes on.
    longer = np.pad(heights, ((beside, beside), (0, 0)), mode="reflect", reflect_type="odd")
    ground = np.stack([largest_beside(-largest_beside(-path, reach), reach) for path in longer.T], axis=1)
    pace = abs(float((heights[-1] - heights[0]).mean())) / max(frames - 1, 1)
    quick = np.abs(np.gradient(heights, axis=0)) > max(slow / rate, 1.5 * pace) if frames > 1 else False
    return np.where(quick, np.inf, heights - ground[beside : beside + frames])
