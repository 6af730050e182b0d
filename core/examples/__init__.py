# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples made ready: their stages, the costs of transitions among them, and the transition graph."""

from .cycles import LONGEST_SEGMENT_SECONDS, Repetition, each_unrolled, is_cycle, unrolled
from .example_lengths import ENOUGH_SECONDS, check_lengths, note_on_lengths
from .foot_travel import with_foot_travel
from .locomotion import LocomotionSet, Move, MoveKind, locomotion_set
from .memory.estimates import (
    BodySize,
    ConstraintBytes,
    ExampleSize,
    Purpose,
    check_examples,
    check_results,
    preparation_needs,
    synthesis_needs,
)
from .memory.limits import VARIABLE, as_text, budget, fits
from .preparing import Prepared, body_size, prepare, purpose_of, with_noise
from .takes import find_takes, parted

__all__ = [
    "ENOUGH_SECONDS",
    "LONGEST_SEGMENT_SECONDS",
    "VARIABLE",
    "BodySize",
    "ConstraintBytes",
    "ExampleSize",
    "LocomotionSet",
    "Move",
    "MoveKind",
    "Prepared",
    "Purpose",
    "Repetition",
    "as_text",
    "body_size",
    "budget",
    "check_examples",
    "check_lengths",
    "check_results",
    "each_unrolled",
    "find_takes",
    "fits",
    "is_cycle",
    "locomotion_set",
    "note_on_lengths",
    "parted",
    "preparation_needs",
    "prepare",
    "purpose_of",
    "synthesis_needs",
    "unrolled",
    "with_foot_travel",
    "with_noise",
]
