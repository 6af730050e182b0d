# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, folders and patterns as inputs; patterns are expanded here, since not every shell does."""

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...core import InputError
from ...files.import_file import ENDINGS, is_file

KINDS = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"


def expanded(inputs: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files that inputs stand for; those of a folder or pattern are in the order of their names.

    A folder stands for all motion files directly in it; in a pattern `*` stands for any characters, and `**` for any
    folders. Brackets stand for themselves where such a file exists, and otherwise for one of the characters in them. A
    file that folders or patterns add is not repeated.
    Raises InputError for a folder or pattern without a motion file.
    """
    found: list[Path] = []
    for path in inputs:
        if is_file(path):
            found.append(path)
        elif os.path.isdir(path):  # unlike Path.is_dir, it accepts any name
            found += _added(path.iterdir(), found, f'The folder "{path}" has no {KINDS} file in it; give another.')
        elif glob.has_magic(str(path)):
            matches = map(Path, _matches(str(path)))
            found += _added(matches, found, f'The pattern "{path}" fits no {KINDS} file; check its folder and ending.')
        else:
            found.append(path)
    return tuple(found)


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern.replace("[", "[[]"), recursive=True) or glob.glob(pattern, recursive=True)


def _added(paths: Iterable[Path], there: Sequence[Path], sentence: str) -> list[Path]:
    """Return the motion files among the paths that are not in `there` yet, by name, without hidden files."""
    files = {path for path in paths if path.suffix.lower() in ENDINGS and path.name[0] != "." and is_file(path)}
    if not files:
        raise InputError(sentence)
    return sorted(files - set(there))
