# SPDX-License-Identifier: GPL-3.0-or-later
"""The wish to stop, as signals bring it: the first ends the work in order, the second ends the process at once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .errors import STOPPED, Stopped

Step = Callable[[], None]

# SIGBREAK is Ctrl-Break, which Windows has, and what ends a group of processes there.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))
_requested = threading.Event()
_last_steps: list[Step] = []


def stop_requested() -> bool:
    """Return whether somebody asked the command to stop, even where an exporter has swallowed the exception."""
    return _requested.is_set()


def check_stop() -> None:
    """Raise Stopped where somebody asked the command to stop."""
    if _requested.is_set():
        raise Stopped


def stop_followed() -> None:
    """Forget the wish to stop: the command has ended in order, since it lasts until somebody stops it."""
    _requested.clear()


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C, and the request to end, as Stopped: in Blender they end the process, whatever it is writing.

    Blender takes an exception in an operator for that operator's failure: hence the request is remembered too. A
    second signal runs the last steps and ends the process with the status of a command that was stopped.
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
    """A step that a second signal still takes, for as long as the block lasts."""
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
