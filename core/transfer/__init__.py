# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of one skeleton on another."""

from .bone_names import match_names
from .retarget import carrier_of, ground_of, retarget

__all__ = ["carrier_of", "ground_of", "match_names", "retarget"]
