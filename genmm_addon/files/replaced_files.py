# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are replaced as a whole or not changed."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; the written file then takes the name and permissions of the one at `path`.

    If anything is raised in the block, the temporary file is removed and `path` is unchanged. Raises OSError if the
    file cannot be replaced.
    """
    unfinished = path.with_name(f".{uuid.uuid4().hex}.unfinished")
    try:
        yield unfinished
        if path.exists():
            unfinished.chmod(path.stat().st_mode & 0o777)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
