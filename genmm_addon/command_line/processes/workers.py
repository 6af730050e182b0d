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
from ...core.examples import as_text, body_size, fits, preparation_needs, purpose_of, synthesis_needs
from ...libraries.reading.interpreter import SINGLE_THREADED, python
from ..stopping import last_step, result_of, uninterrupted
from .child_process import bury, heard, kill, tell

WORTH_A_PROCESS = 8
"""Minimum number of seeds per process; fewer are faster without it."""
WORK = "synthesizes"
"""The work of the processes, for messages."""
AHEAD = 2
"""Maximum number of unfinished results per process: one that it makes, and one that waits."""
PROCESS_BYTES = 60e6
"""Memory of an idle Python process with NumPy, in bytes."""


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


def processes_that_fit(
    prepared: Prepared, frames: int, constraints: Constraints, requested: int, waiting: int
) -> tuple[int, str]:
    """Return the number of requested processes that fit into memory, at least 1, and a note if there are fewer.

    waiting: maximum number of results per process that wait to be written.
    """
    if requested <= 1:
        return requested, ""
    body, purpose = body_size(prepared.motions[0]), purpose_of(prepared)
    lengths = (prepared.bounds.ends - prepared.bounds.starts).tolist()
    kept = preparation_needs(lengths, body, purpose).kept
    feet, added = len(prepared.feet), [constraint.memory for constraint in constraints]
    result = synthesis_needs(frames, lengths, body, purpose, feet=feet, constraints=added)
    each = PROCESS_BYTES + kept + result.peak + waiting * result.kept
    # The preparation is sent to each process as one message, which stays in memory here meanwhile.
    count = requested
    while count > 1 and not fits(kept + count * each):
        count -= 1
    if count == requested:
        return requested, ""
    processes = "1 process" if count == 1 else f"{count} processes"
    return count, f"Only {processes} instead of {requested}: each needs {as_text(each)} of memory."
