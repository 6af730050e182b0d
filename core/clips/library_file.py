# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips as .npz files, read whole and closed again, without pickle."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..files import whole_file
from ..motion.npz import Arrays, save_arrays, skeleton_arrays
from ..motion.skeleton import Skeleton
from .clip import Clip
from .clip_library import ClipLibrary, clip_values

FORMAT = "GenMM library 1"
"""Format of the file. The number changes if an older version cannot read the file; fields of clips may be added at any
time."""
FORMATS = "GenMM library "
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""Header of an entry in an archive: its signature, and the lengths of the name and of the extra field that follow."""
LOCAL_SIGNATURE = b"PK\x03\x04"
_SKELETON = ("names", "parents", "rest_rotations", "rest_translations", "up")
_FRAMES = ("rotations", "translated", "translations")
BROKEN = (
    OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, struct.error, zipfile.BadZipFile, zlib.error,
    NotImplementedError,
)  # fmt: skip
"""Exceptions raised by reading a damaged file, or one that is not a library."""


def save_library(path: Path, library: ClipLibrary) -> None:
    """Write a library as a whole and replace an existing file; the same library gives the same bytes.

    Raises OSError if the file cannot be written.

    >>> save_library(folder / "swings.npz", library_of([swing], [Clip("swing", "swing.bvh", 0, 60)]))
    """
    with whole_file(path) as unfinished, unfinished.open("wb") as file:
        save_arrays(file, library_arrays(library))


def library_arrays(library: ClipLibrary) -> Arrays:
    """Return a library's arrays in a file; the clips are JSON in UTF-8, with one object for each."""
    said = json.dumps([clip_values(clip) for clip in library.clips], ensure_ascii=False)
    return {
        "format": np.array(FORMAT),
        "fingerprint": np.array(library.fingerprint),
        "frames_per_second": np.array(library.frames_per_second),
        "reference": np.array(library.reference),
        **skeleton_arrays(library.skeleton),
        "clips": np.frombuffer(said.encode(), np.uint8),
        **{name: getattr(library, name) for name in _FRAMES},
    }


def load_library(path: Path) -> ClipLibrary:
    """Return the library in a file, which is closed again and may be replaced while the library is in use.

    Raises InputError if there is no library, or if it is of a later version, damaged, or not permitted to be read.

    >>> save_library(folder / "swings.npz", library_of([swing], [Clip("swing", "swing.bvh", 0, 60)]))
    >>> load_library(folder / "swings.npz").clips[0].name
    'swing'
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            kind = str(_array(file, archive, "format"))
            if kind != FORMAT:
                raise InputError(_other_kind(path.name, kind))
            needed = (*_SKELETON, *_FRAMES, "frames_per_second", "fingerprint", "reference", "clips")
            return _library({name: _array(file, archive, name) for name in needed})
    except InputError as error:
        raise InputError(f'"{path.name}": {error}' if path.name not in str(error) else str(error)) from error
    except FileNotFoundError as error:
        raise InputError(f'There is no library "{path}"; check its name and folder.') from error
    except BROKEN as error:
        if path.is_dir():
            raise InputError(f'"{path}" is a folder; choose the library, which is a .npz file.') from error
        if isinstance(error, PermissionError):
            raise InputError(f'"{path}" may not be read; change its permissions, or choose a copy of it.') from error
        raise InputError(f'"{path.name}" cannot be read as a library; build it again.') from error


def _other_kind(name: str, kind: str) -> str:
    if kind.startswith(FORMATS):
        return f'"{name}" was built by a newer version of GenMM; update GenMM, or build the library again.'
    return f'"{name}" holds no library; build one with "genmm library build".'


def _library(arrays: Arrays) -> ClipLibrary:
    x, y, z = arrays["up"].tolist()
    skeleton = Skeleton(
        tuple(arrays["names"].tolist()),
        arrays["parents"],
        arrays["rest_rotations"],
        arrays["rest_translations"],
        (x, y, z),
    )
    return ClipLibrary(
        skeleton,
        float(arrays["frames_per_second"]),
        tuple(clip_of(values) for values in json.loads(arrays["clips"].tobytes().decode())),
        **{name: arrays[name] for name in _FRAMES},
        known_fingerprint=str(arrays["fingerprint"]),
        reference=str(arrays["reference"]),
    )


def clip_of(values: Mapping[str, Any]) -> Clip:
    """Return a clip from its fields in a file; unknown fields are of a later version and ignored."""
    known = {one.name: values[one.name] for one in fields(Clip) if one.name in values}
    clip = Clip(**known)
    return replace(clip, tags=_texts(clip.tags), source_tags=_texts(clip.source_tags))


def _texts(tags: Mapping[str, Any]) -> Mapping[str, str]:
    return MappingProxyType({str(key): str(value) for key, value in tags.items()})


def _array(file: BinaryIO, archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Return one array of an archive of uncompressed entries, read in one piece and checked.

    NumPy's own reading uses a small buffer and takes three times as long.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type != zipfile.ZIP_STORED:
        with archive.open(entry) as packed:
            return np.asarray(np.lib.format.read_array(packed, allow_pickle=False))
    file.seek(entry.header_offset)
    signature, of_name, of_extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    if signature != LOCAL_SIGNATURE:
        raise ValueError("no entry of an archive")
    file.seek(of_name + of_extra, 1)
    content = np.empty(entry.file_size, np.uint8)
    if file.readinto(content.data) != len(content) or zlib.crc32(content.data) != entry.CRC:  # type: ignore[attr-defined]
        raise ValueError("damaged")
    return _parsed(content)


def _parsed(content: NDArray[np.uint8]) -> NDArray[Any]:
    """Return the array in the bytes of a .npy file, as a view on them."""
    header = io.BytesIO(content[:4096].tobytes())
    version = np.lib.format.read_magic(header)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran_order, dtype = read(header)
    if dtype.hasobject or fortran_order:
        raise ValueError("not an array of numbers or texts")
    count = int(np.prod(shape, dtype=np.int64))
    values = np.frombuffer(content.data, dtype, count, header.tell())
    return values.reshape(shape)
