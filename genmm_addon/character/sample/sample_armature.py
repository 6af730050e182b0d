# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's armature data."""

from bpy.types import Armature, Context
from mathutils import Vector

from ...animation.edited_armature import edited_armature
from .sample_skeleton import BONES


def new_armature(context: Context, name: str, units_per_meter: float) -> Armature:
    """Return new armature data with the sample character's bones, in units of which a meter has `units_per_meter`."""
    armature = edited_armature(context, name, lambda armature: _add_bones(armature, units_per_meter))
    armature.display_type = "STICK"  # thicker bones would show through the body's knees and elbows
    return armature


def _add_bones(armature: Armature, units_per_meter: float) -> None:
    for bone in BONES:
        added = armature.edit_bones.new(bone.name)
        added.head = Vector(bone.head) * units_per_meter
        added.tail = Vector(bone.tail) * units_per_meter
        added.align_roll(Vector(bone.z_axis))
        if bone.parent is not None:
            added.parent = armature.edit_bones[bone.parent]
            added.use_connect = added.head == added.parent.tail
