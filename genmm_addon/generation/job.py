# SPDX-License-Identifier: GPL-3.0-or-later
"""A computation in its own thread, watched from Blender's main thread, and stopped before Blender exits."""

import atexit
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ..core import Cancelled, Progress

INSTANT_SECONDS = 0.1
"""Longest time that looks immediate, in seconds (Nielsen, Usability Engineering, 1993, 5.5).

Work that is done within it shows no progress, and work that takes longer is looked at as often, also for a request to
stop.
"""

Result = TypeVar("Result")

_alive: set["Job[object]"] = set()


class Job(Generic[Result]):
    """A thread that runs `compute(progress)`; neither this class nor `compute` may use anything of bpy.

    Even reading an operator's attribute uses Blender's data, and races with the main thread.
    """

    def __init__(self, compute: Callable[[Progress], Result]) -> None:
        self._compute = compute
        self._stopping = threading.Event()
        self._fraction = 0.0
        self._result: list[Result] = []
        self._error: BaseException | None = None
        # A daemon, so that Python's exit reaches `stop_all` instead of waiting for the computation's end.
        self._thread = threading.Thread(target=self._run, name="GenMM", daemon=True)

    @property
    def fraction(self) -> float:
        """Return the share that is done, 0 to 1."""
        return self._fraction

    @property
    def done(self) -> bool:
        """Return whether the thread has ended, for whatever reason."""
        return not self._thread.is_alive()

    def done_within(self, seconds: float) -> bool:
        """Wait for at most `seconds`; return whether the thread has ended."""
        self._thread.join(seconds)
        return self.done

    @property
    def stopping(self) -> bool:
        """Return whether it was asked to stop."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the thread; call it only once."""
        _alive.add(self)  # type: ignore[arg-type]  # a set of any jobs
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Ask the computation to end at its next report of progress."""
        self._stopping.set()

    def stop(self) -> None:
        """Ask to stop, and wait until the thread has ended."""
        self.ask_to_stop()
        self._join()

    def result(self) -> Result:
        """Wait, and return what was computed; raises what the computation raised, or Cancelled."""
        self._join()
        if self._error is not None:
            raise self._error
        # The job may have been stopped after it ended and before its result was taken.
        if self.stopping:
            raise Cancelled()
        return self._result[0]

    def _join(self) -> None:
        self._thread.join()
        _alive.discard(self)

    def _progress(self, fraction: float) -> bool:
        self._fraction = min(max(fraction, self._fraction), 1.0)
        return not self.stopping

    def _run(self) -> None:
        try:
            result = self._compute(self._progress)
            if self.stopping:
                raise Cancelled()
            self._result.append(result)
        except BaseException as error:  # raised again in the main thread, by `result`
            self._error = error


def stop_all() -> None:
    """Stop every job and wait, since a running thread at exit crashes or hangs Blender."""
    for job in tuple(_alive):
        job.stop()


def register() -> None:
    """Stop jobs when Python exits."""
    atexit.register(stop_all)


def unregister() -> None:
    """Stop all jobs now, and remove the call at exit."""
    stop_all()
    atexit.unregister(stop_all)
