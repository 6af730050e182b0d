# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of meshes as arrays, and their transformation by Blender's matrices."""

from typing import Any

import numpy as np
from bpy.types import Object
from mathutils import Matrix

from ..core import Array, Float64


def placed(matrix: Matrix | Array, points: Array) -> Float64:
    """Return points `(..., 3)` transformed by a matrix `(4, 4)`."""
    array = np.array(matrix, np.float64)
    return np.asarray(points @ array[:3, :3].T + array[:3, 3])


def vertices_of(mesh: Any) -> Float64:
    """Return the places `(N, 3)` of the vertices of a `Mesh` in its own space."""
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def triangles_of(evaluated: Object, matrix: Matrix) -> Float64:
    """Return the triangles `(M, 3, 3)` of an evaluated object, transformed by a matrix; none without a mesh."""
    mesh = evaluated.to_mesh()
    if mesh is None:
        return np.zeros((0, 3, 3))
    try:
        mesh.calc_loop_triangles()
        corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        return placed(matrix, vertices_of(mesh))[corners.reshape(-1, 3)]
    finally:
        evaluated.to_mesh_clear()
