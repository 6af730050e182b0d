# SPDX-License-Identifier: GPL-3.0-or-later
"""The session that runs, and its end: nothing of it stays when a file is saved, loaded, or gone back in."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...steering.proxy import remove_proxies

_end: list[Callable[[bool], None]] = []


def is_running() -> bool:
    """Return whether a character is steered."""
    return bool(_end)


def begin(end: Callable[[bool], None]) -> None:
    """Remember how the session is ended; it is called with whether what was performed is kept."""
    _end.append(end)


def end(keep: bool) -> None:
    """End the session that runs, if any."""
    while _end:
        _end.pop()(keep)


@persistent  # type: ignore[untyped-decorator]
def _discard(*_: Any) -> None:
    end(keep=False)


@persistent  # type: ignore[untyped-decorator]
def _keep(*_: Any) -> None:
    # What was performed is saved as well.
    end(keep=True)


@persistent  # type: ignore[untyped-decorator]
def _remove_left(*_: Any) -> None:
    remove_proxies()


_HANDLERS = {
    "load_pre": _discard,
    "undo_pre": _discard,
    "redo_pre": _discard,
    "save_pre": _keep,
    "load_post": _remove_left,
}


def register() -> None:
    """Watch files and undo."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """End what runs, and watch no more."""
    end(keep=False)
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
