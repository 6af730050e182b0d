# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of many motions on one skeleton, which are written as they are made, and read one by one."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ...arrays import Int64
from ...errors import InputError
from ...motion.motion import Motion
from ...motion.read_motions import ReadMotions, lengths_of
from ...motion.skeleton import Skeleton
from ...storage import ArrayInFile
from .values_file import BROKEN, HEADER, MARK, signature_of


@dataclass(frozen=True)
class _Place:
    """A motion in a file: its first number there, its frames, its rate, and the CRC-32 of its numbers."""

    first: int
    frames: int
    rate: float
    checksum: int


@dataclass(frozen=True, eq=False)
class MotionsLike:
    """The skeleton of motions in a file, and the joints `(M,)` that have translations; nothing else is animated.

    unchanged: the motions in whose order they are, if only some of them are in the file, in place of these.

    >>> MotionsLike(skeleton, swing.translated).unchanged
    ()
    """

    skeleton: Skeleton
    translated: Int64
    unchanged: Sequence[Motion] = ()


@dataclass(frozen=True, eq=False)
class _MotionFile:
    """A file of motions by number. values: of all."""

    like: MotionsLike
    values: ArrayInFile
    places: Mapping[int, _Place]

    def motion(self, number: int) -> Motion:
        """Return the motion of a number, read from the file unless it is an unchanged one."""
        return self.read(number) if number in self.places else self.like.unchanged[number]

    def read(self, number: int) -> Motion:
        """Return the motion of a number, read from the file."""
        place, joints, moved = self.places[number], len(self.like.skeleton.names), len(self.like.translated)
        turns = place.frames * joints * 4
        values = self.values[place.first : place.first + turns + place.frames * moved * 3]
        if zlib.crc32(values.data) != place.checksum:
            raise InputError(f'"{self.values.path.name}" is damaged; delete it, and try again.')
        rotations, translations = values[:turns].reshape(-1, joints, 4), values[turns:].reshape(-1, moved, 3)
        return Motion(
            self.like.skeleton, place.rate, rotations, translated=self.like.translated, translations=translations
        )


class KeptMotions(ReadMotions):
    """Motions in a file. rates: the frames per second of each.

    Raises InputError where the file was changed or removed since it was opened.

    >>> isinstance([swing], KeptMotions)
    False
    """

    def __init__(self, file: _MotionFile) -> None:
        """Begin; file: the opened file."""
        self.rates: list[float]
        before = file.like.unchanged
        of_file = {number: (place.frames, place.rate) for number, place in file.places.items()}
        rates = before.rates if isinstance(before, KeptMotions) else [motion.frames_per_second for motion in before]
        known = dict(enumerate(zip(lengths_of(before), rates, strict=True))) | of_file
        numbers = range(len(known))
        super().__init__(numbers, file.motion, [known[number][0] for number in numbers])
        self.rates, self.skeleton, self._file = [known[number][1] for number in numbers], file.like.skeleton, file

    @property
    def are_there(self) -> bool:
        """Return whether the file still exists, with the same size."""
        before = self._file.like.unchanged
        return self._file.values.is_there and (not isinstance(before, KeptMotions) or before.are_there)


def write_motions(file: BinaryIO, key: str, numbered: Iterable[tuple[int, Motion]]) -> None:
    """Write motions as they are made, in any order, into an empty file; then their places, and at last the header.

    numbered: their numbers, and the motions. key: the digest of all that they were made from. Raises OSError if the
    disk is full.
    """
    file.write(bytes(len(MARK) + HEADER.size))
    places, end = list[tuple[int, int, int, float, int]](), 0
    for number, motion in numbered:
        checksum, first = 0, end
        for values in (motion.rotations, motion.translations):
            content = np.ascontiguousarray(values, np.float32)
            file.write(content.data)
            checksum, end = zlib.crc32(content.data, checksum), end + content.size
        places.append((number, first, motion.frames, motion.frames_per_second, checksum))
    text, size = json.dumps(places).encode(), end * np.dtype(np.float32).itemsize
    file.write(text)
    file.seek(0)
    file.write(MARK + HEADER.pack(len(text), size, signature_of(key, text, size)))


def open_motions(path: Path, key: str, like: MotionsLike) -> KeptMotions | None:
    """Return the motions in a file, each of which is checked once; None if there is no such file, or it is damaged.

    key: as for `write_motions`; a file that was made from anything else or by others is refused.

    >>> open_motions(folder / "missing", "", MotionsLike(skeleton, swing.translated)) is None
    True
    """
    try:
        size, begin = path.stat().st_size, len(MARK) + HEADER.size
        with path.open("rb") as file:
            start = file.read(begin)
            of_text, of_values, signed = HEADER.unpack(start[len(MARK) :])
            if start[: len(MARK)] != MARK or size != begin + of_values + of_text:
                return None
            file.seek(begin + of_values)
            text = file.read(of_text)
        if signature_of(key, text, of_values) != signed:
            return None
        values = ArrayInFile(path, begin, np.dtype(np.float32), (of_values // 4,), size)
        opened = _MotionFile(like, values, {number: _Place(*place) for number, *place in json.loads(text)})
        for number in opened.places:
            opened.read(number)
        return KeptMotions(opened)
    except BROKEN:
        return None
