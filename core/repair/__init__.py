# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair of recorded motion, and rough stretches made natural."""

from .denoising import denoised
from .fitting import fit_to_places
from .flaws import ALL_KINDS, OF_WEIGHT, Flaw, FlawKind, find_flaws, marked_frames
from .naturalizing import naturalize
from .penetrations.finding import frames_through_body
from .repairing import in_balance_as, repair
from .weight.falling import KeptInFlight

__all__ = [
    "ALL_KINDS",
    "OF_WEIGHT",
    "Flaw",
    "FlawKind",
    "KeptInFlight",
    "denoised",
    "find_flaws",
    "fit_to_places",
    "frames_through_body",
    "in_balance_as",
    "marked_frames",
    "naturalize",
    "repair",
]
