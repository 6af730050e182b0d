# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary folders that this process made, remembered by their identity and not by their names."""

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "genmm_"
"""Beginning of the folders' names; random characters follow."""
VARIABLES = ("TMPDIR", "TEMP", "TMP")
"""Environment variables that name the folder for temporary files, on one system or another."""


@dataclass(frozen=True)
class OwnFolder:
    """A folder made by this process. identity: its device and inode, which no other existing folder has.

    >>> own = new_folder(folder)
    >>> isinstance(own, OwnFolder), own.path.is_dir()
    (True, True)
    """

    path: Path
    identity: tuple[int, int]

    def remove(self) -> None:
        """Remove the folder and its content, unless another one has taken its place."""
        with suppress(OSError):
            if _identity_of(self.path) == self.identity:
                shutil.rmtree(self.path, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """Return the environment in which another process puts its temporary files into this folder."""
        return dict.fromkeys(VARIABLES, str(self.path))


def new_folder(within: Path | None = None) -> OwnFolder:
    """Make an empty folder for this process and user alone. within: its parent; None is the system's temporary folder.

    Raises OSError if it cannot be made.

    >>> own = new_folder(folder)
    >>> own.remove()
    >>> own.path.exists()
    False
    """
    path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=within))
    return OwnFolder(path, _identity_of(path))


def new_folder_if_possible() -> OwnFolder | None:
    """Return a new folder for the temporary files of processes that we kill; None if the system has no place for one.

    >>> own = new_folder_if_possible()
    >>> own is None or own.remove() is None
    True
    """
    try:
        return new_folder()
    except OSError:
        return None


def _identity_of(path: Path) -> tuple[int, int]:
    status = os.lstat(path)
    return status.st_dev, status.st_ino
