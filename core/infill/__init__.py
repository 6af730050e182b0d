# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in a motion filled out of a library: the best windows between two poses, and what each duration costs."""

from .fill import FillingLibrary, fill_gap, prepare_filling
from .gap import DurationCosts, Filling, Gap
from .gap_search import cost_durations

__all__ = ["DurationCosts", "Filling", "FillingLibrary", "Gap", "cost_durations", "fill_gap", "prepare_filling"]
