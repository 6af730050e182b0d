# SPDX-License-Identifier: GPL-3.0-or-later
"""Transfer of motion to another skeleton, and to the same one with left and right exchanged."""

from .bone_map import BoneMap, read_bone_map, write_bone_map
from .bone_names import match_names
from .bringing import bring, connected_body, left_out
from .detached_ends import attached, detached_ends
from .matching.joints import JointMatch, match_joints
from .meanings import meanings_of
from .mirroring.mirror import counterpart, mirror
from .mirroring.side_names import other_side, partners_by_name
from .mirroring.symmetry import Symmetry, find_symmetry
from .retarget import carrier_of, ground_of, moved_joints, needs_target_pose, retarget, turn_and_scale
from .self_contacts.bodies import find_bodies
from .self_contacts.clips import keep_in_clips
from .self_contacts.keeping import ContactsToKeep, contacts_to_keep, missed_contacts, with_self_contacts
from .usual_pose import usual_pose

__all__ = [
    "BoneMap",
    "ContactsToKeep",
    "JointMatch",
    "Symmetry",
    "attached",
    "bring",
    "carrier_of",
    "connected_body",
    "contacts_to_keep",
    "counterpart",
    "detached_ends",
    "find_bodies",
    "find_symmetry",
    "ground_of",
    "keep_in_clips",
    "left_out",
    "match_joints",
    "match_names",
    "meanings_of",
    "mirror",
    "missed_contacts",
    "moved_joints",
    "needs_target_pose",
    "other_side",
    "partners_by_name",
    "read_bone_map",
    "retarget",
    "turn_and_scale",
    "usual_pose",
    "with_self_contacts",
    "write_bone_map",
]
