# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files for tests: a skinned chain of joints that nods, with keys at any times."""

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

JOINTS = ("Hips", "Spine", "Hand")
SWING = 3.0
"""Radians per second of the nod's phase, times a whole number for a faster one."""


class Data:
    """Binary data of a file, added accessor by accessor."""

    def __init__(self) -> None:
        self.bytes = b""
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: ArrayLike, kind: str, component: int = 5126) -> int:
        """Add an accessor and return its number."""
        found = np.asarray(values, {5126: "<f4", 5121: "u1", 5123: "<u2"}[component])
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": found.nbytes})
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(found), "type": kind}
        if component == 5126:
            flat = found.reshape(len(found), -1)
            accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(accessor)
        self.bytes += found.tobytes() + bytes(-found.nbytes % 4)
        return len(self.accessors) - 1


def nod(times: NDArray[np.float64], joint: int = 1, speed: float = 1.0) -> NDArray[np.float64]:
    """Return quaternions `(T, 4)` in glTF's order, x to w."""
    half = 0.4 * np.sin(SWING * speed * times + joint)
    zeros = np.zeros_like(half)
    return np.stack((np.sin(half), zeros, zeros, np.cos(half)), axis=1)


def write_gltf(
    path: Path,
    animations: Mapping[str, Mapping[int, ArrayLike]],
    interpolation: str = "LINEAR",
    skinned: Sequence[int] = (0, 1, 2),
    parents: Sequence[int] = (-1, 0, 1),
    names: Sequence[str] = JOINTS,
) -> Path:
    """Write a character whose joints turn, with keys at these times of each animation's joints.

    skinned: the joints that the skin lists. A .glb has its data in itself; a .gltf has them in a text.
    """
    data = Data()
    corners = data.add(np.diag([0.1, 1.0, 0.0]), "VEC3")
    bones = data.add(np.zeros((3, 4)), "VEC4", 5123)
    weights = data.add(np.eye(1, 4).repeat(3, axis=0), "VEC4")
    nodes: list[dict[str, Any]] = [{"name": name, "translation": [0, 1, 0]} for name in names]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(joint)
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    written = []
    for name, curves in animations.items():
        animation: dict[str, Any] = {"name": name, "samplers": [], "channels": []}
        for joint, given in curves.items():
            times = np.asarray(given, np.float64)
            values = nod(times, joint)
            if interpolation == "CUBICSPLINE":
                values = np.stack((0 * values, values, 0 * values), axis=1).reshape(-1, 4)
            sampler = {"input": data.add(times, "SCALAR"), "output": data.add(values, "VEC4")}
            animation["samplers"].append(sampler | {"interpolation": interpolation})
            target = {"node": joint, "path": "rotation"}
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})
        written.append(animation)
    content: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [*(joint for joint, parent in enumerate(parents) if parent < 0), len(names)]}],
        "nodes": nodes,
        "skins": [{"joints": list(skinned)}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": corners, "JOINTS_0": bones, "WEIGHTS_0": weights}}]}],
        "animations": written,
        "accessors": data.accessors,
        "bufferViews": data.views,
        "buffers": [{"byteLength": len(data.bytes)}],
    }
    if path.suffix == ".gltf":
        content["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data.bytes).decode()
        path.write_text(json.dumps(content))
        return path
    path.write_bytes(as_glb(content, data.bytes))
    return path


def as_glb(content: Mapping[str, Any], binary: bytes) -> bytes:
    """Return the bytes of a .glb file."""
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
