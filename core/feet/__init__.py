# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: the joints that stand, their contacts, and inverse kinematics that keeps them in place."""

from .contact_detection import (
    LOWEST_PERCENT,
    TOES,
    Foot,
    feet_by_name,
    find_feet,
    ground_heights,
    label_contacts,
)
from .footing import contact_changes
from .leg_ik import move_root
from .soft_footing import standing_of
from .two_bone_ik import knee_of

__all__ = [
    "LOWEST_PERCENT",
    "TOES",
    "Foot",
    "contact_changes",
    "feet_by_name",
    "find_feet",
    "ground_heights",
    "knee_of",
    "label_contacts",
    "move_root",
    "standing_of",
]
