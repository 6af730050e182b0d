# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of values and arrays: a mark, JSON, and the bytes of the arrays, with a checksum that shows any damage."""

import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MARK = b"GenMM preparation 1\n"
HEADER = struct.Struct("<QQI")
"""The lengths of the JSON and of the arrays' bytes, and the CRC-32 of both."""
ALIGNMENT = 64
"""Alignment of arrays, in bytes: a line of the processor's cache."""
BROKEN = (OSError, ValueError, KeyError, TypeError, IndexError, MemoryError, RecursionError, struct.error)
"""Exceptions raised by reading a damaged or incomplete file."""


def write_values(file: BinaryIO, encoded: Any, arrays: Sequence[Array]) -> None:
    """Write the output of an `Encoder`, and its arrays, into an empty file. Raises OSError if the disk is full."""
    places, pieces, end = [], [], 0
    for array in arrays:
        # In the order of memory, so that products of the arrays that are read round as before.
        order = np.argsort([-abs(stride) for stride in array.strides], kind="stable").tolist()
        piece = np.asarray(array.transpose(order), order="C")
        places.append([array.dtype.str, piece.shape, order, end])
        pieces.append(piece)
        end += -(-piece.nbytes // ALIGNMENT) * ALIGNMENT
    text = json.dumps({"encoded": encoded, "arrays": places}).encode()
    text += b" " * (-(len(MARK) + HEADER.size + len(text)) % ALIGNMENT)
    file.write(MARK + HEADER.pack(len(text), end, 0) + text)
    crc = zlib.crc32(text)
    for piece in pieces:
        content = piece.reshape(-1).view(np.uint8).data
        padding = bytes(-piece.nbytes % ALIGNMENT)
        file.write(content)
        file.write(padding)
        crc = zlib.crc32(padding, zlib.crc32(content, crc))
    file.seek(len(MARK))
    file.write(HEADER.pack(len(text), end, crc))


def read_values(path: Path) -> tuple[Any, list[Array]]:
    """Return the encoded value and the arrays in a file, which is closed again. Raises one of BROKEN."""
    content = np.fromfile(path, np.uint8)
    begin = len(MARK) + HEADER.size
    if content[: len(MARK)].tobytes() != MARK:
        raise ValueError("no preparation")
    of_text, of_arrays, crc = HEADER.unpack(content[len(MARK) : begin].tobytes())
    if len(content) != begin + of_text + of_arrays or zlib.crc32(content[begin:].data) != crc:
        raise ValueError("damaged")
    said = json.loads(content[begin : begin + of_text].tobytes())
    own, arrays = content[begin + of_text :], []
    for kind, shape, order, start in said["arrays"]:
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        arrays.append(own[start : start + size].view(dtype).reshape(shape).transpose(np.argsort(order)))
    return said["encoded"], arrays
