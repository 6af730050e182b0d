# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of BVH files, checked before Blender's importer reads it: the importer ignores cut files and broken numbers."""

import codecs
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core import InputError
from .bvh_hierarchy import Hierarchy, parse_hierarchy
from .bvh_numbers import DEFAULT_RATE, LARGEST_NUMBER, LONGEST_WORD, parse_number, rate_of_frame_time

LARGEST_FILE = 2**29
"""Largest file, in bytes; its text takes several times as much memory."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_FRAMES = re.compile(r"\s*frames\s*:\s*(\S*)\s*", re.IGNORECASE)
_FRAME_TIME = re.compile(r"\s*frame\s+time\s*:\s*(.*?)\s*", re.IGNORECASE)
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class BvhText:
    """A BVH file that Blender can read.

    cleaned: the text in the form that Blender's importer expects; None if the file already has this form.
    notes: sentences for the user on assumed values.
    """

    frames_per_second: float
    cleaned: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BvhContent:
    """The checked content of a BVH file.

    values: `(T, C)`, one column for each of the hierarchy's. rows: the text of each frame. is_plain: whether the file
    has the form that Blender's importer expects.
    """

    hierarchy: Hierarchy
    frames_per_second: float
    values: NDArray[np.float64]
    notes: tuple[str, ...]
    rows: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True)
class _Header:
    """The lines between MOTION and the frames. first_row: the index of the first frame's line."""

    announced: int | None
    frame_time: str
    frame_time_line: int
    first_row: int
    is_regular: bool


def frames_per_second(path: Path) -> float:
    """Return the frame rate of a BVH file. Raises InputError as `read_bvh` does."""
    return read_bvh(path).frames_per_second


def read_bvh(path: Path) -> BvhText:
    """Return a BVH file's text for Blender's importer. Raises InputError as `parse_bvh` does."""
    content = parse_bvh(path)
    cleaned = None if content.is_plain else _cleaned(content.hierarchy, content.frames_per_second, content.rows)
    return BvhText(content.frames_per_second, cleaned, content.notes)


def parse_bvh(path: Path, data: bytes | None = None) -> BvhContent:
    """Return the content of a BVH file, in any encoding and with any system's line ends.

    data: the file's bytes, if they were read before. Raises InputError, with line and joint where possible, for a file
    that is no BVH file, is cut short, or has unusable numbers or joints that Blender cannot read.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise InputError(f'"{path.name}" is larger than {LARGEST_FILE >> 20:,} megabytes; cut it into several files.')
    text, is_plain = _decoded(path.read_bytes() if data is None else data)
    lines = _LINE_END.split(text)
    if next((_first(line) for line in lines if line.strip()), "") != "HIERARCHY":
        raise InputError(f'"{path.name}" is not a BVH file: it does not begin with HIERARCHY.')
    motion = next((index for index, line in enumerate(lines) if _first(line) == "MOTION"), None)
    if motion is None:
        raise InputError(f'"{path.name}" is cut short: it has no MOTION section; save or download it again.')
    hierarchy = parse_hierarchy(path.name, lines[:motion])
    header = _header(lines, motion)
    rows = [(index + 1, line) for index, line in enumerate(lines) if index >= header.first_row and line.strip()]
    values = _values(path.name, header.announced, hierarchy, rows)
    rate = rate_of_frame_time(header.frame_time, path.name, header.frame_time_line) if header.frame_time else None
    return BvhContent(
        hierarchy,
        rate or DEFAULT_RATE,
        values,
        () if rate else (_note_on_rate(path.name, header.frame_time),),
        tuple(row for _, row in rows),
        is_plain and header.is_regular and _has_lines(lines[:motion], hierarchy),
    )


def _note_on_rate(name: str, frame_time: str) -> str:
    said = f'a frame time of "{frame_time[:LONGEST_WORD]}"' if frame_time else "no frame time"
    return f'"{name}" has {said}; it is read at {DEFAULT_RATE:g} frames per second.'


def _decoded(data: bytes) -> tuple[str, bool]:
    """Return a file's text, and whether it is plain UTF-8; other bytes are read as Latin-1, which has all bytes."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), False
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("latin-1"), False


