# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis of one motion from examples and constraints."""

from .result import synthesis_arrays, with_stepped_poses
from .values_beside import CROSSFADE_SECONDS, SourceRows, values_beside

__all__ = ["CROSSFADE_SECONDS", "SourceRows", "synthesis_arrays", "values_beside", "with_stepped_poses"]
