# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in .npz archives from any source: bounded in size before anything is unpacked, of expected kinds and shapes.

Only the formats that NumPy writes are read, without pickle and without evaluation of headers.
"""

import math
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .array_in_file import PIECE, ArrayInFile
from .json_text import Malformed

Arrays = dict[str, NDArray[Any]]

PACKED = 100
"""Most bytes unpacked per byte of the file: far more than keys can be packed to, a tenth of what zlib permits."""
ALWAYS_UNPACKED = 2**26
"""Number of bytes, 64 MB, that a file may unpack to however small it is."""
LOCAL_HEADER = struct.Struct("<26xHH")
"""Header of an entry in an archive, with the lengths of the name and of the extra field that follow."""
NPY_LENGTH = struct.Struct("<H")
"""Length of the header of a .npy file of version 1."""
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=][iufU]\d{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,15}, ?)*\d{0,15})\), ?\} *\n?"
)
_BROKEN = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, OverflowError, MemoryError,
    RuntimeError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Exceptions that `zipfile` and NumPy raise for damaged archives; NotImplementedError is a RuntimeError."""


def read_arrays(
    path: Path, forms: Mapping[str, str], optional: Collection[str] = (), in_file: Collection[str] = ()
) -> Arrays:
    """Return arrays of an .npz by name, each of the form described; others in the file are not read.

    forms: such as "f T J 4", the kind of numbers (i, f, n for both, U for texts) and the size of each axis; a name
    stands for the same size everywhere. optional: names that may be missing. in_file: names of arrays that are returned
    as an `ArrayInFile` unless they are packed, with unchecked values.
    Raises Malformed for any other file, and OSError where it cannot be opened.

    >>> np.savez(folder / "heights.npz", heights=np.zeros((60, 3)))
    >>> read_arrays(folder / "heights.npz", {"heights": "f T 3"})["heights"].shape
    (60, 3)
    """
    if path.exists() and not path.is_file():
        raise Malformed("It is not a file")
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        size = status.st_size
        try:
            with zipfile.ZipFile(file) as archive:
                entries = _entries(archive, forms, optional, size)
                arrays: dict[str, Any] = {
                    name: _in_file(file, path, archive, entry, status)
                    if name in in_file and entry.compress_type == zipfile.ZIP_STORED
                    else _array(file, archive, entry, size)
                    for name, entry in entries.items()
                }
        except Malformed:
            raise
        except _BROKEN as error:
            raise Malformed("It is not an archive of arrays, or damaged") from error
    sizes: dict[str, int] = {}
    for name, values in arrays.items():
        _check_form(name, values, forms[name], sizes)
    return arrays


def _entries(
    archive: zipfile.ZipFile, forms: Mapping[str, str], optional: Collection[str], size: int
) -> dict[str, zipfile.ZipInfo]:
    """Return the entries to read; all of them together must not unpack to more than the file can hold."""
    by_name = {entry.filename: entry for entry in archive.infolist()}
    entries = {name: by_name[f"{name}.npy"] for name in forms if f"{name}.npy" in by_name}
    missing = [name for name in forms if name not in entries and name not in optional]
    if missing:
        raise Malformed(f"It has no {missing[0]}")
    for entry in entries.values():
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Malformed("It is packed by another method than NumPy's")
    stored = sum(entry.file_size for entry in entries.values() if entry.compress_type == zipfile.ZIP_STORED)
    packed = sum(entry.file_size for entry in entries.values() if entry.compress_type != zipfile.ZIP_STORED)
    if stored > size or packed > max(ALWAYS_UNPACKED, PACKED * size):
        raise Malformed("It says that it holds more than it can")
    return entries


def _array(file: BinaryIO, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, size: int) -> NDArray[Any]:
    content = np.empty(entry.file_size, np.uint8)
    with archive.open(entry) as packed:  # It refuses encrypted entries.
        if entry.compress_type == zipfile.ZIP_STORED:
            _read_stored(file, entry, content, size)
        else:
            place = 0
            while place < len(content):
                piece = packed.read(min(PIECE, len(content) - place))
                if not piece:
                    raise Malformed("It is cut short")
                content[place : place + len(piece)] = np.frombuffer(piece, np.uint8)
                place += len(piece)
    return _parsed(content)


