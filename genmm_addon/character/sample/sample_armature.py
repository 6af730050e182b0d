# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's armature data, made in a temporary scene so that the user's scene is unchanged."""

from collections.abc import Callable

import bpy
from bpy.types import Armature, Context
from mathutils import Vector

from .sample_skeleton import BONES


def new_armature(context: Context, name: str, units_per_meter: float) -> Armature:
    """Return new armature data with the sample character's bones, in units of which a meter has `units_per_meter`."""
    armature = edited_armature(context, name, lambda armature: _add_bones(armature, units_per_meter))
    armature.display_type = "STICK"  # thicker bones would show through the body's knees and elbows
    return armature


def edited_armature(
    context: Context, name: str, add_bones: Callable[[Armature], None], source: Armature | None = None
) -> Armature:
    """Return new armature data, or a copy of `source`, to which `add_bones` has added bones in edit mode.

    Bones can be added in edit mode only, which a hidden collection prevents; a temporary scene avoids that.
    """
    armature = bpy.data.armatures.new(name) if source is None else source.copy()
    scene = bpy.data.scenes.new(name)
    editing = bpy.data.objects.new(name, armature)
    try:
        scene.collection.objects.link(editing)
        view_layer = scene.view_layers[0]
        view_layer.objects.active = editing
        with context.temp_override(scene=scene, view_layer=view_layer, object=editing, active_object=editing):
            bpy.ops.object.mode_set(mode="EDIT")
            try:
                add_bones(armature)
            finally:
                bpy.ops.object.mode_set(mode="OBJECT")
    except Exception:
        bpy.data.armatures.remove(armature)  # this also removes the object
        raise
    else:
        bpy.data.objects.remove(editing)
    finally:
        bpy.data.scenes.remove(scene)
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
