# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that stay in their file, of which only the requested rows are read."""

import math
import os
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64
from ..errors import InputError

PIECE = 2**17
"""Number of bytes read at a time where a file is read in pieces, and that have a checksum of their own."""


@dataclass(frozen=True, eq=False)
class ArrayInFile:
    """An array `(N, ...)` in C order whose rows are read when they are asked for, by a slice or an array of indices.

    NumPy's functions read it whole. The file is opened for each reading and closed again. It is not mapped into memory,
    since a mapped file ends the program if another one shortens it or its disk is gone, and cannot be replaced on
    Windows. start: the byte at which it begins. size, changed: of the file and its last change, in nanoseconds; None if
    it may be touched. checksums: the CRC-32 of each PIECE of the array's bytes, with which what is read is compared;
    None: it is not.
    Raises InputError where rows are read and the file cannot be read, is damaged there, or has been changed or removed
    since.

    >>> np.arange(6.0).tofile(folder / "numbers")
    >>> array = ArrayInFile(folder / "numbers", 8, np.dtype(float), (5,), size=48)
    >>> array[1:3].tolist(), array[np.array([4, 0])].tolist(), np.asarray(array).tolist()
    ([2.0, 3.0], [5.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    """

    path: Path
    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    size: int
    changed: int | None = None
    checksums: tuple[int, ...] | None = None

    def __len__(self) -> int:
        """Return the number of rows, N."""
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the whole array, for NumPy."""
        return np.asarray(self[:], dtype)

    def __getitem__(self, rows: slice | Int64) -> NDArray[Any]:
        """Return the rows of a slice without steps, or those with the given numbers, in their order."""
        if isinstance(rows, slice):
            first, stop, _ = rows.indices(len(self))
            return self._read(first, max(stop, first))
        order = np.argsort(rows, kind="stable")
        ascending, taken = rows[order], np.empty((len(rows), *self.shape[1:]), self.dtype)
        pieces = ascending // max(PIECE // max(self._row_bytes, 1), 1)
        for group in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(pieces)) + 1):
            if len(group):
                first, last = int(ascending[group[0]]), int(ascending[group[-1]])
                if not 0 <= first <= last < len(self):
                    raise IndexError(f"rows {first} to {last} of {len(self)}")
                taken[order[group]] = self._read(first, last + 1)[ascending[group] - first]
        return taken

    @property
    def touchable(self) -> "ArrayInFile":
        """Return the array for a reader that compares values with a checksum, whenever the file was last changed."""
        return replace(self, changed=None)

    @property
    def is_there(self) -> bool:
        """Return whether the file still exists, with the same size."""
        try:
            return self.path.stat().st_size == self.size
        except OSError:
            return False

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    @property
    def _row_bytes(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape[1:])

    def _read(self, first: int, stop: int) -> NDArray[Any]:
        begin, end = first * self._row_bytes, stop * self._row_bytes
        if begin >= end:
            return np.empty((stop - first, *self.shape[1:]), self.dtype)
        if self.checksums is None:
            return self._in_rows(self._read_bytes(begin, end))
        start = begin - begin % PIECE
        content = self._read_bytes(start, min(end + -end % PIECE, len(self) * self._row_bytes))
        checksums = checksums_of(content)
        if checksums != self.checksums[start // PIECE : start // PIECE + len(checksums)]:
            raise InputError(f'"{self.path.name}" is damaged; delete it, and try again.')
        return self._in_rows(content[begin - start : end - start])

    def _in_rows(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        return content.view(self.dtype).reshape(-1, *self.shape[1:])

    def _read_bytes(self, begin: int, end: int) -> NDArray[np.uint8]:
        content = np.empty(end - begin, np.uint8)
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                same = status.st_size == self.size and self.changed in (None, status.st_mtime_ns)
                file.seek(self.start + begin)
                whole = same and file.readinto(content.data) == len(content)
        except FileNotFoundError:
            whole = False
        except OSError as error:
            raise InputError(f'"{self.path.name}" cannot be read ({error.strerror}); try again.') from error
        if not whole:
            raise InputError(f'"{self.path.name}" was changed or removed while it was in use; try again.')
        return content


def checksums_of(content: NDArray[np.uint8]) -> tuple[int, ...]:
    """Return the CRC-32 of each PIECE of bytes.

    >>> checksums_of(np.zeros(4, np.uint8))
    (558161692,)
    """
    return tuple(zlib.crc32(content[first : first + PIECE].data) for first in range(0, len(content), PIECE))
