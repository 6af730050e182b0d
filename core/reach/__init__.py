# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints brought to places in the world: limbs reach for them, the trunk gives way, and feet keep their places."""

from .quickest import note_on_haste, quickest_in
from .reach import Reach
from .refusals import why_not_met, why_out_of_reach
from .solving import Body, Met, find_body, meet_places

__all__ = [
    "Body",
    "Met",
    "Reach",
    "find_body",
    "meet_places",
    "note_on_haste",
    "quickest_in",
    "why_not_met",
    "why_out_of_reach",
]
