# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in a BVH file: the range that Blender can store, and the frame rate that a rounded frame time means."""

import math
import re
from decimal import Decimal, InvalidOperation

from ...errors import InputError

LARGEST_NUMBER = 2.0**24
"""Largest absolute value in a file: above it, the 32-bit floats of Blender cannot store every whole number."""
RATES = (0.01, 10_000.0)
"""Lowest and highest frame rate, in frames per second, as for --fps."""
LEAST_RATE = 10
"""Least frame time that is read as frames per second, where the file's author wrote the one for the other."""
SLOW_RATE = 1.0
"""Frames per second below which a frame time is likely to be a mistake."""
DEFAULT_RATE = 30.0
"""Frames per second of most recordings: of a file without a usable frame time, and the rate at which sets of motions
are compared and at which lengths in frames are meant."""
ROUNDING = 5e-5
"""Largest relative error of a rounded frame time; television rates differ by 1e-3 from whole rates."""
LONGEST_WORD = 40
_GLUED = re.compile(r"(?<=[\d.])(?=[-+][\d.])")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def separated(line: str) -> str:
    """Return the line with a space before every sign that follows a number without one."""
    return _GLUED.sub(" ", line)


def parse_number(word: str, file: str, line: int, joint: str) -> float:
    """Return the number that a word stands for. Raises InputError, with the line and the joint, if it is not usable."""
    if _DECIMAL_COMMA.fullmatch(word):
        raise InputError(f'"{file}" has decimal commas ("{word}" at line {line}); export it with decimal points.')
    try:
        # Python alone takes underscores between digits, and digits of other scripts.
        number = float("" if "_" in word or not word.isascii() else word)
    except ValueError as error:
        raise InputError(
            f'"{file}" has "{word[:LONGEST_WORD]}" instead of a number at line {line}, joint "{joint}";'
            " repair that line or export the file again."
        ) from error
    if not abs(number) <= LARGEST_NUMBER:
        raise InputError(
            f'"{file}" has the value "{word[:LONGEST_WORD]}" at line {line}, joint "{joint}", but Blender supports'
            f" numbers up to {LARGEST_NUMBER:,.0f}; repair that line or export the file again."
        )
    return number


def bvh_rate(word: str, file: str, line: int) -> tuple[float, tuple[str, ...]]:
    """Return the frames per second for a frame time in seconds, and a note if it was not plain.

    From LEAST_RATE on, the number is a rate: no motion has frames of ten seconds. Raises InputError for a rate outside
    RATES, and for a decimal comma.

    >>> bvh_rate("0.0333333", "walk.bvh", 30)
    (30.0, ())
    """
    statement = f'"{file}" has a frame time of "{word[:LONGEST_WORD]}"' if word else f'"{file}" has no frame time'
    seconds = _seconds(word, file, line)
    if seconds is None:
        return DEFAULT_RATE, (f"{statement}; it is read at {DEFAULT_RATE:g} frames per second.",)
    if seconds < LEAST_RATE:
        rate = _rate(seconds, word, file, line)
        slow = f"{statement}, which is {seconds:g} seconds per frame; set a rate with --fps if it is wrong."
        return rate, (slow,) if rate < SLOW_RATE else ()
    rate = _rate(1 / seconds, word, file, line)
    return rate, (f"{statement}, which can only be a rate; it is read at {rate:g} frames per second.",)


def _seconds(word: str, file: str, line: int) -> Decimal | None:
    """Return the number above zero that a word stands for; None if it is not one."""
    if _DECIMAL_COMMA.fullmatch(word):
        raise InputError(f'"{file}" has decimal commas ("{word}" at line {line}); export it with decimal points.')
    try:
        exact = Decimal(word)
    except InvalidOperation:
        return None
    return exact if exact.is_finite() and exact > 0 else None


def _rate(exact: Decimal, word: str, file: str, line: int) -> float:
    """Return the rate of a rounded time, which stands for a whole or a television rate, with any trailing zeros."""
    seconds = float(exact)
    lowest, highest = RATES
    if not lowest <= (1.0 / seconds if seconds else math.inf) <= highest:
        raise InputError(
            f'"{file}" has a frame time of {word[:LONGEST_WORD]} seconds at line {line};'
            f" correct it to one between {1 / highest:g} and {LEAST_RATE}."
        )
    exponent = exact.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    tolerance = max(10.0**exponent, ROUNDING * seconds) if exponent < 0 else ROUNDING * seconds
    for base in (1.0, 1.001):
        rate = max(round(base / seconds), 1) / base
        if abs(1.0 / rate - seconds) <= tolerance:
            return rate
    return 1.0 / seconds
