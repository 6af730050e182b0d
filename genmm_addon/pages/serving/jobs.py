# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs added by many threads, which one worker does one after another."""

import threading
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...core import InputError
from .session_files import MOST_FILES


class State(Enum):
    """The state of a job."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = (State.DONE, State.FAILED, State.CANCELLED)


@dataclass
class ServedJob:
    """One job. task: the work to do. results: values for JSON, in the order of their arrival."""

    number: int
    task: Any
    state: State = State.WAITING
    share: float = 0.0
    error: str = ""
    results: list[Any] = field(default_factory=list)
    is_unwanted: bool = False

    def go_on(self, share: float) -> bool:
        """Store the job's progress, 0 to 1, and return whether the job is not canceled."""
        self.share = share
        return not self.is_unwanted


class JobQueue:
    """The waiting jobs, the running one, and the last finished ones."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[ServedJob] = deque()
        self._known: dict[int, ServedJob] = {}
        self._last = 0

    def add(self, task: Any) -> ServedJob:
        """Add a job at the end. Raises InputError if too many wait."""
        with self._changed:
            if len(self._waiting) >= MOST_FILES:
                raise InputError("Too many jobs are waiting; wait for them to finish, or cancel some.")
            self._last += 1
            job = self._known[self._last] = ServedJob(self._last, task)
            self._waiting.append(job)
            ended = [number for number, known in self._known.items() if known.state in ENDED]
            for number in ended[: max(len(self._known) - MOST_FILES, 0)]:
                del self._known[number]
            self._changed.notify_all()
            return job

    def next(self, timeout: float) -> ServedJob | None:
        """Return the first waiting job, marked as running; None if none arrives within `timeout` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), timeout)
            if not self._waiting:
                return None
            job = self._waiting.popleft()
            job.state = State.WORKING
            return job

    def end(self, job: ServedJob, state: State, error: str = "") -> None:
        """Store the end of the running job; a canceled job keeps no results."""
        with self._changed:
            job.state = State.CANCELLED if job.is_unwanted else state
            job.error = error if job.state is State.FAILED else ""
            if job.is_unwanted:
                job.results.clear()

    def find(self, number: int) -> ServedJob | None:
        """Return a job by its number; None if it is unknown or no longer kept."""
        with self._changed:
            return self._known.get(number)

    def cancel(self, number: int) -> bool:
        """Cancel a job and return whether it is known; a waiting job ends now, a running one at its next check."""
        with self._changed:
            job = self._known.get(number)
            if job is None:
                return False
            if job.state is State.WAITING:
                self._waiting.remove(job)
                job.state = State.CANCELLED
            job.is_unwanted = job.state not in (State.DONE, State.FAILED)
            return True

    def cancel_all(self) -> None:
        """Cancel every unfinished job, at the end of the session."""
        for number in tuple(self._known):
            self.cancel(number)

    def state_of(self, number: int, first: int) -> dict[str, Any] | None:
        """Return a job's state for the page, with its results from number `first` on; None if it is unknown."""
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
