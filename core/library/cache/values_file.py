# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of values and arrays: a mark, JSON with checksums of the arrays, their bytes, and a signature.

A signature (HMAC: RFC 2104) shows that this user wrote the file; those of strangers are made again and never decoded.
"""

import hmac
import json
import math
import os
import secrets
import struct
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import ARRAY_ALIGN
from numpy.typing import NDArray

from ...storage import PIECE, ArrayInFile, checksums_of, whole_file

KEY = "GENMM_PREPARATIONS_KEY"
"""Environment variable with the key of all who read each other's files, such as the machines of a farm."""
Array = NDArray[Any]

MARK = b"GenMM preparation 4\n"
HEADER = struct.Struct("<QQ32s")
"""The lengths of the JSON and of the arrays' bytes, and the signature of both, of the JSON and the inputs' digest."""
BROKEN = (OSError, ValueError, MemoryError, struct.error)
"""Exceptions raised by reading a file that is damaged, incomplete or signed by others."""


@cache
def signing_key() -> bytes:
    """Return the key that signs files: the one in the environment, or else a random one in the user's own folder.

    Where that cannot be written, the key is this process's own, so that files are read again by this process only.
    """
    given = os.environ.get(KEY, "")
    if given:
        return given.encode()
    with suppress(OSError, RuntimeError):
        own = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        path = Path(own) / "genmm" / "key"
        with suppress(FileExistsError):
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            with whole_file(path, may_replace=False) as unfinished:
                unfinished.chmod(0o600)
                unfinished.write_text(secrets.token_hex())
        return path.read_bytes()
    return secrets.token_bytes()


def signature(text: bytes) -> bytes:
    """Return the signature of bytes, 32 long.

    >>> from genmm_addon.core.library.cache.values_file import signature
    >>> len(signature(b"text"))
    32
    """
    return hmac.digest(signing_key(), text, "sha256")


def write_values(file: BinaryIO, encoded: Any, arrays: Sequence[Array], key: str = "") -> None:
    """Write the output of an `Encoder`, and its arrays, into an empty file. Raises OSError if the disk is full.

    key: the digest of all that they were made from.
    """
    places, pieces, end = [], [], 0
    for array in arrays:
        # In the order of memory, so that products of the arrays that are read round as before.
        order = np.argsort([-abs(stride) for stride in array.strides], kind="stable").tolist()
        piece = np.asarray(array.transpose(order), order="C")
        content = piece.reshape(-1).view(np.uint8)
        places.append([array.dtype.str, piece.shape, order, end, checksums_of(content)])
        pieces.append(content)
        end += -(-piece.nbytes // ARRAY_ALIGN) * ARRAY_ALIGN
    text = json.dumps({"encoded": encoded, "arrays": places}).encode()
    text += b" " * (-(len(MARK) + HEADER.size + len(text)) % ARRAY_ALIGN)
    file.write(MARK + HEADER.pack(len(text), end, signature_of(key, text, end)) + text)
    for content in pieces:
        file.write(content.data)
        file.write(bytes(-len(content) % ARRAY_ALIGN))


def read_values(path: Path, key: str = "", *, in_file: bool = False) -> tuple[Any, list[Array]]:
    """Return the encoded value and the arrays in a file, which is closed again. Raises one of BROKEN.

    key: as for `write_values`; a file that was made from anything else or by others is refused. in_file: large arrays
    are returned as an `ArrayInFile`, whose values are compared with their checksums where they are read.
    """
    if not path.is_file():
        raise ValueError("not a file")
    size, begin = path.stat().st_size, len(MARK) + HEADER.size
    with path.open("rb") as file:
        start = file.read(begin)
        if start[: len(MARK)] != MARK:
            raise ValueError("no preparation")
        of_text, of_arrays, signed = HEADER.unpack(start[len(MARK) :])
        if size != begin + of_text + of_arrays:
            raise ValueError("damaged")
        text = file.read(of_text)
    if signature_of(key, text, of_arrays) != signed:
        raise ValueError("damaged, or made from something else or by others")
    header, arrays = json.loads(text), list[Any]()
    data = ArrayInFile(path, begin + of_text, np.dtype(np.uint8), (of_arrays,), size)
    content = None if in_file else data[:]
    for kind, shape, order, first, checksums in header["arrays"]:
        dtype = np.dtype(kind)
        length = dtype.itemsize * math.prod(shape)
        if content is None and length >= PIECE and order == list(range(len(shape))):
            place = data.start + first
            arrays.append(ArrayInFile(path, place, dtype, tuple(shape), size, checksums=tuple(checksums)))
            continue
        piece = (data if content is None else content)[first : first + length]
        if checksums_of(piece) != tuple(checksums):
            raise ValueError("damaged")
        arrays.append(piece.view(dtype).reshape(shape).transpose(np.argsort(order)))
    return header["encoded"], arrays


def signature_of(key: str, text: bytes, of_arrays: int) -> bytes:
    """Return the signature of a file's text, the length of its arrays in bytes, and what they were made from."""
    return signature(f"{key} {len(text)} {of_arrays}\n".encode() + text)
