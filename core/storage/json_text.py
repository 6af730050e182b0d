# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON from untrusted files and custom properties: bounded in size, and with finite numbers."""

import json
import math
from pathlib import Path
from typing import Any

from ..errors import InputError

LONGEST_TEXT = 2**20
"""Longest text, in characters, of values that have no larger limit of their own."""
LARGEST_FILE = 2**28
"""Largest file of JSON, in bytes; what its values take in memory is limited by their number."""
MOST_VALUES = 2**23
"""Most values in a text: as Python objects they take up to a hundred times the memory of their text."""
LARGEST_INTEGER = 2**63 - 1


class Malformed(InputError):
    """Error for a malformed text; its message is completed by the caller with advice.

    >>> issubclass(Malformed, InputError)
    True
    """


def parse_json(text: str | bytes, name: str = "text", longest: int = LONGEST_TEXT) -> Any:
    """Return the value in a JSON text, with finite numbers and integers of 64 bits.

    name: of the text, for messages. longest: the limit of its length. Raises Malformed.

    >>> parse_json('{"frames": 60}')
    {'frames': 60}
    >>> try:
    ...     parse_json("[1e999]", "recipe")
    ... except InputError as error:
    ...     print(error)
    The recipe has a number that is too large
    """
    if len(text) > longest:
        raise Malformed(f"The {name} is longer than {longest:,} characters")
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        if sum(map(decoded.count, ",[{")) > MOST_VALUES:
            raise Malformed(f"The {name} has more than {MOST_VALUES:,} values")
        return json.loads(decoded, parse_constant=_constant, parse_float=_number, parse_int=_integer)
    except Malformed:
        raise
    except _TooLargeError as error:
        raise Malformed(f"The {name} has a number that is too large") from error
    except (ValueError, RecursionError) as error:
        raise Malformed(f"The {name} is not readable as JSON") from error


def parse_json_file(path: Path, name: str = "text") -> Any:
    """Return the value in a file of JSON, of which at most LARGEST_FILE is read. Raises Malformed, and OSError.

    >>> (folder / "values.json").write_text("[1, 2]")
    6
    >>> parse_json_file(folder / "values.json")
    [1, 2]
    """
    return parse_json(read_bounded(path, LARGEST_FILE, name), name, LARGEST_FILE)


def read_bounded(path: Path, longest: int, name: str = "text") -> bytes:
    """Return the content of a regular file of at most `longest` bytes. Raises Malformed, and OSError.

    >>> (folder / "text").write_bytes(b"walk")
    4
    >>> read_bounded(folder / "text", 10)
    b'walk'
    """
    if path.exists() and not path.is_file():
        # Reading a pipe or a device might never end.
        raise Malformed(f"The {name} is not a file")
    with path.open("rb") as file:
        content = file.read(longest + 1)
    if len(content) > longest:
        raise Malformed(f"The {name} is longer than {longest:,} bytes")
    return content


class _TooLargeError(ValueError):
    """Error for a number that is not finite, or an integer of more than 64 bits."""


def _constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _TooLargeError
    return value


def _integer(text: str) -> int:
    value = int(text) if len(text) < 25 else LARGEST_INTEGER + 1
    if abs(value) > LARGEST_INTEGER:
        raise _TooLargeError
    return value
