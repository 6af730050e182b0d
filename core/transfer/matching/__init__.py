# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of two skeletons' joints by shape, with names as a hint."""

from .joints import JointMatch, JointPair, match_joints

__all__ = ["JointMatch", "JointPair", "match_joints"]
