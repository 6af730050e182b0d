# SPDX-License-Identifier: GPL-3.0-or-later
"""A new row of the list of foot locks: its first values, and the lock."""

from typing import Any

from bpy.types import Context, Object

from ...animation.foot_locks import LockedFoot
from ...state.bone_lists import feet_of
from ...state.properties import readable_settings
from ..common.new_rows import named_bone, next_second

KINDS = (
    ("ALWAYS", "Always", "The foot stays in one place from the first frame to the last"),
    ("NEVER", "Never", "The foot moves as in the examples, even where it would be locked automatically"),
)


def prepare_foot_lock(operator: Any, context: Context, character: Object) -> None:
    """Set the active bone, else a known foot, and one second from the current frame."""
    settings = readable_settings(character, context.scene)
    operator.first, operator.last = next_second(context.scene)
    if not operator.bone:
        feet = feet_of(settings.feet) or feet_of(settings.found_feet)
        active = character.data.bones.active
        operator.bone = active.name if active is not None else next(iter(feet), "")


def new_foot_lock(operator: Any, _context: Context, character: Object) -> LockedFoot:
    """Return the lock. Raises InputError for a bone that the character does not have."""
    bone = named_bone(character, operator.bone)
    return LockedFoot(bone.name, operator.kind == "ALWAYS", operator.first, operator.last)
