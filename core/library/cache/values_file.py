# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of values and arrays: a mark, JSON, the bytes of the arrays, and a digest of these and their inputs."""

import hashlib
import json
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import ARRAY_ALIGN
from numpy.typing import NDArray

Array = NDArray[Any]

MARK = b"GenMM preparation 2\n"
HEADER = struct.Struct("<QQ32s")
"""The lengths of the JSON and of the arrays' bytes, and the SHA-256 of both and of all that they were made from."""
KINDS = "biufU"
"""Kinds of arrays that are kept."""
BROKEN = (
    OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, MemoryError, RecursionError,
    struct.error,
)  # fmt: skip
"""Exceptions raised by reading a damaged or incomplete file."""


def write_values(file: BinaryIO, encoded: Any, arrays: Sequence[Array], key: str = "") -> None:
    """Write the output of an `Encoder`, and its arrays, into an empty file. Raises OSError if the disk is full.

    key: the digest of all that they were made from.
    """
    places, pieces, end = [], [], 0
    for array in arrays:
        # In the order of memory, so that products of the arrays that are read round as before.
        order = np.argsort([-abs(stride) for stride in array.strides], kind="stable").tolist()
        piece = np.asarray(array.transpose(order), order="C")
        places.append([array.dtype.str, piece.shape, order, end])
        pieces.append(piece)
        end += -(-piece.nbytes // ARRAY_ALIGN) * ARRAY_ALIGN
    text = json.dumps({"encoded": encoded, "arrays": places}).encode()
    text += b" " * (-(len(MARK) + HEADER.size + len(text)) % ARRAY_ALIGN)
    file.write(MARK + HEADER.pack(len(text), end, bytes(32)) + text)
    digest = _digest(key, len(text), end)
    digest.update(text)
    for piece in pieces:
        content = piece.reshape(-1).view(np.uint8).data
        padding = bytes(-piece.nbytes % ARRAY_ALIGN)
        file.write(content)
        file.write(padding)
        digest.update(content)
        digest.update(padding)
    file.seek(len(MARK))
    file.write(HEADER.pack(len(text), end, digest.digest()))


def read_values(path: Path, key: str = "") -> tuple[Any, list[Array]]:
    """Return the encoded value and the arrays in a file, which is closed again. Raises one of BROKEN.

    key: as for `write_values`; a file that was made from anything else is refused.
    """
    if not path.is_file():
        raise ValueError("not a file")
    content = np.fromfile(path, np.uint8)
    begin = len(MARK) + HEADER.size
    if content[: len(MARK)].tobytes() != MARK:
        raise ValueError("no preparation")
    of_text, of_arrays, stored_digest = HEADER.unpack(content[len(MARK) : begin].tobytes())
    if len(content) != begin + of_text + of_arrays:
        raise ValueError("damaged")
    digest = _digest(key, of_text, of_arrays)
    digest.update(content[begin:].data)
    if digest.digest() != stored_digest:
        raise ValueError("damaged, or made from something else")
    header = json.loads(content[begin : begin + of_text].tobytes())
    data, arrays = content[begin + of_text :], []
    for kind, shape, order, start in header["arrays"]:
        dtype = np.dtype(kind)
        if dtype.kind not in KINDS or min(shape, default=0) < 0:
            raise ValueError("not an array of numbers or texts")
        size = dtype.itemsize * math.prod(shape)
        arrays.append(data[start : start + size].view(dtype).reshape(shape).transpose(np.argsort(order)))
    return header["encoded"], arrays


def _digest(key: str, of_text: int, of_arrays: int) -> "hashlib._Hash":
    return hashlib.sha256(f"{key} {of_text} {of_arrays}\n".encode())
