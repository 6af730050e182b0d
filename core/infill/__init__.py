# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling of gaps in a motion from a library: the best windows between two poses, and the cost of each duration."""

from .fill import FillingLibrary, alternatives, fill_gap, prepare_filling
from .gap import DurationCosts, Filling, Gap
from .gap_search import cost_durations
from .timing import Timing, choose_duration, durations_to_compare
from .trajectories import GapTrajectory, TrajectoryName, trajectories_through

__all__ = [
    "DurationCosts",
    "Filling",
    "FillingLibrary",
    "Gap",
    "GapTrajectory",
    "Timing",
    "TrajectoryName",
    "alternatives",
    "choose_duration",
    "cost_durations",
    "durations_to_compare",
    "fill_gap",
    "prepare_filling",
    "trajectories_through",
]
