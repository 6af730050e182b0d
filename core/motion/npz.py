# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as .npz files: every array under its own name, readable by anything that reads NumPy's files."""

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..files import whole_file
from .motion import Motion
from .skeleton import Skeleton

FORMAT = "GenMM motion 1"
LARGEST_FILE = 2**33
_SKELETON = ("names", "parents", "rest_rotations", "rest_translations", "up")
_CHANNELS = ("rotations", "translated", "translations", "scaled", "scales", "scalar_names", "scalars")

Arrays = dict[str, NDArray[Any]]


def skeleton_arrays(skeleton: Skeleton) -> Arrays:
    """Return a skeleton's arrays in a file: names, parents `(J,)`, rest transforms `(J, 4)` and `(J, 3)`, up `(3,)`.

    >>> sorted(skeleton_arrays(skeleton))
    ['names', 'parents', 'rest_rotations', 'rest_translations', 'up']
    """
    return {
        "names": texts(skeleton.names),
        "parents": skeleton.parents,
        "rest_rotations": skeleton.rest_rotations,
        "rest_translations": skeleton.rest_translations,
        "up": np.array(skeleton.up),
    }


def motion_arrays(motion: Motion) -> Arrays:
    """Return a motion's arrays in a file, with the meaning and shapes of `Motion` and `Skeleton`."""
    channels = {name: getattr(motion, name) for name in _CHANNELS if name != "scalar_names"}
    return {
        "format": np.array(FORMAT),
        "frames_per_second": np.array(motion.frames_per_second),
        **skeleton_arrays(motion.skeleton),
        **channels,
        "scalar_names": texts(motion.scalar_names),
    }


def save_arrays(file: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as one .npz; the same arrays give the same bytes.

    >>> with (folder / "arrays.npz").open("wb") as file:
    ...     save_arrays(file, {"heights": np.zeros(3)})
    >>> np.load(folder / "arrays.npz")["heights"].shape
    (3,)
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        add_arrays(archive, arrays)


def add_arrays(archive: zipfile.ZipFile, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays into an open .npz.

    >>> import zipfile
    >>> with zipfile.ZipFile(folder / "more.npz", "w") as archive:
    ...     add_arrays(archive, {"heights": np.zeros(3)})
    >>> np.load(folder / "more.npz")["heights"].shape
    (3,)
    """
    for name, values in arrays.items():
        with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
            np.lib.format.write_array(entry, np.asanyarray(values), allow_pickle=False)


def stream_array(archive: zipfile.ZipFile, name: str, pieces: Iterator[NDArray[Any]], count: int) -> None:
    """Write `count` arrays of one shape into a .npz as a single array, stacked along a new first axis.

    Only one of them is in memory at a time.

    >>> import zipfile
    >>> with zipfile.ZipFile(folder / "many.npz", "w") as archive:
    ...     stream_array(archive, "heights", (np.zeros(3) for _ in range(5)), 5)
    >>> np.load(folder / "many.npz")["heights"].shape
    (5, 3)
    """
    first = next(pieces)
    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
        header = {"descr": first.dtype.str, "fortran_order": False, "shape": (count, *first.shape)}
        np.lib.format.write_array_header_1_0(entry, header)
        entry.write(np.ascontiguousarray(first).data)
        for piece in pieces:
            entry.write(np.ascontiguousarray(piece).data)


def save_motion(path: Path, motion: Motion) -> None:
    """Write a motion to a .npz file as a whole and replace an existing one; raise OSError if it cannot be written.

    >>> save_motion(folder / "swing.npz", swing)
    """
    with whole_file(path) as unfinished, unfinished.open("wb") as file:
        save_arrays(file, motion_arrays(motion))


def load_motion(path: Path) -> Motion:
    """Return the motion in a .npz file; raise InputError if it holds none or is damaged.

    >>> save_motion(folder / "swing.npz", swing)
    >>> load_motion(folder / "swing.npz").skeleton.names
    ('hips', 'leg')
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError("larger than any motion")
        with np.load(path, allow_pickle=False) as file:
            if str(file["format"]) != FORMAT:
                raise InputError(f'"{path.name}" holds no motion of a kind that this version knows.')
            arrays = {name: file[name] for name in (*_SKELETON, *_CHANNELS, "frames_per_second")}
    except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        raise InputError(f'"{path.name}" cannot be read as a motion; write it again.') from error
    x, y, z = arrays["up"].tolist()
    skeleton = Skeleton(
        tuple(arrays["names"].tolist()),
        arrays["parents"],
        arrays["rest_rotations"],
        arrays["rest_translations"],
        (x, y, z),
    )
    channels = {name: arrays[name] for name in _CHANNELS if name != "scalar_names"}
    return Motion(
        skeleton, float(arrays["frames_per_second"]), scalar_names=tuple(arrays["scalar_names"].tolist()), **channels
    )


def texts(values: tuple[str, ...]) -> NDArray[np.str_]:
    """Return names as an array `(N,)` of text, even if there are none.

    >>> texts(("hips", "leg")).tolist()
    ['hips', 'leg']
    """
    return np.array(values, np.str_) if values else np.empty(0, "<U1")
