# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of quality from the literature, for single results, their transitions, and sets of motions."""

from .set_measures import Reference, SetMeasures, measure_set, prepare_reference
from .visible_legs import LegFlaw, LegFlawKind, StandingLegs, leg_flaws
from .visible_transitions import HALF_WINDOW_SECONDS, VISIBLE_GAP, transition_gaps

__all__ = [
    "HALF_WINDOW_SECONDS",
    "VISIBLE_GAP",
    "LegFlaw",
    "LegFlawKind",
    "Reference",
    "SetMeasures",
    "StandingLegs",
    "leg_flaws",
    "measure_set",
    "prepare_reference",
    "transition_gaps",
]
