# SPDX-License-Identifier: GPL-3.0-or-later
"""Live motion: a character steered through examples, one frame at a time."""

from .controller import Controller
from .examples import LiveExamples, prepare_live
from .polishing import KEPT_WITHIN, farthest, polish
from .state import LiveState
from .wish import Wish, goal_trajectory

__all__ = [
    "KEPT_WITHIN",
    "Controller",
    "LiveExamples",
    "LiveState",
    "Wish",
    "farthest",
    "goal_trajectory",
    "polish",
    "prepare_live",
]
