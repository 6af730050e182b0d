# SPDX-License-Identifier: GPL-3.0-or-later
"""World positions of a character's visible bones, as posed, and of their custom shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Mesh, Object, PoseBone
from mathutils import Matrix

from ...animation.points import placed, vertices_of
from ...core import Array
from .bone_picking import Lines

MOST_EDGES = 500
"""Most edges of a shape; a shape with more is replaced by its bounding box."""
BOX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
"""Edges between the corners of an object's `bound_box`."""


def shown_bones(character: Object, depsgraph: Depsgraph) -> tuple[tuple[str, ...], Lines]:
    """Return the names of all bones, and a world line from head to tail for each that is not hidden."""
    bones = character.pose.bones
    posed = character.evaluated_get(depsgraph)
    ends = np.empty((len(bones), 2, 3), np.float32)
    for index, name in enumerate(("head", "tail")):
        flat = np.empty(3 * len(bones), np.float32)
        posed.pose.bones.foreach_get(name, flat)
        ends[:, index] = flat.reshape(-1, 3)
    numbers = np.flatnonzero(~hidden_bones(character))
    return tuple(bones.keys()), Lines(placed(posed.matrix_world, ends[numbers]), numbers)


def hidden_bones(character: Object) -> Any:
    """Return whether each bone is hidden `(B,)`, by itself or because all its collections are."""
    bones: Any = character.pose.bones
    hidden = np.zeros(len(bones), bool)
    # Up to Blender 4.5 the armature's bones store it, since 5.0 those of the pose.
    (bones if hasattr(PoseBone, "hide") else character.data.bones).foreach_get("hide", hidden)
    names, collections = bones.keys(), character.data.collections_all
    if all(collection.is_visible_effectively for collection in collections):
        return hidden
    inside = {bone.name for collection in collections for bone in collection.bones}
    visible = {
        bone.name for collection in collections if collection.is_visible_effectively for bone in collection.bones
    }
    return hidden | np.array([name in inside and name not in visible for name in names], bool)


def bone_lines(character: Object, depsgraph: Depsgraph) -> tuple[tuple[str, ...], Lines]:
    """Return the names of all bones, and world lines for the visible ones: head to tail, and custom shapes."""
    names, lines = shown_bones(character, depsgraph)
    if not character.data.show_bone_custom_shapes:
        return names, lines
    posed = character.evaluated_get(depsgraph)
    outlines: dict[Object, Array] = {}
    ends, numbers = [lines.ends], [lines.bones]
    for number in lines.bones.tolist():
        bone = posed.pose.bones[number]
        shape = bone.custom_shape
        if shape is None:
            continue
        if shape not in outlines:
            outlines[shape] = _outline(shape)
        ends.append(placed(posed.matrix_world @ _shape_matrix(bone), outlines[shape]))
        numbers.append(np.full(len(ends[-1]), number))
    return names, Lines(np.concatenate(ends), np.concatenate(numbers))


def _shape_matrix(bone: PoseBone) -> Matrix:
    """Return the transform from a custom shape to the armature, as Blender draws it."""
    carrier = bone.custom_shape_transform or bone
    size = bone.bone.length if bone.use_custom_shape_bone_size else 1.0
    factors: Any = bone.custom_shape_scale_xyz
    scale = Matrix.Diagonal((*(size * factor for factor in factors), 1.0))
    turn = bone.custom_shape_rotation_euler.to_matrix().to_4x4()
    return carrier.matrix @ Matrix.Translation(bone.custom_shape_translation) @ turn @ scale


def _outline(shape: Object) -> Array:
    """Return the edges `(N, 2, 3)` of a shape in its own space, or those of its bounding box."""
    mesh: Any = shape.data
    if isinstance(mesh, Mesh) and 0 < len(mesh.edges) <= MOST_EDGES:
        pairs = np.empty(2 * len(mesh.edges), np.int32)
        mesh.edges.foreach_get("vertices", pairs)
        edges: Array = vertices_of(mesh)[pairs.reshape(-1, 2)]
        return edges
    box: Array = np.array(shape.bound_box, np.float64)[np.array(BOX_EDGES)]
    return box


def named(numbers: Sequence[int] | set[int], names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of some bones, in the order of the armature."""
    return tuple(names[number] for number in sorted(numbers))
