# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling, continuing, connecting and regenerating stretches of a motion from a library's clips."""

from ..constraints.pose_targets import CONTEXT_SECONDS
from .alternatives import DIFFERENCE
from .blending import blended
from .connecting import Connection, connect
from .fill import alternatives, fill_gap
from .fillings import DurationCosts, Filling
from .gap_search import cost_durations
from .nearby import nearby_motions
from .replan import Replanned, context_frames, replan
from .surroundings import Surroundings, carried_on
from .timing import Timing, choose_duration, durations_to_compare
from .trajectories import GapTrajectory, TrajectoryName, trajectories_through

__all__ = [
    "CONTEXT_SECONDS",
    "DIFFERENCE",
    "Connection",
    "DurationCosts",
    "Filling",
    "GapTrajectory",
    "Replanned",
    "Surroundings",
    "Timing",
    "TrajectoryName",
    "alternatives",
    "blended",
    "carried_on",
    "choose_duration",
    "connect",
    "context_frames",
    "cost_durations",
    "durations_to_compare",
    "fill_gap",
    "nearby_motions",
    "replan",
    "trajectories_through",
]
