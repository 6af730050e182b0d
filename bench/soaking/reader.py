# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader that is given damaged and forged files."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .forging import Random, forged_json


@dataclass(frozen=True)
class Reader:
    """A reader of files: a valid content, forged ones, the file's name, and the reading itself.

    read: where it returns a text, this is the outcome.
    """

    content: bytes
    forge: Callable[[Random], bytes]
    name: str
    read: Callable[[Path], object]


def json_reader(value: Any, name: str, read: Callable[[Path], object]) -> Reader:
    """Return a reader of JSON, forged from a valid value."""
    return Reader(json.dumps(value).encode(), lambda random: forged_json(random, value), name, read)
