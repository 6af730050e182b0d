# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone that a mesh moves with, as a face with the head, by which the mesh is assigned to a part of the body."""

from typing import Any

import numpy as np
from bpy.types import Object

from .blocks import MeshBlock

MOST_VERTICES = 500
"""Most vertices whose weights are read, evenly chosen among those that count."""


def bone_of(mesh: MeshBlock) -> str:
    """Return the bone that carries most of the vertices moved by shape keys, or of the mesh; "" if none does."""
    owner = mesh.owner
    if owner.parent is not None and owner.parent_type == "BONE":
        return str(owner.parent_bone)
    if owner.type != "MESH" or not len(owner.vertex_groups):
        return ""
    data: Any = owner.data
    chosen = _moved_vertices(owner)
    weights: dict[int, float] = {}
    for index in chosen[:: max(len(chosen) // MOST_VERTICES, 1)].tolist():
        for group in data.vertices[index].groups:
            weights[group.group] = weights.get(group.group, 0.0) + group.weight
    bones = _bones_of(owner)
    named = {owner.vertex_groups[group].name: weight for group, weight in weights.items()}
    heaviest = max((name for name in named if name in bones), key=lambda name: named[name], default="")
    return heaviest


def _moved_vertices(owner: Object) -> np.ndarray[Any, Any]:
    """Return the vertices that any shape key moves; all vertices if none does."""
    data: Any = owner.data
    every = np.arange(len(data.vertices))
    if data.shape_keys is None:
        return every
    rows = [_places(block) for block in data.shape_keys.key_blocks]
    moved = np.zeros(len(every), bool)
    for row in rows[1:]:
        moved |= np.abs(row - rows[0]).max(axis=1) > 0
    return np.flatnonzero(moved) if moved.any() else every


def _places(block: Any) -> np.ndarray[Any, Any]:
    values = np.empty(3 * len(block.data), np.float32)
    block.data.foreach_get("co", values)
    return values.reshape(-1, 3)


def _bones_of(owner: Object) -> set[str]:
    modifiers: Any = owner.modifiers
    rigs = [modifier.object for modifier in modifiers if modifier.type == "ARMATURE" and modifier.object]
    return {bone.name for rig in rigs for bone in rig.data.bones}