def _read_stored(file: BinaryIO, entry: zipfile.ZipInfo, content: NDArray[np.uint8], size: int) -> None:
    """Read an entry that is not packed in one piece; NumPy's own small buffer takes three times as long."""
    _seek_content(file, entry, size)
    if file.readinto(content.data) != len(content) or zlib.crc32(content.data) != entry.CRC:  # type: ignore[attr-defined]
        raise Malformed("It is damaged")


def _seek_content(file: BinaryIO, entry: zipfile.ZipInfo, size: int) -> None:
    if not 0 <= entry.header_offset <= size - LOCAL_HEADER.size:
        raise Malformed("It is cut short")
    file.seek(entry.header_offset)
    of_name, of_extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    file.seek(of_name + of_extra, 1)


def _in_file(
    file: BinaryIO, path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, status: os.stat_result
) -> ArrayInFile:
    archive.open(entry).close()  # It refuses encrypted entries.
    _seek_content(file, entry, status.st_size)
    start, begin = file.tell(), len(_MAGIC) + NPY_LENGTH.size
    opening = file.read(begin)
    opening += file.read(NPY_LENGTH.unpack(opening[-NPY_LENGTH.size :])[0])
    length, dtype, shape, in_columns = _header(np.frombuffer(opening, np.uint8))
    whole = math.prod(shape) * dtype.itemsize == entry.file_size - length and start + entry.file_size <= status.st_size
    if not whole or in_columns or dtype.kind == "U" or not shape:
        raise Malformed("It holds arrays of another size or order than they say")
    return ArrayInFile(path, start + length, dtype, shape, status.st_size, status.st_mtime_ns)


def _parsed(content: NDArray[np.uint8]) -> NDArray[Any]:
    """Return the array in the bytes of a .npy file, as a view on them.

    NumPy writes plain arrays in version 1 of its format, whose headers have at most 64 kB.
    """
    length, dtype, shape, in_columns = _header(content)
    values = content[length:]
    count = math.prod(shape)
    if count * dtype.itemsize != len(values):
        raise Malformed("It holds arrays of another size than they say")
    if dtype.kind == "U":
        _check_characters(values, dtype)
    array = np.frombuffer(values.data, dtype, count) if count else np.empty(0, dtype)
    return array.reshape(shape, order="F" if in_columns else "C")


def _header(content: NDArray[np.uint8]) -> tuple[int, np.dtype[Any], tuple[int, ...], bool]:
    """Return the length of the header of a .npy file, the kind and shape of its array, and whether it is in F order."""
    begin = len(_MAGIC) + NPY_LENGTH.size
    if content[: len(_MAGIC)].tobytes() != _MAGIC or len(content) < begin:
        raise Malformed("It holds something other than arrays")
    length = begin + NPY_LENGTH.unpack(content[len(_MAGIC) : begin].tobytes())[0]
    header = _HEADER.fullmatch(content[begin:length].tobytes())
    if header is None:
        raise Malformed("It holds arrays of another kind than numbers and texts")
    dtype, shape = np.dtype(header[1].decode()), tuple(int(size) for size in header[3].split(b",") if size.strip())
    if not dtype.itemsize:
        raise Malformed("It holds arrays of another size than they say")
    return length, dtype, shape, header[2] == b"True"


def _check_characters(values: NDArray[np.uint8], dtype: np.dtype[Any]) -> None:
    """Raise Malformed for texts with characters that no text has."""
    codes = np.frombuffer(values.data, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    if np.any((codes > sys.maxunicode) | ((codes >= 0xD800) & (codes <= 0xDFFF))):
        raise Malformed("It holds a text that is none")


def _check_form(name: str, values: NDArray[Any], form: str, sizes: dict[str, int]) -> None:
    """Raise Malformed for an array of another kind or shape, and for numbers that are not finite."""
    kind, *axes = form.split()
    if values.dtype.kind not in {"i": "iu", "f": "f", "n": "iuf", "U": "U"}[kind] or values.ndim != len(axes):
        raise Malformed(f"Its {name} are of another kind")
    for axis, length in zip(axes, values.shape, strict=True):
        if length != (int(axis) if axis.isdigit() else sizes.setdefault(axis, length)):
            raise Malformed(f"Its {name} have the shape {values.shape}")
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not np.isfinite(values).all():
        raise Malformed(f"Its {name} are not finite numbers")
