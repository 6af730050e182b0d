# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature for a skeleton without a character, such as that of a library."""

import bpy
import numpy as np
from bpy.types import Armature, Context, Object
from mathutils import Vector

from ..animation.edited_armature import edited_armature
from ..core import Float64, Skeleton

SHORTEST = 0.01
"""Length of a bone without children, in sizes of the skeleton; Blender removes bones of zero length."""


def add_plain_armature(context: Context, name: str, skeleton: Skeleton) -> Object:
    """Return a new armature object in the scene, whose bones connect the joints."""
    data = edited_armature(context, name, lambda armature: _add_bones(armature, skeleton))
    armature = bpy.data.objects.new(name, data)
    context.scene.collection.objects.link(armature)
    context.view_layer.objects.active = armature
    context.view_layer.update()
    return armature


def _add_bones(armature: Armature, skeleton: Skeleton) -> None:
    heads = skeleton.rest_positions
    tails = _tails(skeleton, heads)
    for joint, name in enumerate(skeleton.names):
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = Vector(heads[joint].tolist()), Vector(tails[joint].tolist())
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            bone.parent = armature.edit_bones[parent]


def _tails(skeleton: Skeleton, heads: Float64) -> Float64:
    """Return the tails `(J, 3)` of bones: the mean of their children; without children, in the parent's direction."""
    shortest = SHORTEST * skeleton.size
    tails = heads + np.array(skeleton.up) * shortest
    for joint, parent in enumerate(skeleton.parents):
        below = np.flatnonzero(skeleton.parents == joint)
        ahead = heads[below].mean(axis=0) - heads[joint] if len(below) else heads[joint] - heads[max(parent, 0)]
        length = float(np.linalg.norm(ahead))
        if length > shortest:
            tails[joint] = heads[joint] + (ahead if len(below) else ahead * min(1.0, 5 * shortest / length))
    return tails
