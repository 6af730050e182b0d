# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's threads, held where a test wants them: a fast machine would end their work before a key comes."""

import time
from collections.abc import Callable

from genmm_addon.generation.job import Job

LOOK_AGAIN = 0.005
"""Seconds between two looks at whether a held thread may go on."""

_report = Job._progress
_held_when: list[Callable[[], bool]] = []


def hold_work(when: Callable[[], bool] = lambda: True) -> Callable[[], None]:
    """Return a step after which work waits at each report of progress that `when` holds for, until it is stopped."""

    def step() -> None:
        _held_when[:] = [when]

    return step


def let_go() -> None:
    """Let work go on, for steps that wait for its end."""
    _held_when.clear()


def _held_report(self: Job[object], fraction: float) -> bool:
    goes_on = _report(self, fraction)
    while goes_on and any(when() for when in _held_when):
        time.sleep(LOOK_AGAIN)
        goes_on = not self.stopping
    return goes_on


Job._progress = _held_report  # type: ignore[method-assign, assignment]  # the very method that threads report to
