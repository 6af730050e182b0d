# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in a BVH file: the range that Blender can store, and the frame rate that a rounded frame time means."""

import math
import re
from decimal import Decimal, InvalidOperation

from ..core import InputError

LARGEST_NUMBER = 2.0**24
"""Largest absolute value in a file: above it, the 32-bit floats of Blender cannot store every whole number."""
RATES = (0.01, 10_000.0)
"""Lowest and highest frame rate, in frames per second, as for --fps."""
DEFAULT_RATE = 30.0
"""Frames per second of a file without a usable frame time; most such files were recorded at this rate."""
ROUNDING = 5e-5
"""Largest relative error of a rounded frame time; television rates differ by 1e-3 from whole rates."""
LONGEST_WORD = 40
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def parse_number(word: str, file: str, line: int, joint: str) -> float:
    """Return the number that a word stands for. Raises InputError, with the line and the joint, if it is not usable."""
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
    """Return the frames per second for a frame time in seconds; None if it is zero, negative or not a number.

    A rounded frame time stands for a whole rate or a television rate, with any number of trailing zeros.
    Raises InputError for a rate outside RATES, and for a decimal comma.
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
