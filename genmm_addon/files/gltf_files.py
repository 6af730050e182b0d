# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of glTF files: independence of other files, and the rate of their keys."""

import struct
from pathlib import Path
from typing import Any

from ..core import InputError
from ..core.parsing import parse_json

LARGEST_FILE = 2**31
"""Longest JSON of a file, in bytes; a .gltf may contain its buffers as text."""

_MAGIC, _JSON = b"glTF", b"JSON"
_HEADER_BYTES, _CHUNK_BYTES = 12, 8


def check_stands_alone(path: Path) -> None:
    """Raise InputError for a .gltf or .glb file that is damaged, or whose buffers or images are in other files.

    Blender's importer would read those files from any path that is given.
    """
    try:
        values = parse_json(_text(path.read_bytes()), longest=LARGEST_FILE)
        places = [*_rows(values, "buffers"), *_rows(values, "images")]
    except (ValueError, AttributeError) as error:
        raise InputError(f'"{path.name}" is damaged: it is no glTF; save or download it again.') from error
    if any("uri" in place and not str(place["uri"]).startswith("data:") for place in places):
        raise InputError(
            f'"{path.name}" keeps its data in other files; export it as glTF Binary (.glb), which is one file.'
        )


def rate_of(path: Path) -> float | None:
    """Return the keys per second of a file's densest animation curve; None without any, or if it cannot be read.

    A file gives the times of keys but no rate, and exporters leave out the keys of channels that do not change.
    """
    try:
        values = parse_json(_text(path.read_bytes()), longest=LARGEST_FILE)
        accessors = _rows(values, "accessors")
        inputs = [accessors[one["input"]] for animation in _rows(values, "animations") for one in animation["samplers"]]
        rates = [
            round((one["count"] - 1) / (one["max"][0] - one["min"][0]), 1)
            for one in inputs
            if one["count"] > 1 and one["max"][0] > one["min"][0]
        ]
    except (OSError, ValueError, AttributeError, KeyError, IndexError, TypeError, OverflowError):
        return None
    return float(max(rates, default=0.0)) or None


def _text(data: bytes) -> bytes:
    """Return the JSON in a file's bytes. Raises ValueError if there is none."""
    if not data.startswith(_MAGIC):
        return data
    header = data[_HEADER_BYTES : _HEADER_BYTES + _CHUNK_BYTES]
    if len(header) < _CHUNK_BYTES or header[4:] != _JSON:
        raise ValueError("no JSON")
    start = _HEADER_BYTES + _CHUNK_BYTES
    return data[start : start + struct.unpack("<I", header[:4])[0]]


def _rows(values: Any, name: str) -> list[dict[str, Any]]:
    rows = values.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(name)
    return rows
