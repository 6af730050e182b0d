# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as the ground of a character: their evaluated meshes, in the space of the character's roots."""

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ..core import Float64, InputError
from ..core.environment import Surface, make_surface
from .points import triangles_of
from .rig import ancestors_of, roots_to_world

MOST_TRIANGLES = 5_000_000
"""Most triangles of a ground: at about 100 bytes for each triangle and each cell of the grid over them, 1.5 GB."""
KINDS = {"MESH", "CURVE", "SURFACE", "FONT", "META", "EMPTY"}
"""Types of objects that have faces, or whose children or instances may have some."""


def read_ground(
    ground: Object, armature: Object, with_object: bool, up: tuple[float, float, float], depsgraph: Depsgraph
) -> Surface:
    """Return the present faces of an object, of its children, and of their instances.

    with_object: the armature's object is itself a joint, so the roots are in the space of its parent. Raises InputError
    if none of them has faces.
    """
    check_ground(ground, armature)
    to_roots = roots_to_world(armature, with_object).inverted_safe()
    parts = [_triangles(evaluated, to_roots @ matrix) for evaluated, matrix in _with_faces(ground, armature, depsgraph)]
    triangles = np.concatenate([np.zeros((0, 3, 3)), *parts])
    if not len(triangles):
        raise InputError(f'The ground "{ground.name}" has no faces; choose a mesh, or a parent of meshes.')
    if len(triangles) > MOST_TRIANGLES:
        raise InputError(
            f'The ground "{ground.name}" has {len(triangles):,} triangles, more than {MOST_TRIANGLES:,}; '
            "choose a simpler mesh."
        )
    return make_surface(triangles, up)


def check_ground(ground: Object | None, armature: Object) -> None:
    """Raise InputError unless the object can be the character's ground."""
    if ground is None or ground.type not in KINDS:
        raise InputError(f'"{ground.name if ground else ""}" has no faces; choose a mesh object as the ground.')
    # An object deleted in the viewport remains in the file, but is in no scene.
    if not ground.users_scene:
        raise InputError(f'The ground "{ground.name}" is not in any scene; choose another object.')
    if armature in (ground, *ancestors_of(ground)):
        raise InputError(f'The ground "{ground.name}" is part of the character; choose another object.')


def _with_faces(ground: Object, armature: Object, depsgraph: Depsgraph) -> list[tuple[Object, Matrix]]:
    """Return evaluated objects and their matrices: the ground, its children, and their instances."""
    members = {member.name_full: member for member in (ground, *ground.children_recursive) if member != armature}
    surfaces = [
        (member.evaluated_get(depsgraph), member.evaluated_get(depsgraph).matrix_world.copy())
        for member in members.values()
        if member.type in KINDS - {"EMPTY"} and member.instance_type == "NONE"
    ]
    for instance in depsgraph.object_instances:
        parent = instance.parent
        if instance.is_instance and parent is not None and parent.original.name_full in members:
            surfaces.append((instance.object, instance.matrix_world.copy()))
    return [(evaluated, matrix) for evaluated, matrix in surfaces if evaluated.type in KINDS - {"EMPTY"}]


def _triangles(evaluated: Object, matrix: Matrix) -> Float64:
    """Return the triangles `(M, 3, 3)` of an evaluated object, transformed by a matrix."""
    triangles = triangles_of(evaluated, matrix)
    # Mirroring an object reverses the order of its faces' corners.
    return triangles[:, ::-1] if matrix.determinant() < 0 else triangles
