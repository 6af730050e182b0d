# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of long work, as a caller is told it, who may stop the work."""

from collections.abc import Callable

from .errors import Cancelled

Progress = Callable[[float], bool | None]
"""It is told the share that is done, 0 to 1; where it returns False, the work stops with Cancelled."""


def report_progress(progress: Progress | None, share: float) -> None:
    """Tell the caller, if it wants to know. Raises Cancelled where it has the work stop.

    >>> report_progress(lambda share: True, 0.5)
    """
    if progress is not None and progress(share) is False:
        raise Cancelled("Cancelled.")


def part_of_progress(progress: Progress | None, first: float, last: float) -> Progress | None:
    """Return the progress of a part of the work, which is from `first` to `last` of the whole.

    >>> told = []
    >>> part_of_progress(told.append, 0.5, 1.0)(0.5)
    >>> told
    [0.75]
    """
    return None if progress is None else lambda share: progress(first + (last - first) * share)
