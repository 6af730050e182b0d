# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of BVH files, checked before Blender's importer reads it: the importer ignores cut files and broken numbers."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...arrays import Float64
from ...errors import InputError
from .channels import usual_channels
from .hierarchy import Hierarchy, parse_hierarchy
from .numbers import bvh_rate
from .values import Row, frame_values

LARGEST_FILE = 2**29
"""Largest file, in bytes; its text takes several times as much memory."""
_FRAMES = re.compile(r"\s*frames\s*:?\s*(\S*)\s*", re.IGNORECASE)
_FRAME_TIME = re.compile(r"\s*frame[\s_]*time\s*:?\s*(\S*)(.*)", re.IGNORECASE)
_TITLES = ("ROOT", "JOINT", "END")
_WHOLE_COMMENT = re.compile(r"\s*(?:#|//|;)")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")
_ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"H\0": "utf-16-le",
    b"\0H": "utf-16-be",
}
_PADDING = b"\0\x1a\r\n\t "
"""Bytes after the last frame that mean nothing; some programs fill files up with zeros."""
_NOT_LATIN = re.compile(rb"[\x81-\x9f]")
"""Bytes that are control characters in Latin-1, and begin the most usual characters of Shift-JIS."""


@dataclass(frozen=True)
class BvhText:
    """A BVH file that Blender can read.

    cleaned: the text in the form that Blender's importer expects; None if the file already has this form.
    notes: sentences for the user on assumed values.

    >>> BvhText(30.0, cleaned=None).notes
    ()
    """

    frames_per_second: float
    cleaned: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BvhContent:
    """The checked content of a BVH file.

    values: `(T, C)`, one column for each of the hierarchy's. is_plain: whether the file has the form that Blender's
    importer expects.
    """

    hierarchy: Hierarchy
    frames_per_second: float
    values: Float64
    notes: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True)
class _Header:
    """The lines between MOTION and the frames. rows: the lines of the frames."""

    announced: int | None
    frame_time: str
    frame_time_line: int
    rows: list[Row]
    is_regular: bool


def bvh_frames_per_second(path: Path) -> float:
    """Return the frame rate of a BVH file. Raises InputError as `read_bvh` does.

    >>> save_bvh(folder / "swing.bvh", swing)
    >>> bvh_frames_per_second(folder / "swing.bvh")
    30.0
    """
    return parse_bvh(path).frames_per_second


def read_bvh(path: Path) -> BvhText:
    """Return a BVH file's text for Blender's importer. Raises InputError as `parse_bvh` does.

    >>> save_bvh(folder / "swing.bvh", swing)
    >>> read_bvh(folder / "swing.bvh").cleaned is None
    True
    """
    content = parse_bvh(path)
    return BvhText(content.frames_per_second, None if content.is_plain else _cleaned(content), content.notes)


def parse_bvh(path: Path, data: bytes | None = None) -> BvhContent:
    """Return the content of a BVH file, in any encoding and with any system's line ends.

    data: the file's bytes, if they were read before. Raises InputError, with line and joint where possible, for a file
    that is not a BVH file, is cut short, or has unusable numbers or joints that Blender cannot read.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise InputError(f'"{path.name}" is larger than {LARGEST_FILE >> 20:,} megabytes; split it into several files.')
    text, is_plain = _decoded(path.read_bytes() if data is None else data)
    lines = text.split("\n")
    if next((_first(line) for line in lines if line.strip()), "") != "HIERARCHY":
        raise InputError(f'"{path.name}" is not a BVH file: it does not begin with HIERARCHY.')
    motion = next((index for index, line in enumerate(lines) if _first(line) == "MOTION"), None)
    if motion is None:
        raise InputError(f'"{path.name}" is cut short: it has no MOTION section; save or download it again.')
    parsed = parse_hierarchy(path.name, lines[:motion])
    header = _header(lines, motion)
    rate, on_rate = bvh_rate(header.frame_time, path.name, header.frame_time_line)
    frames = frame_values(path.name, parsed.columns, header.announced, header.rows)
    hierarchy, values, changed = usual_channels(path.name, parsed, frames.values)
    is_plain = is_plain and frames.is_plain and header.is_regular and hierarchy is parsed
    return BvhContent(
        hierarchy,
        rate,
        values,
        (*on_rate, *frames.notes, *changed),
        is_plain and _has_lines(lines[:motion], hierarchy),
    )


def _decoded(data: bytes) -> tuple[str, bool]:
    """Return a file's text without comments, with "\\n" between its lines, and whether it is plain UTF-8 as it stands.

    Other bytes are read as Shift-JIS, where the second byte of a character may be a brace, or as Latin-1, which has
    all bytes.
    """
    encoding = next((name for mark, name in _ENCODINGS.items() if data.startswith(mark)), "")
    padding = b"" if encoding.startswith("utf-16") else data[len(data.rstrip(_PADDING)) :]
    data = data[: len(data) - len(padding)]
    is_plain = not encoding and not padding.strip()
    try:
        text = data.decode(encoding or "utf-8", errors="replace" if encoding else "strict")
    except UnicodeDecodeError:
        text, is_plain = _of_older_encoding(data), False
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "#" in text or "//" in text or ";" in text:
        text, is_plain = "\n".join(_without_comment(line) for line in text.split("\n")), False
    return text, is_plain


def _of_older_encoding(data: bytes) -> str:
    if _NOT_LATIN.search(data):
        try:
            return data.decode("cp932")
        except UnicodeDecodeError:
            pass
    return data.decode("latin-1")


def _without_comment(line: str) -> str:
    if _WHOLE_COMMENT.match(line):
        return ""
    # A name may contain any character.
    return line if _first(line) in _TITLES else _COMMENT.sub("", line)


def _first(line: str) -> str:
    return line.split(maxsplit=1)[0].upper() if line.strip() else ""


def _header(lines: Sequence[str], motion: int) -> _Header:
    announced, frame_time, frame_time_line = None, "", 0
    order = []
    index, unread = motion, lines[motion].strip()[len("MOTION") :]
    while not unread.strip() or (match := _FRAMES.fullmatch(unread) or _FRAME_TIME.fullmatch(unread)):
        if unread.strip() and match is not None and match.re is _FRAMES:
            count = match.group(1)
            announced = int(count) if count.isascii() and count.isdigit() and len(count) < 20 else None
            order.append("frames" if announced is not None and len(unread.split()) == 2 else "odd")
        elif unread.strip() and match is not None:
            frame_time, frame_time_line = match.group(1), index + 1
            order.append("time" if _is_float(frame_time) and len(unread.split()) == 3 else "odd")
            if match.group(2).strip():
                unread = match.group(2)
                break
        index += 1
        if index == len(lines):
            unread = ""
            break
        unread = lines[index]
    rows = [(index + 1, unread), *enumerate(lines[index + 1 :], index + 2)]
    is_regular = order == ["frames", "time"] and len(lines[motion].split()) == 1
    return _Header(announced, frame_time, frame_time_line, rows, is_regular)


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _has_lines(lines: Sequence[str], hierarchy: Hierarchy) -> bool:
    """Return whether the file's lines have the form that Blender's importer expects."""
    return [words for words in (line.split() for line in lines) if words] == list(hierarchy.lines())


def _cleaned(content: BvhContent) -> str:
    header = [["MOTION"], ["Frames:", str(len(content.values))]]
    header.append(["Frame", "Time:", f"{1 / content.frames_per_second:.9f}"])
    rows = (map(repr, row.tolist()) for row in content.values)
    return "\n".join(" ".join(words) for words in (*content.hierarchy.lines(), *header, *rows)) + "\n"
