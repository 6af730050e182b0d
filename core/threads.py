# SPDX-License-Identifier: GPL-3.0-or-later
"""Independent pieces of large work, side by side in threads: NumPy lets others run while it works on large arrays."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

VARIABLE = "GENMM_THREADS"
"""The environment variable with the number of threads; 1 is for processes that already use all cores together."""
MOST_THREADS = 4
"""More than this wait for memory and for each other."""
_thread = threading.local()


def threads() -> int:
    """Return the number of threads that work may use: what GENMM_THREADS says, or one for each core, to MOST_THREADS.

    >>> 1 <= threads() <= MOST_THREADS or VARIABLE in os.environ
    True
    """
    asked = os.environ.get(VARIABLE, "").strip()
    if asked.isdecimal() and int(asked):
        return int(asked)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], *, worth: bool = True) -> list[Result]:
    """Return the results of the tasks, in their order, as `[work(task) for task in tasks]` does.

    The tasks must not depend on each other, nor write to the same places: then the results are the same bytes for any
    number of threads. Work in a thread starts no further threads. worth: whether the tasks are large enough. Raises
    what a task raises, once the others have ended.

    >>> in_threads(abs, [-3, 2])
    [3, 2]
    """
    alone = not worth or len(tasks) < 2 or getattr(_thread, "busy", False)
    workers = 1 if alone else min(threads(), len(tasks))
    if workers < 2:
        return [work(task) for task in tasks]
    results: dict[int, Result] = {}
    numbers = count()

    def work_on() -> None:
        _thread.busy = True
        try:
            # Each takes the next task that nobody has: tasks last differently long.
            while (number := next(numbers)) < len(tasks):
                results[number] = work(tasks[number])
        finally:
            _thread.busy = False

    # This thread works as well.
    with ThreadPoolExecutor(workers - 1) as others:
        waiting = [others.submit(work_on) for _ in range(workers - 1)]
        work_on()
    for one in waiting:
        one.result()
    return [results[number] for number in range(len(tasks))]
