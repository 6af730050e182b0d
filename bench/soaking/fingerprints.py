# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of the open file's data-blocks, for comparison with a later state."""

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import bpy
import numpy as np
from bpy.types import ID

SKIPPED = {
    # Identity, session data, and values computed from others.
    "name_full", "session_uid", "is_evaluated", "is_missing", "original", "users", "tag", "is_runtime_data", "preview",
    "bl_rna", "rna_type", "matrix_world", "matrix", "matrix_channel", "matrix_basis", "head", "tail", "bound_box",
    "dimensions", "is_updated", "is_updated_data", "use_nodes", "loop_triangles", "loop_triangle_polygons",
    "polygon_normals", "vertex_normals",
    # Values changed by reading them, or belonging to the window.
    "frame_current", "frame_current_final", "frame_float", "frame_subframe", "cursor", "view_layers", "depsgraph",
    "use_extra_user",
    # Blender 4.2 has an invalid pointer here.
    "uv_sculpt",
}  # fmt: skip
PLAIN = (bool, int, float, str, bytes, type(None))
"""Types of values that are described as they are: nearly all of them."""
DEEPEST = 5
ARRAYS: dict[str, tuple[tuple[str, int, type[np.generic]], ...]] = {
    "keyframe_points": (("co", 2, np.float32),),
    "vertices": (("co", 3, np.float32),),
    "edges": (("vertices", 2, np.int32),),
    "loops": (("vertex_index", 1, np.int32),),
    "polygons": (("loop_start", 1, np.int32), ("material_index", 1, np.int32), ("use_smooth", 1, np.bool_)),
    "corner_normals": (("vector", 3, np.float32),),
}
"""Collections of thousands, and those of their elements' properties that are compared: numbers each, and their type."""


def fingerprint(*kinds: str) -> dict[str, str]:
    """Return a digest of each data-block's content, by type and name; kinds: the types, all without any."""
    bpy.context.view_layer.update()
    _compared.cache_clear()  # classes of the extension may have been registered again since
    blocks = [
        block for block in bpy.data.user_map() if not isinstance(block, bpy.types.WindowManager | bpy.types.Screen)
    ]
    picked = [block for block in blocks if not kinds or type(block).__name__ in kinds]
    return {f"{type(block).__name__} {block.name_full}": _digest(block) for block in picked}


def _digest(block: ID) -> str:
    parts: list[str] = []
    _describe(block, 0, parts)
    # Before 5.0, these include the add-on's properties, which have been described above.
    known = block.bl_rna.properties
    parts.append(repr(sorted((key, _plain(value)) for key, value in block.items() if key not in known)))
    return hashlib.sha1("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _describe(thing: Any, depth: int, parts: list[str]) -> None:
    of_class: Any = type(thing)
    for name, kind in _compared(of_class):
        try:
            value = getattr(thing, name)
        except (AttributeError, ValueError, RuntimeError):
            continue
        if kind == "POINTER":
            _describe_pointer(name, value, depth, parts)
        elif kind == "COLLECTION":
            _describe_collection(name, value, depth, parts)
        else:
            parts.append(f"{depth} {name} {_plain(value)!r}")


@cache
def _compared(of_class: Any) -> tuple[tuple[str, str], ...]:
    """Return the names and types of the properties that are compared of one of Blender's classes."""
    return tuple((item.identifier, item.type) for item in of_class.bl_rna.properties if item.identifier not in SKIPPED)


def _describe_pointer(name: str, value: Any, depth: int, parts: list[str]) -> None:
    if value is None or isinstance(value, ID):
        parts.append(f"{depth} {name} -> {value.name_full if value else None}")
    elif depth < DEEPEST and type(value).__name__ not in ("Mesh", "RenderSettings", "View3DShading"):
        parts.append(f"{depth} {name}:")
        _describe(value, depth + 1, parts)


def _describe_collection(name: str, value: Any, depth: int, parts: list[str]) -> None:
    parts.append(f"{depth} {name} x{len(value)}")
    if depth >= DEEPEST or not len(value):
        return
    if name in ARRAYS:
        parts.extend(_array_digests(name, value))
        return
    for element in value:
        if isinstance(element, ID):
            parts.append(f"{depth} {name} -> {element.name_full}")
        elif name == "channels" and isinstance(element, bpy.types.FCurve):
            # A group's curves are described among those of the action.
            parts.append(f"{depth} {name} -> {element.data_path}[{element.array_index}]")
        elif element is not None and name not in ("attributes", "uv_layers"):
            _describe(element, depth + 1, parts)


def _array_digests(name: str, value: Any) -> Iterator[str]:
    """Yield a digest of each compared property of a collection's elements, which Blender copies in one piece."""
    for item, width, kind in ARRAYS[name]:
        numbers = np.empty(width * len(value), kind)
        value.foreach_get(item, numbers)
        yield f"{name}.{item} {hashlib.sha1(numbers.tobytes()).hexdigest()}"


def _plain(value: Any) -> Any:
    if type(value) in PLAIN:
        return value
    if isinstance(value, set):
        return sorted(value)
    if hasattr(value, "to_dict"):
        return sorted(value.to_dict().items(), key=repr)
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return [_plain(entry) for entry in value]
    return value.name_full if isinstance(value, ID) else value
