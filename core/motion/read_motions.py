# SPDX-License-Identifier: GPL-3.0-or-later
"""Sequences of motions that are read from a file each time that they are asked for, so that few stay in memory."""

from collections.abc import Callable, Sequence
from typing import overload

from .motion import Motion


class ReadMotions(Sequence[Motion]):
    """Motions of many clips, each read when it is asked for. lengths: the number of frames of each.

    >>> motions = ReadMotions([0, 30], lambda first: swing.slice(first, first + 30), [30, 30])
    >>> len(motions), motions[1].frames, len(motions[1:])
    (2, 30, 1)
    """

    def __init__(self, numbers: Sequence[int], read: Callable[[int], Motion], lengths: Sequence[int]) -> None:
        """Begin; read: the function that returns the motion of each of the numbers."""
        self._numbers, self._read, self.lengths = numbers, read, lengths

    def __len__(self) -> int:
        """Return the number of motions."""
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Motion: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Motion]: ...

    def __getitem__(self, place: int | slice) -> Motion | Sequence[Motion]:
        """Return the motion at a place, or those of a slice."""
        if isinstance(place, slice):
            return ReadMotions(self._numbers[place], self._read, self.lengths[place])
        return self._read(self._numbers[place])


def lengths_of(motions: Sequence[Motion]) -> list[int]:
    """Return the number of frames of each motion, without reading it.

    >>> lengths_of([swing, swing.slice(0, 9)])
    [60, 9]
    """
    return [*motions.lengths] if isinstance(motions, ReadMotions) else [motion.frames for motion in motions]
