# SPDX-License-Identifier: GPL-3.0-or-later
"""Values made of many examples, kept on disk: read instead of made a second time."""

from .kept import LEAST_FRAMES, VARIABLE, KeptFiles, made_once, prepare_kept

__all__ = ["LEAST_FRAMES", "VARIABLE", "KeptFiles", "made_once", "prepare_kept"]
