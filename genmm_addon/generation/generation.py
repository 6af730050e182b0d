# SPDX-License-Identifier: GPL-3.0-or-later
"""The computation of one press of Generate or Make Crowd, at once or in a thread, one at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from ..core import Progress
from .generate import SceneReading
from .job import Job
from .request import Request

Result = TypeVar("Result")
Compute = Callable[[SceneReading, Request, Progress | None], Result]

_running: list["Generation[Any]"] = []


class Generation(Job[Result]):
    """The request, its reading and the thread that computes it, which uses arrays and numbers only.

    compute: makes the result of a reading and a request, and reports its progress. written: the share that has been
    written, where writing takes several steps; None before.
    """

    written: float | None = None

    def __init__(self, request: Request, reading: SceneReading, compute: Compute[Result]) -> None:
        self.request = request
        self.reading = reading
        self.compute: Callable[[Progress | None], Result] = partial(compute, reading, request)
        super().__init__(self.compute)

    def start(self) -> None:
        """Compute in a thread; `end` must be called afterwards in any case."""
        _running.append(self)
        super().start()

    def end(self) -> None:
        """Stop the thread, if it runs, and let another generation begin."""
        self.stop()
        _running.remove(self)


def running() -> Generation[Any] | None:
    """Return the generation whose thread is running, if any."""
    return _running[0] if _running else None
