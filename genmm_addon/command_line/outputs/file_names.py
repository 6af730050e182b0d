# SPDX-License-Identifier: GPL-3.0-or-later
"""File names given by patterns: `out/{name}_{seed:04}.npz`."""

import os
import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...core import InputError
from ...files.fitting_names import fit_name

FIELDS = ("name", "character", "action", "seed")
"""Fields of a pattern: the names of the input, the character and the first action, and the seed."""
LONGEST_NAME = 255
"""Maximum length of the name of a file or folder in bytes, on all systems supported by Blender."""
LONGEST_PATH = 4095
"""Longest path in bytes: Linux's PATH_MAX without the closing zero."""
_WIDTH = re.compile(r"0?\d{1,2}d?")


def check_pattern(pattern: str, known_fields: Sequence[str] = FIELDS) -> frozenset[str]:
    """Return the fields of a pattern. Raises InputError for an invalid pattern, and for fields that are not known."""
    try:
        pieces = list(string.Formatter().parse(pattern))
    except ValueError as error:
        raise InputError(f'The output "{pattern}" is not a valid pattern: {error}; use braces in pairs.') from error
    fields = set()
    for _, name, width, conversion in pieces:
        if name is None:
            continue
        if name not in known_fields or conversion:
            known = ", ".join(f"{{{field}}}" for field in known_fields)
            raise InputError(f'The output "{pattern}" contains {{{name}}}, which is unknown; use {known}.')
        if width and (name != "seed" or not _WIDTH.fullmatch(width)):
            raise InputError(
                f'The output "{pattern}" contains "{width}" in {{{name}}}; only {{seed:04}} can have a width.'
            )
        fields.add(name)
    return frozenset(fields)


def file_name(pattern: str, values: Mapping[str, object]) -> Path:
    """Return the path for a pattern; values cannot change its folder.

    Raises InputError for a name that is too long, and for a folder.
    """
    fit = {name: fit_name(value) if isinstance(value, str) else value for name, value in values.items()}
    path = Path(pattern.format(**fit))
    for part in path.parts:
        if _length(part) > LONGEST_NAME:
            raise InputError(
                f'The name "{part[:40]}..." in the output is longer than {LONGEST_NAME} bytes; shorten it.'
            )
    if _length(str(path)) > LONGEST_PATH:
        raise InputError(f'The output "{str(path)[:40]}..." is longer than {LONGEST_PATH:,} bytes; shorten it.')
    if "\0" in str(path):
        raise InputError("The name of the output contains a null byte; remove it.")
    if os.path.isdir(path):
        raise InputError(f'The output "{path}" is a folder; use the name of a file.')
    return path


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
