# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache on disk of values made from many examples, which are read instead of being made a second time."""

from .kept import LEAST_FRAMES, VARIABLE, KeptFiles, made_once, prepare_kept

__all__ = ["LEAST_FRAMES", "VARIABLE", "KeptFiles", "made_once", "prepare_kept"]
