# SPDX-License-Identifier: GPL-3.0-or-later
"""What a BVH file says about itself, checked before Blender's importer takes it: that one does not notice a cut."""

import math
from pathlib import Path

from ..core.errors import InputError

LARGEST_FILE = 2**29
"""Read as text it takes ten times as much memory."""


def frames_per_second(path: Path) -> float | None:
    """The frame rate of a BVH file, None where it gives none.

    Raises InputError for what is no BVH file, is cut short, or has joints that Blender cannot read.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise InputError(f'"{path.name}" is larger than {LARGEST_FILE >> 20:,} megabytes; cut it into several files.')
    lines = [line.split() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    lines = [words for words in lines if words]
    if not lines or lines[0][0].upper() != "HIERARCHY":
        raise InputError(f'"{path.name}" is not a BVH file: it does not begin with HIERARCHY.')
    motion = next((index for index, words in enumerate(lines) if words[0].upper() == "MOTION"), None)
    if motion is None:
        raise InputError(f'"{path.name}" is cut short: it has no MOTION section; save or download it again.')
    header, rows = lines[motion + 1 : motion + 3], lines[motion + 3 :]
    _check_rows(path.name, _announced_frames(header), _channels(path.name, lines[:motion]), rows)
    return _rate(header)


def _channels(name: str, hierarchy: list[list[str]]) -> int:
    """How many values each frame has."""
    count = 0
    for words in hierarchy:
        if words[0].upper() == "CHANNELS":
            turning = sum(word.lower().endswith("rotation") for word in words[2:])
            if turning not in (0, 3):
                raise InputError(
                    f'"{name}" has a joint with {turning} rotation channels, and Blender reads three or none;'
                    " export it with three on every joint."
                )
            count += len(words) - 2
    return count


def _check_rows(name: str, announced: int | None, channels: int, rows: list[list[str]]) -> None:
    for frame, row in enumerate(rows, start=1):
        if len(row) < channels:
            raise InputError(
                f'"{name}" is cut short: frame {frame} has {len(row)} of {channels} values; save or download it again.'
            )
    if not rows or (announced is not None and len(rows) < announced):
        raise InputError(
            f'"{name}" is cut short: it holds {len(rows)} of {announced or "its"} frames; save or download it again.'
        )


def _announced_frames(header: list[list[str]]) -> int | None:
    for words in header:
        if words[0].lower() == "frames:" and len(words) == 2 and words[1].isascii() and words[1].isdigit():
            return int(words[1])
    return None


def _rate(header: list[list[str]]) -> float | None:
    for words in header:
        if [word.lower() for word in words[:2]] == ["frame", "time:"] and len(words) == 3:
            try:
                return _rate_of(float(words[2]), 10.0 ** -len(words[2].partition(".")[2]))
            except ValueError:
                return None
    return None


def _rate_of(seconds: float, last_digit: float) -> float | None:
    """The rate of a frame time: a whole one or a television one where the digits in the file allow it."""
    if not 0 < seconds < math.inf:
        return None
    for base in (1.0, 1.001):
        rate = max(round(base / seconds), 1) / base
        if abs(1.0 / rate - seconds) <= last_digit:
            return rate
    return 1.0 / seconds
