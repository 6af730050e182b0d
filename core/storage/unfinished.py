# SPDX-License-Identifier: GPL-3.0-or-later
"""Unfinished files: names that no two processes share, and the removal of files that were left."""

import ctypes
import os
import platform
import re
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

UNFINISHED = ".unfinished"
COMPANIONS = ("1", "@")
"""Suffixes of files that Blender creates beside a .blend: the previous version, and the one being written."""
ABANDONED = 24 * 3600.0
"""Seconds after which another host's unfinished file counts as left: no process pauses a day between two writes."""
FIRST_NAMESPACE = 0xEFFFFFFC
"""The number of Linux's first process namespace (PROC_PID_INIT_INO); a container has another."""
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
ERROR_ACCESS_DENIED = 5
_NAME = re.compile(r"\.(?:.*\.)?(?P<host>[A-Za-z0-9-]+)\.(?P<pid>\d+)\.[0-9a-f]{16}\.unfinished(?:\.[^.]*)?", re.DOTALL)
"""Names that `begin_unfinished` gives, those of their companions, and those of earlier versions, which begin with the
file's own; no user gives a file such a name."""
_open: set[Path] = set()


def begin_unfinished(path: Path) -> Path:
    """Create an empty file beside `path` for this process alone, and return its path. Raises OSError.

    Its name contains the host, the process and 64 random bits. It is opened exclusively, so that no link is followed.

    >>> begun = begin_unfinished(folder / "swing.npz")
    >>> begun.suffix, begun.stat().st_size
    ('.npz', 0)
    """
    name = f".{this_host()}.{os.getpid()}.{secrets.token_hex(8)}{UNFINISHED}{path.suffix}"
    unfinished = path.with_name(name)
    # Added before it exists, so that a signal in between leaves no file.
    _open.add(unfinished)
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError:
        _open.discard(unfinished)
        raise
    return unfinished


def end_unfinished(unfinished: Path) -> None:
    """Remove an unfinished file, and the files that Blender may have put beside it.

    >>> begun = begin_unfinished(folder / "swing.npz")
    >>> end_unfinished(begun)
    >>> begun.exists()
    False
    """
    for left in (unfinished, *(unfinished.with_name(unfinished.name + more) for more in COMPANIONS)):
        with suppress(OSError):
            left.unlink(missing_ok=True)
    _open.discard(unfinished)


def remove_unfinished() -> None:
    """Remove the unfinished files of this process, as after a signal during writing.

    >>> begun = begin_unfinished(folder / "swing.npz")
    >>> remove_unfinished()
    >>> begun.exists()
    False
    """
    for unfinished in tuple(_open):
        end_unfinished(unfinished)


def clear_leftovers(folder: Path) -> None:
    """Remove the unfinished files in a folder whose processes have ended without removing them.

    These are files of this host whose process has ended, and files of other hosts that were not written to for a day,
    recognized by the whole of their names.

    >>> _ = (folder / ".draft.unfinished.npz").write_text("a user's own file")
    >>> clear_leftovers(folder)
    >>> [path.name for path in folder.iterdir()]
    ['.draft.unfinished.npz']
    """
    for left in _unfinished_in(folder):
        with suppress(OSError):
            if _is_abandoned(left):
                left.unlink()


def this_host() -> str:
    """Return the host's name in the form for file names; a container counts as a host of its own.

    >>> this_host() in begin_unfinished(folder / "swing.npz").name
    True
    """
    name = re.sub(r"[^A-Za-z0-9]+", "-", platform.node())[:63] or "host"
    with suppress(OSError, AttributeError):
        namespace = os.stat("/proc/self/ns/pid").st_ino
        if namespace != FIRST_NAMESPACE:
            return f"{name[:48]}-{namespace:x}"
    return name


def _unfinished_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_ours = UNFINISHED in entry.name and _NAME.fullmatch(entry.name) is not None
            if is_ours and entry.is_file(follow_symlinks=False) and Path(entry.path) not in _open:
                yield Path(entry.path)


def _is_abandoned(left: Path) -> bool:
    name = _NAME.fullmatch(left.name)
    if name is not None and name["host"] == this_host() and not _lives(int(name["pid"])):
        return True
    return time.time() - left.lstat().st_mtime > ABANDONED


def _lives(process: int) -> bool:
    """Return whether a process of this host is still running."""
    if sys.platform == "win32":
        return _lives_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _lives_on_windows(process: int) -> bool:
    # On Windows, os.kill ends a process, whatever the signal.
    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, process)
    if not handle:
        return bool(ctypes.get_last_error() == ERROR_ACCESS_DENIED)  # type: ignore[attr-defined, unused-ignore]
    still_active = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(still_active))
    kernel.CloseHandle(handle)
    return still_active.value == 259  # STILL_ACTIVE
