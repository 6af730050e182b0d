# SPDX-License-Identifier: GPL-3.0-or-later
"""A character's surface at a frame as meshes of its own: its posed meshes, or sticks along its bones."""

import bpy
import numpy as np
from bpy.types import Mesh, Object, Scene
from numpy.typing import NDArray

STICK_FACES = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (5, 2, 1), (5, 3, 2), (5, 4, 3), (5, 1, 4)]


def surfaces_of(armature: Object) -> list[Object]:
    """Return the rendered meshes that are parented to the armature or deformed by it."""
    hanging = set(armature.children_recursive)
    return [
        thing
        for thing in bpy.data.objects
        if thing.type == "MESH"
        and not thing.hide_render
        and thing.data.polygons
        and (thing in hanging or thing.find_armature() == armature)
    ]


def posed_meshes(armature: Object, scene: Scene, frame: float, sticks: bpy.types.Material) -> list[Mesh]:
    """Return the character's meshes at `frame` in world space; without any, sticks of the material `sticks`."""
    scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    depsgraph = scene.view_layers[0].depsgraph
    surfaces = surfaces_of(armature)
    if not surfaces:
        return [_sticks(armature.evaluated_get(depsgraph), sticks)]
    meshes = []
    for surface in surfaces:
        evaluated = surface.evaluated_get(depsgraph)
        mesh = bpy.data.meshes.new_from_object(evaluated, depsgraph=depsgraph)
        mesh.transform(evaluated.matrix_world)
        meshes.append(mesh)
    return meshes


def points_of(meshes: list[Mesh]) -> NDArray[np.float32]:
    """Return all vertices `(V, 3)` of the meshes."""
    return np.concatenate([_points(mesh) for mesh in meshes])


def _points(mesh: Mesh) -> NDArray[np.float32]:
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def _segments(armature: Object) -> NDArray[np.float64]:
    """Return both ends `(S, 2, 3)` of each stick in world space: from joint to joint, and along the last bones."""
    world, ends = np.array(armature.matrix_world), []
    for bone in armature.pose.bones:
        # A root with one child is a mark on the ground, not a part of the body.
        if bone.parent is not None and (bone.parent.parent is not None or len(bone.parent.children) > 1):
            ends.append((bone.parent.head, bone.head))
        if not bone.children:
            ends.append((bone.head, bone.tail))
    points = np.array([[end.to_4d() for end in pair] for pair in ends])
    return np.asarray((points @ world.T)[..., :3])


def _sticks(armature: Object, material: bpy.types.Material) -> Mesh:
    """Return an octahedron along each segment, as the viewport draws bones."""
    heads, tails = np.moveaxis(_segments(armature), 1, 0)
    along = tails - heads
    # Any direction that is not parallel to the stick gives its sides.
    other = np.where(np.abs(along[:, :1]) < np.abs(along[:, 2:]), [[1.0, 0, 0]], [[0, 0, 1.0]])
    side = np.cross(along, other)
    lengths = np.linalg.norm(along, axis=1, keepdims=True)
    thickness = np.minimum(0.2 * lengths, 0.013 * np.ptp(heads, axis=0).max())
    side *= thickness / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    across = np.cross(along, side) / np.maximum(lengths, 1e-12)
    middle = heads + 0.15 * along
    corners = [heads, middle + side, middle + across, middle - side, middle - across, tails]
    vertices = np.stack(corners, axis=1).reshape(-1, 3)
    faces = [tuple(6 * stick + corner for corner in face) for stick in range(len(heads)) for face in STICK_FACES]
    mesh = bpy.data.meshes.new("Sticks")
    mesh.from_pydata(vertices.tolist(), [], faces)
    mesh.materials.append(material)
    return mesh
