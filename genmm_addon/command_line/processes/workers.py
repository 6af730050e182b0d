# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis of many seeds from one preparation, on all cores; the number of processes does not change the motions."""

import os
import pickle
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ... import core
from ...core import Constraints, Prepared, Synthesis, synthesize
from ...libraries.reading.interpreter import SINGLE_THREADED, python
from ..stopping import last_step, result_of, uninterrupted
from .child_process import bury, heard, kill, tell
from .worker_memory import processes_that_fit

WORTH_A_PROCESS = 8
"""Minimum number of seeds per process; fewer are faster without it."""
WORK = "synthesizes"
"""The work of the processes, for messages."""
AHEAD = 2
"""Maximum number of unfinished results per process: one that it makes, and one that waits."""


@dataclass(frozen=True, eq=False)
class SeedTask:
    """The inputs shared by all seeds.

    note: called with a message if fewer processes are started than requested.
    """

    prepared: Prepared
    frames: int
    constraints: Constraints
    note: Callable[[str], None] | None = None


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def synthesized(task: SeedTask, seeds: Sequence[int], jobs: int | None = None) -> Iterator[tuple[int, Synthesis]]:
    """Yield each seed with its synthesis, in the seeds' order. jobs: number of processes; None is one for each core.

    Raises as synthesize does, and Failed if a process ends unexpectedly.
    """
    program = python()
    count = min(jobs or min(cores(), len(seeds) // WORTH_A_PROCESS), len(seeds))
    if program is not None:
        count, fewer = processes_that_fit(task.prepared, task.frames, task.constraints, count, AHEAD)
        if fewer and task.note is not None:
            task.note(fewer)
    if count <= 1 or program is None:
        for seed in seeds:
            yield seed, synthesize(task.prepared, task.frames, constraints=task.constraints, seed=seed)
        return
    # The processes end before the threads, which wait for their answers.
    with ThreadPoolExecutor(count) as threads, _workers(program, task, count) as idle:
        waiting: deque[tuple[int, Future[Synthesis]]] = deque()
        ahead = iter(seeds)
        try:
            for seed in ahead:
                with uninterrupted():
                    waiting.append((seed, threads.submit(_ask, idle, seed)))
                if len(waiting) >= AHEAD * count:
                    first, done = waiting.popleft()
                    yield first, result_of(done)
            while waiting:
                first, done = waiting.popleft()
                yield first, result_of(done)
        finally:
            with uninterrupted():
                threads.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _workers(program: str, task: SeedTask, count: int) -> Iterator["SimpleQueue[subprocess.Popen[bytes]]"]:
    """Yield a queue with `count` idle processes that know the task; they end with the block."""
    # The worker uses the same module name, so that it can read pickles made here.
    name, folder = core.__name__, Path(str(core.__file__)).parent
    command = [program, "-I", str(Path(__file__).with_name("worker.py")), name, str(folder)]
    message = pickle.dumps((task.prepared, task.frames, task.constraints), pickle.HIGHEST_PROTOCOL)
    started: list[subprocess.Popen[bytes]] = []
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    try:
        with last_step(lambda: kill(started)):
            for _ in range(count):
                started.append(
                    subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | SINGLE_THREADED
                    )
                )
            for worker in started:
                tell(worker, message, WORK)
                idle.put(worker)
            yield idle
    finally:
        with uninterrupted():
            bury(started)


def _ask(idle: "SimpleQueue[subprocess.Popen[bytes]]", seed: int) -> Synthesis:
    worker = idle.get()
    try:
        tell(worker, pickle.dumps(seed), WORK)
        answer: Any = heard(worker, WORK)
    finally:
        idle.put(worker)
    if isinstance(answer, Exception):
        raise answer
    return answer  # type: ignore[no-any-return]
