# SPDX-License-Identifier: GPL-3.0-or-later
"""Values made from many examples, kept in a folder under a digest of all inputs, so that a stale one is never used.

They are signed, so that what is read is what this program wrote for this user: nothing in it needs another check.
"""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np

from ...arrays import Array
from ...computation import computing
from ...examples.cycles import Repetition
from ...examples.preparing import Prepared, prepare, with_noise
from ...features.body_parts import Part
from ...motion.motion import Motion
from ...settings import Settings
from ...storage import clear_leftovers, whole_file
from .encoding import Decoder, Encoder, Unknown
from .motions_file import KeptMotions, MotionsLike, open_motions, write_motions
from .values_file import BROKEN, read_values, signature, write_values

VARIABLE = "GENMM_PREPARATIONS"
"""Environment variable; if it is "off", nothing is kept on disk or read from there."""
LEAST_FRAMES = 5000
"""Smallest number of frames of examples whose preparation is kept; fewer are prepared in less than a second."""
MOST_KEPT = 3
"""Number of preparations that stay in a folder, the most recently used ones."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class KeptFiles:
    """Files of one kind in a folder.

    suffix: of their names. most: the number that stay, the most recently used ones. in_file: large arrays stay in the
    file, as `ArrayInFile`.

    >>> KeptFiles(".preparation", 3).most
    3
    """

    suffix: str
    most: int
    in_file: bool = False


PREPARATIONS = KeptFiles(".preparation", MOST_KEPT)


@computing()
def prepare_kept(
    examples: Sequence[Motion],
    folder: Path | None,
    *,
    frames_per_second: float | None = None,
    names: Sequence[str] | None = None,
    parts: Sequence[Part] | None = None,
    repetitions: Sequence[Repetition] | None = None,
    settings: Settings = Settings(),
    travels: bool = False,
) -> Prepared:
    """Return the result of `prepare`, read from a folder if it was made before, else made and kept there.

    folder: it is made if it is missing; None, or one that cannot be written, keeps nothing. Other arguments and errors
    are those of `prepare`.

    >>> prepare_kept([swing], None).rows.shape[0]
    60
    """
    # No table depends on the noise, so it is not part of the digest.
    chosen = tuple(None if choices is None else tuple(choices) for choices in (parts, repetitions))
    asked = (tuple(examples), frames_per_second, *chosen, replace(settings, noise=0.0), travels)
    prepared = made_once(
        PREPARATIONS,
        folder,
        asked,
        lambda: prepare(
            examples,
            frames_per_second=frames_per_second,
            names=names,
            parts=parts,
            repetitions=repetitions,
            settings=settings,
            travels=travels,
        ),
        examples=examples,
    )
    return with_noise(prepared, settings.noise)


def made_once(
    files: KeptFiles,
    folder: Path | None,
    asked: object,
    make: Callable[[], Made],
    *,
    examples: Sequence[Motion],
    frames: int | None = None,
) -> Made:
    """Return the result of `make`, read from a folder if it was made before, else made and kept there.

    asked: all inputs that it depends on, of classes that an `Encoder` knows. examples: the motions from which it is
    made, whose arrays the file does not repeat. frames: from which it is made; None is those of the examples. folder:
    see `prepare_kept`.

    >>> files = KeptFiles(".count", 2)
    >>> made_once(files, None, (swing,), lambda: swing.frames, examples=[swing])
    60
    """
    count = sum(motion.frames for motion in examples) if frames is None else frames
    # Motions in a file of their own are given to the reader as one object, others as their arrays.
    place = _place_of(files, folder, (asked, isinstance(examples, KeptMotions)), count)
    if place is None:
        return make()
    path, key = place

    def stored() -> Made | None:
        return cast("Made | None", _read(path, key, examples, files))

    kept = stored()
    if kept is not None:
        return kept
    value = make()
    _write(path, key, value, examples, files)
    kept = stored() if files.in_file else None
    return value if kept is None else kept


def keep_motions(
    files: KeptFiles,
    folder: Path | None,
    asked: object,
    make: Callable[[], Iterable[tuple[int, Motion]]],
    like: MotionsLike,
    *,
    frames: int,
) -> Sequence[Motion]:
    """Return motions in the order of their numbers, read from a folder if they were made before, else made and kept.

    make: the function that yields numbers and motions, in any order, which need not be in memory together; where `like`
    has unchanged motions, only those that differ. files, folder, asked, frames: as of `made_once`.

    >>> files, like = KeptFiles(".swings", 2), MotionsLike(skeleton, swing.translated)
    >>> made = keep_motions(files, folder, (1,), lambda: [(1, swing), (0, swing.slice(0, 9))], like, frames=10_000)
    >>> made.lengths
    [9, 60]
    """
    place = _place_of(files, folder, asked, frames)
    if place is not None:
        path, key = place
        kept = _opened(path, key, like)
        if kept is None:
            with suppress(OSError), _written(path, files) as file:
                write_motions(file, key, make())
            kept = _opened(path, key, like)
        if kept is not None:
            return kept
    made = dict(enumerate(like.unchanged)) | dict(make())
    return tuple(made[number] for number in range(len(made)))


def _opened(path: Path, key: str, like: MotionsLike) -> KeptMotions | None:
    """Return the motions in a file, which is now the one used last; None if there is none or it is damaged."""
    kept = open_motions(path, key, like)
    if kept is not None:
        with suppress(OSError):
            os.utime(path)
    return kept


def _place_of(files: KeptFiles, folder: Path | None, asked: object, frames: int) -> tuple[Path, str] | None:
    """Return the file that keeps what is asked for, and its key; None if it is not kept, see `made_once`."""
    if folder is None or frames < LEAST_FRAMES or not _allowed():
        return None
    try:
        key = _key(asked)
    except OSError:  # this package's source cannot be read, as while it is being replaced by another version
        return None
    return folder / f"{key}{files.suffix}", files.suffix + key


def _allowed() -> bool:
    return os.environ.get(VARIABLE, "").strip().lower() not in ("off", "0", "no")


def _key(asked: object) -> str:
    """Return a digest of everything that a value depends on: the inputs, the program, the machine and the user."""
    encoder = Encoder()
    digest = hashlib.sha256(repr((_program(), _rounding(), signature(b""), encoder.encoded(asked))).encode())
    for array in encoder.arrays:
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


@cache
def _program() -> str:
    """Return a digest of this package's source, because another version may prepare differently."""
    digest, package = hashlib.sha256(), Path(__file__).parents[2]
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _rounding() -> str:
    """Return a digest of computations that round differently with another NumPy, or on another processor."""
    values = np.sin(np.arange(96 * 84, dtype=np.float32)).reshape(96, 84)
    arrays: list[Array] = [values @ values.T, np.exp(values), np.arctan2(values, values[::-1]), values.sum(axis=0)]
    arrays += list(np.linalg.eigh((values.T @ values).astype(np.float64)))
    digest = hashlib.sha256(f"{np.__version__} {platform.machine()} {sys.byteorder}".encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _given(examples: Sequence[Motion]) -> list[Any]:
    """Return what the reader already has: arrays, or all motions if they are in a file of their own."""
    if isinstance(examples, KeptMotions):
        return [examples]
    return [channel for motion in examples for channel in motion.channels().values()]


def _read(path: Path, key: str, examples: Sequence[Motion], files: KeptFiles) -> Any:
    """Return the value in a file; None if there is no file that this program wrote for this user."""
    try:
        encoded, arrays = read_values(path, key, in_file=files.in_file)
        value = Decoder(arrays, _given(examples)).value(encoded)
    except BROKEN:
        return None
    with suppress(OSError):
        os.utime(path)
    return value


def _write(path: Path, key: str, value: object, examples: Sequence[Motion], files: KeptFiles) -> None:
    """Write a file completely before it gets its name; if that fails, there is no file."""
    with suppress(OSError, Unknown):
        encoder = Encoder(_given(examples))
        encoded = encoder.encoded(value)
        with _written(path, files) as file:
            write_values(file, encoded, encoder.arrays, key)


@contextmanager
def _written(path: Path, files: KeptFiles) -> Iterator[BinaryIO]:
    """Yield a file to write to, which then gets its name, in place of those of its kind that were not used."""
    path.parent.mkdir(exist_ok=True)
    # A checksum shows a file that is incomplete on the disk.
    with whole_file(path, through_link=False, is_flushed=False) as unfinished, unfinished.open("wb") as file:
        yield file
    _tidy(path.parent, files)


def _tidy(folder: Path, files: KeptFiles) -> None:
    """Remove all files of a kind except the most recently used, and what ended processes left unfinished.

    A file is of a kind if its name is a digest with the suffix, as only this module gives.
    """
    ours = re.compile(rf"[0-9a-f]{{32,}}{re.escape(files.suffix)}")
    ages = {path: path.lstat().st_mtime for path in folder.iterdir() if ours.fullmatch(path.name)}
    for path in sorted(ages, key=lambda path: -ages[path])[files.most :]:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    clear_leftovers(folder)
