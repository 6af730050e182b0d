# SPDX-License-Identifier: GPL-3.0-or-later
"""Armature data changed in edit mode, in a temporary scene so that the user's scene is unchanged."""

from collections.abc import Callable

import bpy
from bpy.types import Armature, Context


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
