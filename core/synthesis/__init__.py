# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis: from examples and constraints to one motion."""

from .result import synthesis_arrays

__all__ = ["synthesis_arrays"]
