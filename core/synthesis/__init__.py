# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis of one motion from examples and constraints."""

from ..planning.crossfades import SHORTEST_CROSSFADE_SECONDS as CROSSFADE_SECONDS
from .result import stepped_as_sources, synthesis_arrays, with_stepped_poses
from .values_beside import SourceRows, values_beside

__all__ = [
    "CROSSFADE_SECONDS",
    "SourceRows",
    "stepped_as_sources",
    "synthesis_arrays",
    "values_beside",
    "with_stepped_poses",
]
