# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to stop, received as signals: the first one ends the work in order, the second one ends the process."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ..generation.job import INSTANT_SECONDS
from .errors import FAILED, Stopped

Step = Callable[[], None]

# SIGBREAK is Ctrl-Break on Windows, which also ends process groups.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))
Result = TypeVar("Result")
_requests: list[int] = []
"""Signals that asked the command to stop; a list, since a handler that waits for a lock could wait forever."""
_last_steps: list[Step] = []
_blocks: list[None] = []
"""An entry for each block that no request interrupts."""


def stop_requested() -> bool:
    """Return whether the command was requested to stop, even if an exporter has caught the exception."""
    return bool(_requests)


def check_stop() -> None:
    """Raise Stopped if the command was requested to stop."""
    if _requests:
        raise Stopped


def stop_followed() -> None:
    """Clear the request to stop, for a command that runs until it is stopped."""
    _requests.clear()


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn Ctrl-C and requests to end into Stopped for the block; in Blender they would end the process at once.

    Blender turns an exception in an operator into the operator's failure, so the request is also stored. A second
    signal runs the last steps and ends the process with the status of a stopped command.
    """
    _requests.clear()
    try:
        before = {number: signal.signal(number, _stop) for number in SIGNALS}
    except ValueError:  # only the main thread receives signals
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        _requests.clear()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay a request to stop until the block ends. Stopped, raised within a lock's steps, would leave it locked."""
    before = bool(_requests)
    _blocks.append(None)
    try:
        yield
    finally:
        _blocks.pop()
    if not before:
        check_stop()


def result_of(future: "Future[Result]") -> Result:
    """Wait for a future's result, which a request to stop interrupts."""
    while True:
        with uninterrupted():
            if wait([future], INSTANT_SECONDS).done:
                return future.result()


@contextmanager
def last_step(step: Step) -> Iterator[None]:
    """Register a step that a second signal runs before the process ends."""
    _last_steps.append(step)
    try:
        yield
    finally:
        _last_steps.remove(step)


def _stop(received: int, _frame: Any) -> None:
    if _requests:
        for step in reversed(_last_steps):
            with suppress(Exception):
                step()
        os._exit(FAILED)
    _requests.append(received)
    if not _blocks:
        raise Stopped
