# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that wait for one worker: many threads ask, one does them, one after the other."""

import threading
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...core import InputError

MOST_WAITING = 8
"""Jobs that may wait; one person at one machine has no more in mind."""
MOST_KEPT = 64
"""Jobs whose outcome can still be asked for."""


class State(Enum):
    """The state of a job."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = (State.DONE, State.FAILED, State.CANCELLED)


@dataclass
class Job:
    """One job. task: what is to be done. results: values for JSON, in the order in which they come about."""

    number: int
    task: Any
    state: State = State.WAITING
    share: float = 0.0
    error: str = ""
    results: list[Any] = field(default_factory=list)
    is_unwanted: bool = False

    def go_on(self, share: float) -> bool:
        """Note how far the job is, 0 to 1; return whether it is still wanted."""
        self.share = share
        return not self.is_unwanted


class JobQueue:
    """The jobs that wait, the one that is done, and the last that have ended."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._known: dict[int, Job] = {}
        self._last = 0

    def add(self, task: Any) -> Job:
        """Add a job at the end. Raises InputError where too many wait."""
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                raise InputError("Too much is waiting already; wait until it is done, or cancel it.")
            self._last += 1
            job = self._known[self._last] = Job(self._last, task)
            self._waiting.append(job)
            ended = [number for number, one in self._known.items() if one.state in ENDED]
            for number in ended[: max(len(self._known) - MOST_KEPT, 0)]:
                del self._known[number]
            self._changed.notify_all()
            return job

    def next(self, timeout: float) -> Job | None:
        """Return the first job that waits, which is worked on from now on; None where none comes within the seconds."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), timeout)
            if not self._waiting:
                return None
            job = self._waiting.popleft()
            job.state = State.WORKING
            return job

    def end(self, job: Job, state: State, error: str = "") -> None:
        """Note the end of the job that was worked on; what nobody wants any longer has no results."""
        with self._changed:
            job.state = State.CANCELLED if job.is_unwanted else state
            job.error = error if job.state is State.FAILED else ""
            if job.is_unwanted:
                job.results.clear()

    def find(self, number: int) -> Job | None:
        """Return a job by its number; None where it is not known, or no longer."""
        with self._changed:
            return self._known.get(number)

    def cancel(self, number: int) -> bool:
        """End a job: one that waits at once, the one that is worked on when the worker looks; return whether it is
        known.
        """
        with self._changed:
            job = self._known.get(number)
            if job is None:
                return False
            if job.state is State.WAITING:
                self._waiting.remove(job)
                job.state = State.CANCELLED
            job.is_unwanted = job.state not in (State.DONE, State.FAILED)
            return True

    def state_of(self, number: int, first: int) -> dict[str, Any] | None:
        """Return what a page is told of a job, with its results from number `first` on; None where it is not known."""
        with self._changed:
            job = self._known.get(number)
            if job is None:
                return None
            before = self._waiting.index(job) if job.state is State.WAITING else 0
            return {
                "job": job.number,
                "state": job.state.value,
                "before": before,
                "share": round(job.share, 3),
                "error": job.error,
                "results": job.results[first:],
            }
