# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files by pattern: `out/{name}_{seed:04}.npz`."""

import re
import string
from collections.abc import Mapping
from pathlib import Path

from ..core import InputError

FIELDS = ("name", "character", "action", "seed")
"""What a pattern may have in braces: the input's name, the character's, the first action's, and the seed."""
LONGEST = 200
_WIDTH = re.compile(r"0?\d{1,2}d?")
_UNFIT = re.compile(r'[\x00-\x1f<>:"/\\|?*]')


def check_pattern(pattern: str) -> frozenset[str]:
    """The fields that a pattern has. Raises InputError for what is none."""
    try:
        pieces = list(string.Formatter().parse(pattern))
    except ValueError as error:
        raise InputError(f'The output "{pattern}" is no pattern: {error}; write braces in pairs.') from error
    found = set()
    for _, name, width, conversion in pieces:
        if name is None:
            continue
        if name not in FIELDS or conversion:
            known = ", ".join(f"{{{field}}}" for field in FIELDS)
            raise InputError(f'The output "{pattern}" has {{{name}}}, which means nothing; there are {known}.')
        if width and (name != "seed" or not _WIDTH.fullmatch(width)):
            raise InputError(
                f'The output "{pattern}" has "{width}" at {{{name}}}; only a seed has a width, as {{seed:04}}.'
            )
        found.add(name)
    return frozenset(found)


def file_name(pattern: str, values: Mapping[str, object]) -> Path:
    """The path that a pattern means; what comes from names in a file can lead to no other folder."""
    fit = {name: _fit(value) if isinstance(value, str) else value for name, value in values.items()}
    return Path(pattern.format(**fit))


def _fit(text: str) -> str:
    """A text as part of a file's name, on any system."""
    return _UNFIT.sub("_", text)[:LONGEST].strip(". ") or "_"
