# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of the open file's data-blocks, for comparison with a later state."""

import hashlib
from typing import Any

import bpy
from bpy.types import ID

SKIPPED = {
    # Identity, session data, and values computed from others.
    "name_full", "session_uid", "is_evaluated", "is_missing", "original", "users", "tag", "is_runtime_data", "preview",
    "bl_rna", "rna_type", "matrix_world", "matrix", "matrix_channel", "matrix_basis", "head", "tail", "bound_box",
    "dimensions", "is_updated", "is_updated_data", "use_nodes",
    # Values changed by reading them, or belonging to the window.
    "frame_current", "frame_current_final", "frame_float", "frame_subframe", "cursor", "view_layers", "depsgraph",
    "use_extra_user",
    # Blender 4.2 has an invalid pointer here.
    "uv_sculpt",
}  # fmt: skip
DEEPEST = 5


def fingerprint(*kinds: str) -> dict[str, str]:
    """Return a digest of each data-block's content, by type and name; kinds: the types, all without any."""
    bpy.context.view_layer.update()
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
    for item in thing.bl_rna.properties:
        name = item.identifier
        if name in SKIPPED:
            continue
        try:
            value = getattr(thing, name)
        except (AttributeError, ValueError, RuntimeError):
            continue
        if item.type == "POINTER":
            _describe_pointer(name, value, depth, parts)
        elif item.type == "COLLECTION":
            _describe_collection(name, value, depth, parts)
        else:
            parts.append(f"{depth} {name} {_plain(value)!r}")


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
    if name == "keyframe_points":
        keys = [0.0] * (2 * len(value))
        value.foreach_get("co", keys)
        parts.append(repr(keys))
        return
    for element in value:
        if isinstance(element, ID):
            parts.append(f"{depth} {name} -> {element.name_full}")
        elif element is not None and name not in ("vertices", "edges", "polygons", "loops", "attributes", "uv_layers"):
            _describe(element, depth + 1, parts)


def _plain(value: Any) -> Any:
    if isinstance(value, set):
        return sorted(value)
    if hasattr(value, "to_dict"):
        return sorted(value.to_dict().items(), key=repr)
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return [_plain(entry) for entry in value]
    return value.name_full if isinstance(value, ID) else value
