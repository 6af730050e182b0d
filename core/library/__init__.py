# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepared examples: features, transition costs and the transition graph."""

from .example_lengths import ENOUGH_SECONDS, check_lengths, note_on_lengths, short_note
from .examples import Prepared, body_size, prepare, purpose_of, with_noise

__all__ = [
    "ENOUGH_SECONDS",
    "Prepared",
    "body_size",
    "check_lengths",
    "note_on_lengths",
    "prepare",
    "purpose_of",
    "short_note",
    "with_noise",
]
