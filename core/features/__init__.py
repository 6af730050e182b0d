# SPDX-License-Identifier: GPL-3.0-or-later
"""Features of frames, and their nearest patches (paper, sections 3.1 to 3.3)."""

from .body_parts import Part, complete, grown, left_and_right, limb_partition, upper_and_lower, whole_body

__all__ = ["Part", "complete", "grown", "left_and_right", "limb_partition", "upper_and_lower", "whole_body"]
