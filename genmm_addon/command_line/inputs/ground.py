# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground that a command names: an object of the open file, or a file with meshes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Object

from ...animation.ground_mesh import check_ground
from ...core import InputError

IMPORTERS: dict[str, Callable[..., Any]] = {
    ".obj": lambda path: bpy.ops.wm.obj_import(filepath=path),
    ".ply": lambda path: bpy.ops.wm.ply_import(filepath=path),
    ".stl": lambda path: bpy.ops.wm.stl_import(filepath=path),
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=path),
}
"""Blender's operator for reading each kind of file, by suffix."""


def ground_of(text: str, armature: Object) -> Object:
    """Return the object of a name, or the imported objects of a file, under one parent. Raises InputError."""
    ground: Object | None = bpy.data.objects.get(text)
    if ground is None:
        path = Path(text)
        if path.suffix.lower() not in IMPORTERS:
            endings = ", ".join(IMPORTERS)
            raise InputError(
                f'There is no object "{text}"; set an object of the file, or a file with meshes ({endings}).'
            )
        if not path.is_file():
            raise InputError(f'There is no file "{text}"; check its name.')
        ground = _imported(path)
    check_ground(ground, armature)
    return ground


def _imported(path: Path) -> Object:
    before = set(bpy.data.objects)
    try:
        IMPORTERS[path.suffix.lower()](str(path.absolute()))
    except RuntimeError as error:
        raise InputError(f'"{path}" cannot be read: {str(error).strip()}') from error
    new = [thing for thing in bpy.data.objects if thing not in before]
    if not any(thing.type == "MESH" for thing in new):
        raise InputError(f'"{path}" contains no mesh; choose another file as the ground.')
    tops = [thing for thing in new if thing.parent is None]
    if len(tops) == 1:
        return tops[0]
    parent = bpy.data.objects.new(path.stem, None)
    bpy.context.scene.collection.objects.link(parent)
    for thing in tops:
        thing.parent = parent
    bpy.context.view_layer.update()
    return parent
