# SPDX-License-Identifier: GPL-3.0-or-later
"""Refinement of existing motion: edits of coarse keys carried onto it, and rough stretches made natural."""

from .carried_edits import carry_edits, original_at
from .naturalizing import naturalize
from .soft_footing import standing_of
from .time_map import matched_keys, original_times

__all__ = ["carry_edits", "matched_keys", "naturalize", "original_at", "original_times", "standing_of"]
