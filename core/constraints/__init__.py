# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: one protocol, and one file for each kind, such as poses, root paths, labels, loops (paper, 5)."""

from .constraint import Constraint, SignalMatch
from .follow import Drive, Follow, OnBeat, accents
from .foot_locks import FootLock, FootLocks
from .grounded.constraint import LEVEL, Course, OnGround, course_of, lowered_poses, put_between_poses
from .label import Labels, LabelStretch
from .loop import Loop
from .places import Places
from .pose import PoseConstraint
from .root_path import RootPath
from .spec import NOTHING, Constraints
from .waypoints.reach import MOST_FASTER, highest_ground_speed
from .waypoints.route import paths_between
from .waypoints.waypoint import Waypoint
from .waypoints.waypoints import Waypoints

__all__ = [
    "LEVEL",
    "MOST_FASTER",
    "NOTHING",
    "Constraint",
    "Constraints",
    "Course",
    "Drive",
    "Follow",
    "FootLock",
    "FootLocks",
    "LabelStretch",
    "Labels",
    "Loop",
    "OnBeat",
    "OnGround",
    "Places",
    "PoseConstraint",
    "RootPath",
    "SignalMatch",
    "Waypoint",
    "Waypoints",
    "accents",
    "course_of",
    "highest_ground_speed",
    "lowered_poses",
    "paths_between",
    "put_between_poses",
]
