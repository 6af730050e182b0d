# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as .npz files: each array under its name, readable by any program that reads NumPy's files."""

import zipfile
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32, Int64
from ..errors import InputError
from ..storage import LARGEST_NUMBER, Arrays, Malformed, read_arrays, whole_file
from .inheritance import Inheritance
from .motion import Motion
from .skeleton import Skeleton

FORMAT = "GenMM motion 1"
SKELETON_FORMS = {
    "names": "U J",
    "parents": "i J",
    "rest_rotations": "n J 4",
    "rest_translations": "n J 3",
    "up": "n 3",
}
"""Forms of a skeleton's arrays, as `read_arrays` checks them."""
FORMS = {
    "frames_per_second": "n", **SKELETON_FORMS, "rotations": "f T J 4", "translated": "i M", "translations": "f T M 3",
    "scaled": "i K", "scales": "f T K 3", "scalar_names": "U C", "scalars": "f T C",
    "inheritance": "i J",
}  # fmt: skip
OPTIONAL = ("inheritance",)
"""Arrays that may be missing; the default is that all joints inherit all of their parents' scales."""
CHANNEL_LIMITS = {"rotations": 2.0, "translations": LARGEST_NUMBER, "scales": 1e6, "scalars": LARGEST_NUMBER}
"""Largest values of a file's channels."""
SLOWEST, FASTEST = 1e-2, 1e5
"""Frames per second of the slowest and the fastest motion."""
_CHANNELS = ("rotations", "translated", "translations", "scaled", "scales", "scalar_names", "scalars")


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
        **({} if motion.skeleton.inheritance is None else {"inheritance": motion.skeleton.inheritance}),
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


def save_motion(path: str | PathLike[str], motion: Motion) -> None:
    """Write a motion to a .npz file as a whole and replace an existing one; raise OSError if it cannot be written.

    >>> save_motion(folder / "swing.npz", swing)
    """
    with whole_file(Path(path)) as unfinished, unfinished.open("wb") as file:
        save_arrays(file, motion_arrays(motion))


def load_motion(path: str | PathLike[str]) -> Motion:
    """Return the motion in a .npz file; raise InputError if it is not a motion or is damaged.

    >>> save_motion(folder / "swing.npz", swing)
    >>> load_motion(folder / "swing.npz").skeleton.names
    ('hips', 'leg')
    """
    path = Path(path)
    try:
        kind = format_of(path)
        if kind == FORMAT:
            return motion_in(read_arrays(path, FORMS, optional=OPTIONAL))
    except Malformed as error:
        raise InputError(f'"{path.name}" cannot be read as a motion: {_within(error)}; write it again.') from error
    except OSError as error:
        raise InputError(f'"{path}" cannot be read ({error.strerror}); check its name and folder.') from error
    raise InputError(f'"{path.name}" is not a motion file that this version can read; choose another file.')


def format_of(path: Path) -> str:
    """Return the format stored in an .npz, "" if there is none. Raises Malformed for another file, and OSError.

    >>> save_motion(folder / "swing.npz", swing)
    >>> format_of(folder / "swing.npz")
    'GenMM motion 1'
    """
    return str(read_arrays(path, {"format": "U"}, optional=("format",)).get("format", ""))


def motion_in(arrays: Arrays) -> Motion:
    """Return the motion in arrays from a file, with the forms of FORMS. Raises Malformed.

    >>> motion_in(motion_arrays(swing)).frames
    60
    """
    skeleton, channels = skeleton_in(arrays), {name: float32_of(arrays[name]) for name in CHANNEL_LIMITS}
    motion = Motion(
        skeleton,
        rate_in(arrays),
        translated=joints_in(arrays["translated"], skeleton),
        scaled=joints_in(arrays["scaled"], skeleton),
        scalar_names=tuple(arrays["scalar_names"].tolist()),
        **channels,
    )
    check_stored(motion)
    if not motion.frames:
        raise Malformed("It has no frames")
    return motion


def float32_of(values: NDArray[Any]) -> Float32:
    """Return numbers in single precision, infinite where they are too large for it."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float32)


def rate_in(arrays: Arrays) -> float:
    """Return the frames per second in arrays from a file. Raises Malformed.

    >>> rate_in({"frames_per_second": np.array(30)})
    30.0
    """
    rate = float(arrays["frames_per_second"])
    if not SLOWEST <= rate <= FASTEST:
        raise Malformed(f"Its rate of {rate:g} frames per second is not between {SLOWEST:g} and {FASTEST:,.0f}")
    return rate


def _within(error: Malformed) -> str:
    clause = str(error)
    return clause[:1].lower() + clause[1:]


def skeleton_in(arrays: Arrays) -> Skeleton:
    """Return the skeleton in arrays from a file. Raises Malformed.

    >>> skeleton_in(skeleton_arrays(skeleton)).names
    ('hips', 'leg')
    """
    x, y, z = (float(value) for value in arrays["up"])
    if not len(arrays["names"]) or any(not name or "\0" in name for name in arrays["names"].tolist()):
        raise Malformed("It has joints without names")
    if np.any(np.abs(arrays["rest_translations"]) > LARGEST_NUMBER):
        raise Malformed("Its rest_translations are too large")
    inheritance = arrays.get("inheritance")
    if inheritance is not None and not np.isin(inheritance, list(Inheritance)).all():
        raise Malformed("Its scale inheritance has a value that this version does not support")
    try:
        return Skeleton(
            tuple(arrays["names"].tolist()),
            np.asarray(arrays["parents"], np.int64),
            np.asarray(arrays["rest_rotations"], np.float64),
            np.asarray(arrays["rest_translations"], np.float64),
            (x, y, z),
            inheritance=None if inheritance is None else np.asarray(inheritance, np.int64),
        )
    except InputError as error:
        raise Malformed(str(error).rstrip(".")) from error


def joints_in(numbers: NDArray[Any], skeleton: Skeleton) -> Int64:
    """Return the joints that have a channel, in arrays from a file. Raises Malformed unless they ascend.

    >>> joints_in(np.array([0, 1]), skeleton).tolist()
    [0, 1]
    """
    joints = np.asarray(numbers, np.int64)
    if np.any(np.diff(joints) <= 0) or np.any((joints < 0) | (joints >= len(skeleton.names))):
        raise Malformed("It animates joints that are not in its skeleton")
    return joints


def check_stored(motion: Motion) -> None:
    """Raise Malformed for a motion from a file whose values are too large, not finite, or not unit quaternions.

    >>> check_stored(swing)
    """
    for name, limit in CHANNEL_LIMITS.items():
        values = motion.channels()[name]
        if values.size and not max(-float(values.min()), float(values.max())) <= limit:
            raise Malformed(f"Its {name} are too large")
    try:
        motion.check_values("It")
    except InputError as error:
        raise Malformed(str(error).rstrip(".")) from error


def texts(values: tuple[str, ...]) -> NDArray[np.str_]:
    """Return names as an array `(N,)` of text, even if there are none.

    >>> texts(("hips", "leg")).tolist()
    ['hips', 'leg']
    """
    return np.array(values, np.str_) if values else np.empty(0, "<U1")
