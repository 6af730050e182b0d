# SPDX-License-Identifier: GPL-3.0-or-later
"""Live motion: a character steered through examples, a frame at a time."""

from .controller import Controller
from .examples import LiveExamples, prepare_live
from .polishing import polish
from .state import LiveState
from .wish import Wish, goal_way

__all__ = ["Controller", "LiveExamples", "LiveState", "Wish", "goal_way", "polish", "prepare_live"]
