# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of a BVH file's frames, counted whatever the lines on which they stand; uses NumPy alone."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from .numbers import LARGEST_NUMBER, parse_number, separated

Row = tuple[int, str]
"""A line after its number."""


@dataclass(frozen=True, eq=False)
class FrameValues:
    """The frames of a file. values: `(T, C)`. is_plain: whether each line is a frame, as Blender's importer expects."""

    values: Float64
    is_plain: bool
    notes: tuple[str, ...] = ()


def frame_values(file: str, columns: Sequence[str], announced: int | None, rows: Sequence[Row]) -> FrameValues:
    """Return the numbers of all frames; text after the announced frames is left out.

    file: its name for messages. columns: the joint of each value of a frame. announced: the number of frames that the
    file states. Raises InputError, with line and joint where possible, for unusable numbers and incomplete frames.
    """
    values = _one_frame_a_line(len(columns), [row for _, row in rows if row.strip()])
    if values is not None and len(values) >= max(announced or 0, 1):
        return FrameValues(values, True)
    needed = None if announced is None else max(announced, 1) * len(columns)
    numbers_by_line, notes = _numbers(file, columns, needed, rows)
    counts = np.array([len(numbers) for numbers in numbers_by_line], np.int64)
    if _is_line_by_line(counts, len(columns), announced):
        short = np.flatnonzero(counts < len(columns))
        complete = numbers_by_line[: short[0]] if len(short) else numbers_by_line
        left_over = int(counts[short[0]]) if len(short) else 0
        if announced is not None and len(complete) >= announced:
            left_over = 0
        values = np.array([numbers[: len(columns)] for numbers in complete]).reshape(-1, len(columns))
    else:
        every = np.concatenate(numbers_by_line) if numbers_by_line else np.empty(0)
        count, left_over = divmod(len(every), len(columns))
        if needed is not None and len(every) >= needed:
            left_over = 0
        values = every[: count * len(columns)].reshape(count, len(columns))
    _check_complete(file, len(columns), announced, len(values), left_over)
    return FrameValues(values, False, notes)


def _check_complete(file: str, width: int, announced: int | None, count: int, left_over: int) -> None:
    """Raise InputError unless there are all announced frames, and none with only `left_over` values."""
    if left_over:
        raise InputError(
            f'"{file}" is cut short: frame {count + 1} has {left_over} of {width} values; save or download it again.'
        )
    if announced == count == 0:
        raise InputError(f'"{file}" has no frames; export it again with motion in it.')
    if count < max(announced or 0, 1):
        raise InputError(
            f'"{file}" is cut short: it has {count} of {announced or "its"} frames; save or download it again.'
        )


def _is_line_by_line(counts: Int64, width: int, announced: int | None) -> bool:
    """Return whether each line is meant as a frame, so that numbers of one must not slip into the next."""
    if announced is not None and len(counts) < announced:
        return False
    return bool(2 * (counts >= width).sum() > len(counts) and (counts % width != 0).any())


def _one_frame_a_line(width: int, rows: Sequence[str]) -> Float64 | None:
    """Return the numbers `(T, width)` of the rows; None unless each has as many usable numbers.

    This is four times as fast as reading row by row.
    """
    if any(len(row.split()) != width for row in rows):
        return None
    values = _usable(" ".join(rows), len(rows) * width)
    return None if values is None else values.reshape(len(rows), width)


def _usable(text: str, count: int) -> Float64 | None:
    """Return the numbers in a text of `count` words; None if any word is not a usable number."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            values = np.fromstring(text, sep=" ")
        except (ValueError, Warning):
            return None
    is_usable = values.size == count and bool(np.abs(values).max(initial=0.0) <= LARGEST_NUMBER)
    return values if is_usable else None


def _numbers(
    file: str, columns: Sequence[str], needed: int | None, rows: Sequence[Row]
) -> tuple[list[Float64], tuple[str, ...]]:
    """Return the numbers of each line, up to the first text after those needed, and a note on that text.

    Raises InputError for an unusable number before it.
    """
    numbers_by_line: list[Float64] = []
    total = 0
    for line, row in rows:
        if not row.strip():
            continue
        words = separated(row).split()
        numbers = _usable(" ".join(words), len(words))
        if numbers is None:
            numbers, problem = _first_numbers(file, line, columns, words)
            if needed is None or total + len(numbers) < needed:
                raise problem
            note = f'"{file}" has text after its last frame, at line {line}, which is left out.'
            return ([*numbers_by_line, numbers] if len(numbers) else numbers_by_line), (note,)
        numbers_by_line.append(numbers)
        total += len(numbers)
    return numbers_by_line, ()


def _first_numbers(file: str, line: int, columns: Sequence[str], words: Sequence[str]) -> tuple[Float64, InputError]:
    """Return the numbers before a line's first unusable word, and the sentence on that word."""
    numbers: list[float] = []
    for word in words:
        try:
            numbers.append(parse_number(word, file, line, columns[len(numbers) % len(columns)]))
        except InputError as error:
            return np.array(numbers), error
    raise AssertionError("a line of usable numbers")
