# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files by pattern: `out/{name}_{seed:04}.npz`."""

import re
import string
from collections.abc import Mapping
from pathlib import Path

from ...core import InputError
from ...files.fitting_names import fit_name

FIELDS = ("name", "character", "action", "seed")
"""Fields of a pattern: the input's name, the character's, the first action's, and the seed."""
LONGEST_NAME = 255
"""Bytes of a file's or folder's name on the systems that Blender runs on."""
LONGEST_PATH = 4095
"""Bytes of a whole path; Linux's PATH_MAX less the closing zero."""
_WIDTH = re.compile(r"0?\d{1,2}d?")


def check_pattern(pattern: str) -> frozenset[str]:
    """Return the fields that a pattern has. Raises InputError for what is none."""
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
    """Return the path that a pattern means; what comes from names in a file can lead to no other folder.

    Raises InputError for a name that is longer than systems allow.
    """
    fit = {name: fit_name(value) if isinstance(value, str) else value for name, value in values.items()}
    path = Path(pattern.format(**fit))
    for part in path.parts:
        if _length(part) > LONGEST_NAME:
            raise InputError(
                f'The name "{part[:40]}..." in the output is longer than {LONGEST_NAME} bytes; make it shorter.'
            )
    if _length(str(path)) > LONGEST_PATH:
        raise InputError(f'The output "{str(path)[:40]}..." is longer than {LONGEST_PATH:,} bytes; make it shorter.')
    if "\0" in str(path):
        raise InputError("The output has a zero byte in its name; leave it out.")
    return path


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