def _first(line: str) -> str:
    return line.split(maxsplit=1)[0].upper() if line.strip() else ""


def _header(lines: Sequence[str], motion: int) -> _Header:
    announced, frame_time, frame_time_line = None, "", 0
    order = []
    index = motion + 1
    while index < len(lines):
        frames, time = _FRAMES.fullmatch(lines[index]), _FRAME_TIME.fullmatch(lines[index])
        if frames is not None:
            said = frames.group(1)
            announced = int(said) if said.isascii() and said.isdigit() and len(said) < 20 else None
            order.append("frames" if announced is not None and len(lines[index].split()) == 2 else "odd")
        elif time is not None:
            frame_time, frame_time_line = time.group(1), index + 1
            order.append("time" if _is_float(frame_time) and len(lines[index].split()) == 3 else "odd")
        elif lines[index].strip():
            break
        index += 1
    is_regular = order == ["frames", "time"] and len(lines[motion].split()) == 1
    return _Header(announced, frame_time, frame_time_line, index, is_regular)


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _values(
    name: str, announced: int | None, hierarchy: Hierarchy, rows: Sequence[tuple[int, str]]
) -> NDArray[np.float64]:
    """Return the numbers `(T, C)` of all frames. Raises InputError unless each frame has one for each channel."""
    values = _values_at_once(len(hierarchy.columns), [row for _, row in rows])
    if values is None:
        values = _values_by_row(name, hierarchy, rows)
    if not rows or (announced is not None and len(rows) < announced):
        raise InputError(
            f'"{name}" is cut short: it holds {len(rows)} of {announced or "its"} frames; save or download it again.'
        )
    return values


def _values_at_once(count: int, rows: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the numbers `(T, count)` of the rows; None if any row needs a check of its own.

    This is four times as fast as reading row by row.
    """
    if any(len(row.split()) != count for row in rows):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            values = np.fromstring(" ".join(rows), sep=" ")
        except (ValueError, Warning):
            return None
    usable = values.size == len(rows) * count and bool(np.abs(values).max(initial=0.0) <= LARGEST_NUMBER)
    return values.reshape(len(rows), count) if usable else None


def _values_by_row(name: str, hierarchy: Hierarchy, rows: Sequence[tuple[int, str]]) -> NDArray[np.float64]:
    """Return the numbers `(T, C)` of all frames. Raises InputError with line and joint of the first unusable one."""
    count = len(hierarchy.columns)
    values = np.empty((len(rows), count))
    for frame, (line, row) in enumerate(rows, start=1):
        words = row.split()
        if len(words) < count and "," not in row:
            raise InputError(
                f'"{name}" is cut short: frame {frame} has {len(words)} of {count} values; save or download it again.'
            )
        try:
            values[frame - 1] = np.array(words[:count], np.float64)
            is_usable = bool(np.abs(values[frame - 1]).max() <= LARGEST_NUMBER) and "," not in row
        except ValueError:
            is_usable = False
        if not is_usable:
            for joint, word in zip(hierarchy.columns, words, strict=False):
                parse_number(word, name, line, joint)
            raise InputError(f'"{name}" has commas at line {line}; export it with spaces between its numbers.')
    return values


def _has_lines(lines: Sequence[str], hierarchy: Hierarchy) -> bool:
    """Return whether the file's lines have the form that Blender's importer expects."""
    return [words for words in (line.split() for line in lines) if words] == hierarchy.lines


def _cleaned(hierarchy: Hierarchy, rate: float, rows: Sequence[str]) -> str:
    header = [["MOTION"], ["Frames:", str(len(rows))], ["Frame", "Time:", f"{1 / rate:.9f}"]]
    return "\n".join([*(" ".join(words) for words in hierarchy.lines + header), *rows]) + "\n"
