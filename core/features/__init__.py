# SPDX-License-Identifier: GPL-3.0-or-later
"""Features of frames, and their nearest patches (paper, sections 3.1 to 3.3)."""

from .body_parts import Part, complete, grown, left_and_right, limb_partition, upper_and_lower, whole_body
from .principal_axes import principal_axes
from .sound import HEARD_CHANGE, find_beats, loudness

__all__ = [
    "HEARD_CHANGE",
    "Part",
    "complete",
    "find_beats",
    "grown",
    "left_and_right",
    "limb_partition",
    "loudness",
    "principal_axes",
    "upper_and_lower",
    "whole_body",
]
