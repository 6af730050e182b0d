# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature with the bones of a skeleton that has no character of its own, as that of a library."""

import bpy
import numpy as np
from bpy.types import Armature, Context, Object
from mathutils import Vector
from numpy.typing import NDArray

from ..core import Skeleton
from ..sample.sample_armature import edited_armature

SHORTEST = 0.01
"""Length of a bone that leads nowhere, in sizes of the skeleton: Blender drops bones without any."""


def add_plain_armature(context: Context, name: str, skeleton: Skeleton) -> Object:
    """Return a new armature object in the scene whose bones lead from joint to joint."""
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


def _tails(skeleton: Skeleton, heads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where bones end `(J, 3)`: amid their children, and without any as the bone above goes on."""
    shortest = SHORTEST * skeleton.size
    tails = heads + np.array(skeleton.up) * shortest
    for joint, parent in enumerate(skeleton.parents):
        below = np.flatnonzero(skeleton.parents == joint)
        ahead = heads[below].mean(axis=0) - heads[joint] if len(below) else heads[joint] - heads[max(parent, 0)]
        length = float(np.linalg.norm(ahead))
        if length > shortest:
            tails[joint] = heads[joint] + (ahead if len(below) else ahead * min(1.0, 5 * shortest / length))
    return tails
