# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in a BVH file: those that Blender can hold, and the frame rate that a rounded frame time stands for."""

import math
import re
from decimal import Decimal, InvalidOperation

from ..core import InputError

LARGEST_NUMBER = 2.0**24
"""Beyond this a 32-bit float, which is what Blender keeps, no longer holds every whole number."""
RATES = (0.01, 10_000.0)
"""Lowest and highest frames per second, as for --fps."""
DEFAULT_RATE = 30.0
"""Frames per second of a file that gives no usable frame time; most BVH files without one were recorded so."""
ROUNDING = 5e-5
"""Relative error up to which a frame time is a rounded one; television rates lie 1e-3 from the whole ones."""
LONGEST_WORD = 40
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def parse_number(word: str, file: str, line: int, joint: str) -> float:
    """Return the number that a word is; raises InputError with the line and the joint where it is none."""
    if _DECIMAL_COMMA.fullmatch(word):
        raise InputError(f'"{file}" has decimal commas ("{word}" at line {line}); export it with decimal points.')
    try:
        number = float(word)
    except ValueError as error:
        raise InputError(
            f'"{file}" has "{word[:LONGEST_WORD]}" instead of a number at line {line}, joint "{joint}";'
            " repair that line or export the file again."
        ) from error
    if not abs(number) <= LARGEST_NUMBER:
        raise InputError(
            f'"{file}" has the value "{word[:LONGEST_WORD]}" at line {line}, joint "{joint}", where Blender takes'
            f" numbers up to {LARGEST_NUMBER:,.0f}; repair that line or export the file again."
        )
    return number


def rate_of_frame_time(word: str, file: str, line: int) -> float | None:
    """Return the frames per second of a frame time in seconds; None for zero, a negative one, and what is no number.

    A rounded frame time stands for a whole rate or a television rate, with any number of zeros behind it.
    Raises InputError for a rate that no motion has, and for a decimal comma.
    """
    if _DECIMAL_COMMA.fullmatch(word):
        raise InputError(f'"{file}" has decimal commas ("{word}" at line {line}); export it with decimal points.')
    try:
        exact = Decimal(word)
    except InvalidOperation:
        return None
    if not exact.is_finite() or exact <= 0:
        return None
    seconds = float(exact)
    lowest, highest = RATES
    if not lowest <= (1.0 / seconds if seconds else math.inf) <= highest:
        raise InputError(
            f'"{file}" has a frame time of {word[:LONGEST_WORD]} seconds at line {line};'
            f" correct it to one between {1 / highest:g} and {1 / lowest:g}."
        )
    exponent = exact.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    tolerance = max(10.0**exponent, ROUNDING * seconds) if exponent < 0 else ROUNDING * seconds
    for base in (1.0, 1.001):
        rate = max(round(base / seconds), 1) / base
        if abs(1.0 / rate - seconds) <= tolerance:
            return rate
    return 1.0 / seconds
