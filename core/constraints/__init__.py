# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: poses, the path of the root, and loops (paper, section 5)."""

from .spec import NOTHING, Constraints, Loop, PoseConstraint, RootPath

__all__ = ["NOTHING", "Constraints", "Loop", "PoseConstraint", "RootPath"]
