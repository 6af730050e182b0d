# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of files as a whole or not at all, and the check whether an existing file is whole."""

import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...core import InputError
from ...core import storage as files
from ...core.motion import bvh_frames_per_second
from ...core.storage import begin_unfinished, end_unfinished, final_path
from ...files.reasons import reason_of
from ..errors import Failed
from ..stopping import check_stop

NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, ValueError, EOFError)
"""Exceptions raised for an archive that is broken, encrypted or of an unknown kind."""
PROBE = 2**26
"""Bytes written to test for free space: more than the size of most written files."""
BEGINNING = 4096
"""Number of bytes at a file's beginning that contain the signature of its format, or the mark of a page."""
FBX_END = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")


@contextmanager
def whole_file(path: Path, *, may_replace: bool = True, through_link: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write to; the file gets its name when it is complete, and is removed otherwise.

    For the arguments see `core.storage.whole_file`. Raises Failed where the file cannot be written, and Stopped after a
    request to stop, even if an exporter turned that into another exception.
    """
    with failures_named(path), files.whole_file(path, may_replace=may_replace, through_link=through_link) as begun:
        try:
            yield begun
            check_stop()
            if not begun.exists() or begun.stat().st_size == 0:
                why = _missing_space(begun) or "Blender wrote no file"
                raise Failed(f'"{path}" could not be written: {why}.')
        except RuntimeError as error:
            # Blender reports the last system error, which after a failed .blend is an unrelated one.
            why = _missing_space(begun) if path.suffix.lower() == ".blend" else None
            raise OSError(None, why or reason_of(error)) from error


@contextmanager
def failures_named(path: Path) -> Iterator[None]:
    """Create the folder of a file, and convert system errors in the block to Failed with the file's name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        check_stop()
        raise Failed(f'"{path}" could not be written: {reason_of(error)}.') from error


def check_place(path: Path) -> None:
    """Raise Failed if no file can be created at the path, before long work; nothing is left there."""
    try:
        place = final_path(path)
        folder = next(parent for parent in place.absolute().parents if parent.exists())
        end_unfinished(begin_unfinished(folder / place.name))
    except OSError as error:
        raise Failed(f'"{path}" could not be written: {reason_of(error)}.') from error


def _missing_space(unfinished: Path) -> str | None:
    """Return the system error if PROBE bytes cannot be written, otherwise None."""
    block = bytes(2**20)
    try:
        with unfinished.open("wb", buffering=0) as file:
            for _ in range(PROBE >> 20):
                if file.write(block) < len(block):
                    file.write(block)  # raises the system's error
    except OSError as error:
        return reason_of(error)
    return None


def is_whole(path: Path) -> bool:
    """Return whether a file has one of the formats written here, and is complete."""
    check = _CHECKS.get(path.suffix.lower())
    try:
        return check is not None and path.is_file() and check(path)
    except (OSError, InputError, struct.error, *NO_ARCHIVE):
        return False


def is_broken(path: Path) -> bool:
    """Return whether a file is missing, empty, or incomplete in one of the formats written here."""
    if not path.is_file():  # reading a pipe would never end
        return not os.path.lexists(path)
    try:
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return False
    return not beginning or any(mark in beginning for mark in _MARKS.get(path.suffix.lower(), ()))


def _npz_is_whole(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return archive.testzip() is None and "rotations.npy" in archive.namelist()


def _glb_is_whole(path: Path) -> bool:
    with path.open("rb") as file:
        magic, _, length = struct.unpack("<4sII", file.read(12))
    return bool(magic == b"glTF" and length == path.stat().st_size)


def _fbx_is_whole(path: Path) -> bool:
    return _begins(path, b"Kaydara FBX Binary") and _ends(path, 16) == FBX_END


def _blend_is_whole(path: Path) -> bool:
    # The last block of a .blend is called ENDB, and is empty.
    return _begins(path, b"BLENDER") and b"ENDB" in _ends(path, 64)


def _bvh_is_whole(path: Path) -> bool:
    bvh_frames_per_second(path)
    return True


def _begins(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _ends(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(-min(count, path.stat().st_size), os.SEEK_END)
        return file.read()


_CHECKS: dict[str, Callable[[Path], bool]] = {
    ".npz": _npz_is_whole,
    ".glb": _glb_is_whole,
    ".fbx": _fbx_is_whole,
    ".blend": _blend_is_whole,
    ".bvh": _bvh_is_whole,
}
_MARKS = {
    ".npz": (b"format.npy", b"rotations.npy"),
    ".glb": (b"glTF",),
    ".fbx": (b"Kaydara FBX Binary",),
    ".blend": (b"BLENDER",),
    ".bvh": (b"HIERARCHY",),
}
"""Signatures of the formats; for arrays, the names of the first array of a motion or a crowd."""
ENDINGS = tuple(_CHECKS)
"""Suffixes of the files that can be written."""
