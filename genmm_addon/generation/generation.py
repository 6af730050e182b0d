# SPDX-License-Identifier: GPL-3.0-or-later
"""The computation of one press of Generate or Make Crowd, at once or in a thread, one at a time."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..core import Progress
from .generate import SceneReading
from .job import Job
from .request import Request

Result = TypeVar("Result")
Compute = Callable[[SceneReading, Request, Progress | None], Result]

_running: list["Generation[Any]"] = []


class Generation(Generic[Result]):
    """The request, its reading and the thread that computes it, which uses arrays and numbers only.

    compute: makes the result of a reading and a request, and reports its progress. written: the share that has been
    written, where writing takes several steps; None before.
    """

    written: float | None = None

    def __init__(self, request: Request, reading: SceneReading, compute: Compute[Result]) -> None:
        self.request = request
        self.reading = reading
        self._compute = compute
        self._job: Job[Result] = Job(self.compute)

    @property
    def fraction(self) -> float:
        """Return the share that is done, 0 to 1."""
        return self._job.fraction

    @property
    def done(self) -> bool:
        """Return whether the thread has ended."""
        return self._job.done

    def done_within(self, seconds: float) -> bool:
        """Wait for at most `seconds`; return whether the thread has ended."""
        return self._job.done_within(seconds)

    @property
    def stopping(self) -> bool:
        """Return whether it was asked to stop."""
        return self._job.stopping

    def compute(self, progress: Progress | None = None) -> Result:
        """Compute now, in this thread. Raises InputError."""
        return self._compute(self.reading, self.request, progress)

    def start(self) -> None:
        """Compute in a thread; `end` must be called afterwards in any case."""
        _running.append(self)
        self._job.start()

    def ask_to_stop(self) -> None:
        """Ask the thread to end; `result` then raises Cancelled."""
        self._job.ask_to_stop()

    def result(self) -> Result:
        """Return what the thread computed. Raises InputError or Cancelled."""
        return self._job.result()

    def end(self) -> None:
        """Stop the thread, if it runs, and let another generation begin."""
        self._job.stop()
        _running.remove(self)


def running() -> Generation[Any] | None:
    """Return the generation whose thread is running, if any."""
    return _running[0] if _running else None
