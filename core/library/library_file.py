# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips as .npz files without pickle, whose frames are read clip by clip when they are used."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Float32
from ..errors import InputError
from ..motion.npz import (
    SKELETON_FORMS,
    check_stored,
    float32_of,
    format_of,
    joints_in,
    rate_in,
    save_arrays,
    skeleton_arrays,
    skeleton_in,
)
from ..storage import ArrayInFile, Arrays, Malformed, parse_json, read_arrays, read_record, read_value, whole_file
from .clip import Clip, LeftOut
from .clip_library import ClipLibrary, clip_values
from .stored_clips import LONGEST_CLIPS, StoredClips

FORMAT = "GenMM library 1"
"""Format of the file. The number changes if an older version cannot read the file; fields of clips may be added at any
time."""
FORMATS = "GenMM library "
FORMS = {
    **SKELETON_FORMS, "rotations": "f N J 4", "translated": "i M", "translations": "f N M 3", "frames_per_second": "n",
    "fingerprint": "U", "reference": "U", "clips": "i B", "left_out": "i L",
    "checksums": "i C", "stops": "i C", "shard": "i 2",
}  # fmt: skip
OPTIONAL = ("left_out", "checksums", "stops", "shard")
"""Arrays that may be missing: nothing was left out, the library is whole, or the file is of an earlier version."""
_FRAMES = ("rotations", "translated", "translations")


def save_library(path: str | PathLike[str], library: ClipLibrary) -> None:
    """Write a library as a whole and replace an existing file; the same library gives the same bytes.

    Raises OSError if the file cannot be written.

    >>> save_library(folder / "swings.npz", library_of([swing], [Clip("swing", "swing.bvh", 0, 60)]))
    """
    with whole_file(Path(path)) as unfinished, unfinished.open("wb") as file:
        save_arrays(file, library_arrays(library))


def library_arrays(library: ClipLibrary) -> Arrays:
    """Return a library's arrays in a file; the clips are JSON in UTF-8, with one object for each."""
    clips = json.dumps([clip_values(clip) for clip in library.clips], ensure_ascii=False)
    left_out = json.dumps([asdict(left) for left in library.left_out], ensure_ascii=False)
    return {
        "format": np.array(FORMAT),
        "fingerprint": np.array(library.fingerprint),
        "frames_per_second": np.array(library.frames_per_second),
        "reference": np.array(library.reference),
        **skeleton_arrays(library.skeleton),
        "clips": np.frombuffer(clips.encode(), np.uint8),
        **{name: np.asarray(getattr(library, name)) for name in _FRAMES},
        "checksums": library.checksums,
        "stops": library.stops,
        **({"left_out": np.frombuffer(left_out.encode(), np.uint8)} if library.left_out else {}),
        **({"shard": np.array(library.shard)} if library.shard else {}),
    }


def load_library(path: str | PathLike[str]) -> ClipLibrary:
    """Return the library in a file, which is closed again. Frames are read when clips are asked for, and checked then.

    A file of an earlier version has no checksums of its clips, and is read once as a whole.
    Raises InputError if there is no library, or if it is of a later version, damaged, or not permitted to be read.

    >>> save_library(folder / "swings.npz", library_of([swing], [Clip("swing", "swing.bvh", 0, 60)]))
    >>> load_library(folder / "swings.npz").clips[0].name
    'swing'
    """
    path = Path(path)
    with _as_input_errors(path):
        arrays = _arrays(path, FORMS, _FRAMES)
        if "checksums" in arrays:
            return _library(path.name, arrays)
        whole = _library(path.name, _arrays(path, FORMS))
        frames = _frames_of(arrays["rotations"]), _frames_of(arrays["translations"])
        return replace(whole, known_checksums=whole.checksums, rotations=frames[0], translations=frames[1])


def load_clips(path: str | PathLike[str]) -> Sequence[Clip]:
    """Return the clips of the library in a file without reading their frames, so that a large one needs no memory.

    Raises InputError as `load_library` does; damage to the frames is not noticed.

    >>> save_library(folder / "swings.npz", library_of([swing], [Clip("swing", "swing.bvh", 0, 60)]))
    >>> [clip.name for clip in load_clips(folder / "swings.npz")]
    ['swing']
    """
    path = Path(path)
    with _as_input_errors(path):
        return _clips(path.name, _arrays(path, {"clips": FORMS["clips"]}))


@contextmanager
def _as_input_errors(path: Path) -> Iterator[None]:
    """Raise InputError for what is wrong with a library's file."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f'There is no library "{path}"; check its name and folder.') from error
    except PermissionError as error:
        raise InputError(f'"{path}" may not be read; change its permissions, or choose a copy of it.') from error
    except (OSError, Malformed) as error:
        if path.is_dir():
            raise InputError(f'"{path}" is a folder; choose the library, which is a .npz file.') from error
        if isinstance(error, OSError):  # such as too many open files, or a drive that is gone
            raise InputError(f'"{path}" cannot be read ({error.strerror}); try again.') from error
        raise InputError(f'"{path.name}" cannot be read as a library; build it again.') from error


def _arrays(path: Path, forms: Mapping[str, str], in_file: Collection[str] = ()) -> Arrays:
    kind = format_of(path)
    if kind != FORMAT:
        raise InputError(_other_kind(path.name, kind))
    return read_arrays(path, forms, OPTIONAL, in_file)


def _other_kind(name: str, kind: str) -> str:
    if kind.startswith(FORMATS):
        return f'"{name}" was built by a newer version of GenMM; update GenMM, or build the library again.'
    return f'"{name}" holds no library; build one with "genmm library build".'


def _library(file_name: str, arrays: Arrays) -> ClipLibrary:
    skeleton = skeleton_in(arrays)
    left_out = parse_json(arrays["left_out"].tobytes(), "left_out", LONGEST_CLIPS) if "left_out" in arrays else []
    clips, checksums = _clips(file_name, arrays), arrays.get("checksums")
    if checksums is not None and (len(checksums) != len(clips) or checksums.dtype != np.uint32):
        raise Malformed("Its checksums are not those of its clips")
    try:
        library = ClipLibrary(
            skeleton,
            rate_in(arrays),
            clips,
            _frames_of(arrays["rotations"]),
            joints_in(arrays["translated"], skeleton),
            _frames_of(arrays["translations"]),
            known_fingerprint=str(arrays["fingerprint"]),
            reference=str(arrays["reference"]),
            left_out=tuple(
                read_record(LeftOut, values, "left_out")
                for values in read_value(tuple[dict[str, Any], ...], left_out, "left_out")
            ),
            known_checksums=checksums,
            shard=(int(arrays["shard"][0]), int(arrays["shard"][1])) if "shard" in arrays else None,
        )
    except InputError as error:
        raise Malformed(str(error)) from error
    if not isinstance(library.rotations, ArrayInFile):
        check_stored(library.at_once())
    return library


def _frames_of(values: Any) -> Float32 | ArrayInFile:
    is_read = isinstance(values, ArrayInFile) and values.dtype == np.float32
    return values if is_read else float32_of(np.asarray(values))


def _clips(file_name: str, arrays: Arrays) -> StoredClips:
    stops = arrays.get("stops")
    return StoredClips(file_name, arrays["clips"].tobytes(), None if stops is None else np.asarray(stops, np.int64))
