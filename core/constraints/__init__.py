# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: one protocol, and one file for each kind, such as poses, root paths, labels, loops (paper, 5)."""

from .constraint import Constraint
from .grounded import LEVEL, Course, OnGround, course_of, lowered_poses, put_between_poses
from .label import Labels, LabelStretch
from .locking import FootLock, FootLocks
from .loop import Loop
from .places import Places
from .pose import PoseConstraint
from .root_path import RootPath
from .spec import NOTHING, Constraints
from .waypoints import MOST_FASTER, Waypoint, Waypoints, highest_ground_speed, paths_between

__all__ = [
    "LEVEL",
    "MOST_FASTER",
    "NOTHING",
    "Constraint",
    "Constraints",
    "Course",
    "FootLock",
    "FootLocks",
    "LabelStretch",
    "Labels",
    "Loop",
    "OnGround",
    "Places",
    "PoseConstraint",
    "RootPath",
    "Waypoint",
    "Waypoints",
    "course_of",
    "highest_ground_speed",
    "lowered_poses",
    "paths_between",
    "put_between_poses",
]
