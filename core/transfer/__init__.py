# SPDX-License-Identifier: GPL-3.0-or-later
"""Transfer of motion to another skeleton, and to the same one with left and right exchanged."""

from .bone_names import match_names
from .mirroring import Symmetry, counterpart, find_symmetry, mirror, other_side, partners_by_name
from .natural_rest import usual_pose
from .retarget import carrier_of, ground_of, moved_joints, needs_target_pose, retarget

__all__ = [
    "Symmetry",
    "carrier_of",
    "counterpart",
    "find_symmetry",
    "ground_of",
    "match_names",
    "mirror",
    "moved_joints",
    "needs_target_pose",
    "other_side",
    "partners_by_name",
    "retarget",
    "usual_pose",
]
