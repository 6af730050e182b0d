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
    """Return the files that the inputs refer to; those of a folder or pattern are sorted by name.

    A folder stands for the motion files directly in it. In a pattern, `*` matches any characters and `**` any folders;
    brackets are literal if such a file exists, otherwise they match one of their characters. Files from folders and
    patterns are not repeated.
    Raises InputError for a folder or pattern without a motion file.
    """
    files: list[Path] = []
    for path in inputs:
        if is_file(path):
            files.append(path)
        elif os.path.isdir(path):  # unlike Path.is_dir, accepts any name
            files += _added(path.iterdir(), files, f'The folder "{path}" contains no {KINDS} file; choose another.')
        elif glob.has_magic(str(path)):
            matches = map(Path, _matches(str(path)))
            files += _added(
                matches, files, f'The pattern "{path}" matches no {KINDS} file; check its folder and ending.'
            )
        else:
            files.append(path)
    return tuple(files)


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern.replace("[", "[[]"), recursive=True) or glob.glob(pattern, recursive=True)


def _added(paths: Iterable[Path], listed: Sequence[Path], sentence: str) -> list[Path]:
    """Return the motion files among the paths that are not listed yet, sorted by name, without hidden files."""
    files = {path for path in paths if path.suffix.lower() in ENDINGS and path.name[0] != "." and is_file(path)}
    if not files:
        raise InputError(sentence)
    return sorted(files - set(listed))
