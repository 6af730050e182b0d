# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are replaced whole, or stay as they are."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced_whole(path: Path) -> Iterator[Path]:
    """Yield a path to write a file to, which then takes the name and the rights of the one that is there.

    Where anything is raised meanwhile, nothing is left of it. Raises OSError where it cannot be written.
    """
    unfinished = path.with_name(f".{uuid.uuid4().hex}.unfinished")
    try:
        yield unfinished
        if path.exists():
            unfinished.chmod(path.stat().st_mode & 0o777)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
