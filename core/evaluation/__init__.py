# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures from the literature: of quality, of single results, transitions and sets, and of bodies with weight."""

from .body.capsules import TOO_DEEP, Capsules, find_capsules, penetration_depths, usual_depths
from .body.center import center_of_mass, extrapolated_center
from .body.flights import Flight, find_flights, find_gravity, gravity_error, gravity_of_examples
from .body.segments import BodyModel, find_body_model
from .body.skin import RestSkin, body_model_of_skin, capsules_of_skin
from .body.stands import Stands, find_balance, find_stands
from .body.support import Support, find_support
from .set_measures import Reference, SetMeasures, measure_set, prepare_reference
from .visible_legs import LegFlaw, LegFlawKind, StandingLegs, leg_flaws
from .visible_transitions import HALF_WINDOW_SECONDS, VISIBLE_GAP, transition_gaps

__all__ = [
    "HALF_WINDOW_SECONDS",
    "TOO_DEEP",
    "VISIBLE_GAP",
    "BodyModel",
    "Capsules",
    "Flight",
    "LegFlaw",
    "LegFlawKind",
    "Reference",
    "RestSkin",
    "SetMeasures",
    "StandingLegs",
    "Stands",
    "Support",
    "body_model_of_skin",
    "capsules_of_skin",
    "center_of_mass",
    "extrapolated_center",
    "find_balance",
    "find_body_model",
    "find_capsules",
    "find_flights",
    "find_gravity",
    "find_stands",
    "find_support",
    "gravity_error",
    "gravity_of_examples",
    "leg_flaws",
    "measure_set",
    "penetration_depths",
    "prepare_reference",
    "transition_gaps",
    "usual_depths",
]
