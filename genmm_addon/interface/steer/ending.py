# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of the running session: its proxy is removed before a file is saved or loaded, and before undo."""

from collections.abc import Callable
from typing import Any

from ...steering.proxy import remove_proxies

_end: list[Callable[[bool], None]] = []


def is_running() -> bool:
    """Return whether a character is steered."""
    return bool(_end)


def begin(end: Callable[[bool], None]) -> None:
    """Store the function that ends the session; its argument says whether to keep the performance."""
    _end.append(end)


def end(keep: bool) -> None:
    """End the running session, if any."""
    while _end:
        _end.pop()(keep)


def _discard(*_: Any) -> None:
    end(keep=False)


def _keep(*_: Any) -> None:
    # The performance so far is saved with the file.
    end(keep=True)


def _remove_left(*_: Any) -> None:
    remove_proxies()


HANDLERS = {
    "load_pre": _discard,
    "undo_pre": _discard,
    "redo_pre": _discard,
    "save_pre": _keep,
    "load_post": _remove_left,
}


def unregister() -> None:
    """End the running session."""
    end(keep=False)
