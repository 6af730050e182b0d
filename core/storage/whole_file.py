# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear as a whole or not at all, under names that nobody can guess until then."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .unfinished import begin_unfinished, end_unfinished


@contextmanager
def whole_file(
    path: Path, *, may_replace: bool = True, through_link: bool = True, is_flushed: bool = True
) -> Iterator[Path]:
    """Yield a temporary path to write to, where an empty file exists; after the block, the file gets its name.

    If anything is raised, the temporary file is removed and `path` is unchanged. A replaced file's permissions stay.
    may_replace: whether a file may exist at `path`. through_link: whether the target of a symbolic link is written;
    otherwise a link is refused. is_flushed: whether the file is on the disk before it gets its name.
    Raises OSError if the file cannot be written; see `final_path` for what is never replaced.

    >>> with whole_file(folder / "notes.txt") as unfinished:
    ...     _ = unfinished.write_text("whole")
    >>> [path.name for path in folder.iterdir()]
    ['notes.txt']
    """
    target = final_path(path, may_replace=may_replace, through_link=through_link)
    unfinished = begin_unfinished(target)
    try:
        yield unfinished
        if may_replace and target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        if is_flushed:
            _flush(unfinished)
        if may_replace:
            os.replace(unfinished, target)
        else:
            _name_new(unfinished, target)
    finally:
        end_unfinished(unfinished)


def final_path(path: Path, *, may_replace: bool = True, through_link: bool = True) -> Path:
    """Return the path at which a file is written: `path`, or the target of a symbolic link.

    Raises OSError with a clause on the reason for a link without a target, for folders, devices and pipes, for a
    write-protected file, and for any existing file unless `may_replace`.

    >>> final_path(folder / "notes.txt").name
    'notes.txt'
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return path
    if not may_replace:
        raise FileExistsError(errno.EEXIST, "a file of this name exists", str(path))
    if stat.S_ISLNK(status.st_mode):
        if not through_link:
            raise OSError(errno.ELOOP, "it is a symbolic link", str(path))
        path, status = _followed(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the existing file is write-protected", str(path))
    return path


def _followed(link: Path) -> tuple[Path, os.stat_result]:
    """Return the target of a symbolic link. Raises OSError if it leads nowhere."""
    try:
        return Path(os.path.realpath(link)), os.stat(link)
    except FileNotFoundError as error:
        clause = f'it is a symbolic link to "{os.readlink(link)}", which does not exist'
        raise FileNotFoundError(errno.ENOENT, clause, str(link)) from error
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise OSError(errno.ELOOP, "it is a symbolic link that leads back to itself", str(link)) from error


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _name_new(unfinished: Path, target: Path) -> None:
    """Give a file its name, which no file may have. Raises FileExistsError."""
    if os.name == "nt":
        os.rename(unfinished, target)
        return
    try:
        os.link(unfinished, target, follow_symlinks=False)
    except FileExistsError as error:
        raise FileExistsError(errno.EEXIST, "a file of this name exists", str(target)) from error
    except (OSError, NotImplementedError):
        # Some file systems have no hard links.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        os.replace(unfinished, target)
