# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON and binary data of .gltf and .glb files, and the check that a file stands alone."""

import base64
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ...core import Float64, InputError
from ...core.storage import parse_json

_MAGIC, _JSON, _BINARY = b"glTF", b"JSON", b"BIN\0"
_HEADER_BYTES, _CHUNK_BYTES = 12, 8
LARGEST_FILE = 2**31
"""Longest JSON of a file, in bytes; a .gltf may contain its buffers as text."""
DATA_URI = "data:"
_EMBEDDED = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,", re.ASCII)
_FLOAT = 5126
"""The number of 32-bit floats among glTF's component types."""
ERRORS = (OSError, ValueError, AttributeError, KeyError, IndexError, TypeError, OverflowError)
"""Exceptions raised for values of wrong types and ranges in a damaged file."""


@dataclass(frozen=True, eq=False)
class Document:
    """A glTF file. values: its JSON. binary: the binary chunk of a .glb file. folder: of the files it refers to."""

    values: Mapping[str, Any]
    binary: bytes
    folder: Path

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the objects listed under a name. Raises ValueError if these are not objects."""
        rows = self.values.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError(name)
        return rows

    def floats(self, number: int, count: int) -> Float64:
        """Return the first numbers of a scalar accessor of floats. Raises one of ERRORS if they cannot be read."""
        accessor = self.rows("accessors")[number]
        if accessor["componentType"] != _FLOAT or "sparse" in accessor:
            raise ValueError(accessor)
        view = self.rows("bufferViews")[accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", 4) // 4
        data = self._buffer(view["buffer"])
        numbers = np.frombuffer(data, "<f4", step * (count - 1) + 1, start)[::step]
        with np.errstate(invalid="ignore"):
            return numbers.astype(np.float64)

    def _buffer(self, number: int) -> bytes:
        uri = self.rows("buffers")[number].get("uri")
        if uri is None:
            return self.binary
        if uri.startswith(DATA_URI):
            return base64.b64decode(uri.partition(",")[2])
        path = self.folder / unquote(uri)
        # Reading a pipe or a device would never end.
        return path.read_bytes() if path.is_file() else b""


def read_document(path: Path) -> Document:
    """Return the content of a .gltf or .glb file. Raises InputError if it is damaged."""
    try:
        data = path.read_bytes()
        text, binary = _chunks(data) if data.startswith(_MAGIC) else (data, b"")
        values = parse_json(text, longest=LARGEST_FILE)
        if not isinstance(values, dict):
            raise ValueError("no object")
    except (OSError, ValueError, struct.error) as error:
        raise _damaged(path) from error
    return Document(values, binary, path.parent)


def check_stands_alone(path: Path) -> None:
    """Raise InputError for a .gltf or .glb file that is damaged, or whose buffers or images are in other files.

    Blender's importer would read those files from any path that is given.
    """
    document = read_document(path)
    try:
        places = [*document.rows("buffers"), *document.rows("images")]
    except ValueError as error:
        raise _damaged(path) from error
    if any("uri" in place and not _is_embedded(place["uri"]) for place in places):
        raise InputError(
            f'"{path.name}" stores its data in other files; export it as glTF Binary (.glb), which is one file.'
        )


def _is_embedded(uri: object) -> bool:
    """Return whether a URI contains its data; of any other, as "data:/../x", Blender's importer makes a path."""
    return isinstance(uri, str) and _EMBEDDED.match(uri) is not None


def _damaged(path: Path) -> InputError:
    return InputError(f'"{path.name}" is damaged or not a glTF file; save or download it again.')


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON and the binary chunk of a .glb file. Raises ValueError if it has no JSON."""
    chunks: dict[bytes, bytes] = {}
    start = _HEADER_BYTES
    while start + _CHUNK_BYTES <= len(data):
        length, kind = struct.unpack_from("<I4s", data, start)
        start += _CHUNK_BYTES
        chunks.setdefault(kind, data[start : start + length])
        start += length
    if _JSON not in chunks:
        raise ValueError("no JSON")
    return chunks[_JSON], chunks.get(_BINARY, b"")
