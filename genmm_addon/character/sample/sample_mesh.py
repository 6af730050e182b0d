# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's body as one skinned mesh."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object

from .sample_body import COLORS, body
from .sample_surface import BodySurface


def new_body(armature: Object, units_per_meter: float) -> Object:
    """Return a new mesh object, not yet linked, skinned to the bones of `armature` and parented to it."""
    surfaces = body()
    mesh = _mesh(surfaces, units_per_meter)
    skin = bpy.data.objects.new(armature.name + " Body", mesh)
    skin.parent = armature
    modifier: Any = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    _write_weights(skin, surfaces)
    return skin


def _mesh(surfaces: Sequence[BodySurface], units_per_meter: float) -> Mesh:
    mesh = bpy.data.meshes.new("GenMM Sample Body")
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    faces: list[list[int]] = []
    materials: list[int] = []
    names = list(COLORS)
    for start, surface in zip(starts, surfaces, strict=False):
        shaped = [*(surface.quads + start).tolist(), *(surface.triangles + start).tolist()]
        faces += shaped
        materials += [names.index(surface.material)] * len(shaped)
    vertices = np.concatenate([surface.vertices for surface in surfaces]) * units_per_meter
    mesh.from_pydata(vertices.tolist(), [], faces)
    for name in names:
        mesh.materials.append(_material(name))
    mesh.polygons.foreach_set("material_index", np.array(materials, np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
    mesh.update()
    return mesh


def _material(name: str) -> Material:
    """Return the character's material of this name, shared with existing sample characters."""
    known: Material | None = bpy.data.materials.get((name, None))
    if known is not None:
        return known
    material = bpy.data.materials.new(name)
    material.diffuse_color = COLORS[name]
    if material.node_tree is None:  # from 5.0 on, every material has nodes
        material.use_nodes = True
    nodes: Any = material.node_tree.nodes
    for node in nodes:
        if node.type == "BSDF_PRINCIPLED":
            node.inputs["Base Color"].default_value = COLORS[name]
    return material


def _write_weights(skin: Object, surfaces: Sequence[BodySurface]) -> None:
    start = 0
    for surface in surfaces:
        for bone, weights in zip(surface.bones, surface.weights.T, strict=True):
            group = skin.vertex_groups.get(bone) or skin.vertex_groups.new(name=bone)
            for weight in np.unique(weights[weights > 0]):
                group.add((start + np.flatnonzero(weights == weight)).tolist(), float(weight), "REPLACE")
        start += len(surface.vertices)
