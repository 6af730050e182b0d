# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of long tasks, reported to a caller that may stop them."""

from collections.abc import Callable

from .errors import Cancelled

Progress = Callable[[float], bool | None]
"""Callback that receives the share that is done, 0 to 1; if it returns False, the task stops with Cancelled."""


def report_progress(progress: Progress | None, share: float) -> None:
    """Report the share to the caller, if there is a callback. Raises Cancelled if the caller stops the task.

    >>> report_progress(lambda share: True, 0.5)
    """
    if progress is not None and progress(share) is False:
        raise Cancelled("Cancelled.")


def part_of_progress(progress: Progress | None, first: float, last: float) -> Progress | None:
    """Return the callback for a part of the task, from `first` to `last` of the whole.

    >>> told = []
    >>> part_of_progress(told.append, 0.5, 1.0)(0.5)
    >>> told
    [0.75]
    """
    return None if progress is None else lambda share: progress(first + (last - first) * share)


def parts_of_progress(progress: Progress | None, count: int) -> list[Progress | None]:
    """Return the callbacks for a number of equal parts of the task.

    >>> told = []
    >>> first, second = parts_of_progress(told.append, 2)
    >>> second(0.5)
    >>> told
    [0.75]
    """
    return [part_of_progress(progress, number / count, (number + 1) / count) for number in range(count)]
