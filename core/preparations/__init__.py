# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparations kept on disk: what `prepare` makes of many examples, read instead of made a second time."""

from .kept import LEAST_FRAMES, VARIABLE, prepare_kept

__all__ = ["LEAST_FRAMES", "VARIABLE", "prepare_kept"]
