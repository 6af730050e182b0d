# SPDX-License-Identifier: GPL-3.0-or-later
"""Results on uneven ground, and poses that are fixed there."""

from .constraint import LEVEL, Course, OnGround, course_of, lowered_poses, put_between_poses

__all__ = ["LEVEL", "Course", "OnGround", "course_of", "lowered_poses", "put_between_poses"]
