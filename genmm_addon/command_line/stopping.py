# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to stop, received as signals: the first one ends the work in order, the second one ends the process."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .errors import STOPPED, Stopped

Step = Callable[[], None]

# SIGBREAK is Ctrl-Break on Windows, which also ends a group of processes there.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))
_requested = threading.Event()
_last_steps: list[Step] = []


def stop_requested() -> bool:
    """Return whether the command was asked to stop, even where an exporter has swallowed the exception."""
    return _requested.is_set()


def check_stop() -> None:
    """Raise Stopped where the command was asked to stop."""
    if _requested.is_set():
        raise Stopped


def stop_followed() -> None:
    """Clear the request to stop, for a command that runs until it is stopped and so has ended in order."""
    _requested.clear()


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn Ctrl-C and requests to end into Stopped for the block; in Blender they would end the process at once.

    Blender turns an exception in an operator into the operator's failure, so the request is also stored. A second
    signal runs the last steps and ends the process with the status of a stopped command.
    """
    _requested.clear()
    try:
        before = {number: signal.signal(number, _stop) for number in SIGNALS}
    except ValueError:  # not the main thread, which alone hears signals
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        _requested.clear()


@contextmanager
def last_step(step: Step) -> Iterator[None]:
    """Register a step for the block that a second signal still runs."""
    _last_steps.append(step)
    try:
        yield
    finally:
        _last_steps.remove(step)


def _stop(_signal: int, _frame: Any) -> None:
    if _requested.is_set():
        for step in reversed(_last_steps):
            with suppress(Exception):
                step()
        os._exit(STOPPED)
    _requested.set()
    raise Stopped
