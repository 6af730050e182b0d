# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of example frames by how fast the root walks and turns around them."""

import numpy as np
from numpy.typing import NDArray

from ..library.example_data import Examples
from ..library.part_plans import PartPlan
from ..motion.filters import smooth
from ..planning.frame_cost import FrameCost

RATE_COST = 0.5
"""Votes against a frame that walks, or turns, by one of these units (squared) otherwise than is wanted:"""
SPEED_UNIT = 0.25
"""a share of the examples' mean speed,"""
TURN_UNIT = 0.35
"""radians per second."""
MOST_RATE_COST = 8.0
RATE_SECONDS = 0.35
"""Over about this long the examples' speed and turning are averaged: a step has its own ups and downs."""


def frame_cost_of_rates(
    examples: Examples, plan: PartPlan, speed: NDArray[np.floating] | None, turn: NDArray[np.floating], length: int
) -> FrameCost:
    """Return the cost of walking or turning otherwise than `speed` and `turn` `(F,)`, per frame; nan is free."""
    speeds, turns = _example_rates(examples, plan)
    mean = max(examples.mean_root_speed, 1e-9)
    targets = [(turn, turns, TURN_UNIT / examples.frames_per_second)]
    if speed is not None:
        targets.append((speed, speeds, SPEED_UNIT * mean))
    table = np.zeros((length, len(plan.source_frames)), np.float32)
    at = np.minimum(((np.arange(length) + 0.5) * len(turn) / length).astype(np.int64), len(turn) - 1)
    for target, there, unit in targets:
        distances = (target[at][:, None] - there) / unit
        table += np.where(np.isfinite(distances), np.minimum(RATE_COST * distances**2, MOST_RATE_COST), 0.0)
    return FrameCost(table.astype(np.float32), np.arange(length))


def _example_rates(examples: Examples, plan: PartPlan) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean speed and turn of the examples around each frame `(n,)` that the part may show."""
    speeds, turns = [], []
    for track in examples.tracks:
        ways = np.zeros((len(track.velocity), 3))
        ways[:, 0] = np.linalg.norm(track.velocity, axis=1)
        ways[:, 1] = track.yaw_rate
        smoothed = smooth(ways, RATE_SECONDS, examples.frames_per_second)
        speeds.append(smoothed[:, 0])
        turns.append(smoothed[:, 1])
    sampled = examples.speeds.sampled[plan.source_frames]
    return np.concatenate(speeds)[sampled], np.concatenate(turns)[sampled]
