# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of the page, checked before the worker receives them."""

from dataclasses import dataclass, field
from typing import Any

from ...core import InputError, Loop
from ...core.storage import LARGEST_INTEGER

MOST_VARIATIONS = 12
LONGEST, SHORTEST = 120.0, 0.5
"""Longest and shortest variation, in seconds."""
KINDS = (".bvh", ".glb", ".fbx")
"""Suffixes of the files that variations are written as."""
_LOOPS = {"off": Loop.OFF, "travel": Loop.TRAVEL, "in-place": Loop.IN_PLACE}
_STALE = "The page sent an invalid request; reload the page."


@dataclass(frozen=True)
class OpenMotion:
    """Opening of a dropped file by its number; None is the sample character."""

    file: int | None


@dataclass(frozen=True)
class Choices:
    """The page's settings for variations of a motion.

    motion: the number of the job that opened it. action: the number of one of its actions. seconds: the length.
    free: numbers of the body parts that move independently. kept: of those that play the example unchanged.
    """

    motion: int
    action: int
    seconds: float
    loop: Loop = Loop.OFF
    free: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


@dataclass(frozen=True)
class MakeVariations:
    """Generation of one variation for each seed."""

    choices: Choices
    seeds: tuple[int, ...] = field(default=())


@dataclass(frozen=True)
class WriteFile:
    """Writing of a variation as a file of a kind, given by its suffix."""

    choices: Choices
    seed: int
    kind: str


def variations_in(values: Any) -> MakeVariations:
    """Return the variations that a page requests in JSON. Raises InputError with a message for the page."""
    count, first = _whole(values, "count"), _whole(values, "seed")
    if not 1 <= count <= MOST_VARIATIONS:
        raise InputError(f"Choose between 1 and {MOST_VARIATIONS} variations.")
    if not 0 <= first <= LARGEST_INTEGER - count:
        raise InputError(_STALE)
    return MakeVariations(_choices_in(values), tuple(range(first, first + count)))


def file_in(values: Any) -> WriteFile:
    """Return the file that a page requests in JSON. Raises InputError as `variations_in` does."""
    seed, kind = _whole(values, "seed"), values.get("kind")
    if not 0 <= seed <= LARGEST_INTEGER or kind not in KINDS:
        raise InputError(_STALE)
    return WriteFile(_choices_in(values), seed, kind)


def _choices_in(values: Any) -> Choices:
    seconds = values.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not SHORTEST <= seconds <= LONGEST:
        raise InputError(f"Choose a length between {SHORTEST:g} and {LONGEST:g} seconds.")
    loop = values.get("loop")
    if not isinstance(loop, str) or loop not in _LOOPS:
        raise InputError(_STALE)
    free, kept = _numbers(values, "free"), _numbers(values, "kept")
    if set(free) & set(kept):
        raise InputError(_STALE)
    return Choices(_whole(values, "motion"), _whole(values, "action"), float(seconds), _LOOPS[loop], free, kept)


def _whole(values: Any, name: str) -> int:
    value = values.get(name) if isinstance(values, dict) else None
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(_STALE)
    return value


def _numbers(values: Any, name: str) -> tuple[int, ...]:
    numbers = values.get(name)
    if not isinstance(numbers, list) or len(numbers) > 1000:
        raise InputError(_STALE)
    if not all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers):
        raise InputError(_STALE)
    return tuple(sorted(set(numbers)))
