# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of example frames by the speed and turning of the root around them."""

import numpy as np

from ..arrays import Array, Float64, Mask
from ..examples.example_data import Examples
from ..examples.part_plans import PartPlan
from ..motion.filters import smooth
from ..motion.ground_travel import STANDS, SWAY_SECONDS
from ..motion.root_motion import TURN_UNIT
from ..planning.frame_cost import FrameCost

SPEED_UNIT = 0.35
"""Difference in speed that costs one vote, as a share of the examples' mean speed."""
MOST_RATE_COST = 8.0
"""Highest cost for each of these, in votes."""


def cost_of(units: Array) -> Array:
    """Return the costs, in votes, of differences in units of speed, turning or height."""
    return np.asarray(np.minimum(units**2, MOST_RATE_COST))


def frame_cost_of_rates(examples: Examples, plan: PartPlan, speed: Array | None, turn: Array, length: int) -> FrameCost:
    """Return the cost of frames that differ from a target `speed` and `turn` `(F,)`, both per frame; nan is free.

    Without a target speed, and where it is that of travel, examples that stay in place cost most, if others travel.
    """
    speeds, turns = _example_rates(examples, plan)
    mean = max(examples.mean_root_speed, 1e-9)
    targets = [(turn, turns, TURN_UNIT / examples.frames_per_second)]
    if speed is not None:
        targets.append((speed, speeds, SPEED_UNIT * mean))
    table = np.zeros((length, len(plan.source_frames)), np.float32)
    at = np.minimum(((np.arange(length) + 0.5) * len(turn) / length).astype(np.int64), len(turn) - 1)
    for target, rates, unit in targets:
        distances = (target[at][:, None] - rates) / unit
        table += np.where(np.isfinite(distances), cost_of(distances), 0.0)
    stands = STANDS * examples.skeleton.size / examples.frames_per_second
    travels = np.ones(length, bool) if speed is None else speed[at] > stands
    table[np.ix_(travels, _is_in_place(examples, plan))] += MOST_RATE_COST
    return FrameCost(table.astype(np.float32), np.arange(length))


def _is_in_place(examples: Examples, plan: PartPlan) -> Mask:
    """Return a mask `(n,)` of the frames that the part may show from examples that stay in place, if others travel."""
    frames = examples.speeds.sampled[plan.source_frames]
    return np.asarray(~np.isin(examples.bounds.example_of(frames), examples.traveling))


def _example_rates(examples: Examples, plan: PartPlan) -> tuple[Float64, Float64]:
    """Return the mean speed and turn of the examples around each frame `(n,)` that the part may show."""
    speeds, turns = [], []
    for number, track in enumerate(examples.tracks):
        rates = np.zeros((len(track.velocity), 3))
        rates[:, 0] = np.linalg.norm(examples.ground_velocity(number), axis=1)
        rates[:, 1] = track.yaw_rate
        smoothed = smooth(rates, SWAY_SECONDS, examples.frames_per_second)
        speeds.append(smoothed[:, 0])
        turns.append(smoothed[:, 1])
    sampled = examples.speeds.sampled[plan.source_frames]
    return np.concatenate(speeds)[sampled], np.concatenate(turns)[sampled]
