# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations of a filling: those that an animator may choose from, and the one that a word stands for."""

from enum import Enum

import numpy as np

from ..errors import InputError
from .gap import DurationCosts

AS_GOOD = 1.5
"""Durations that cost at most so many times the least count as good; a few clips or a library, some half of them do."""
SHORTEST_SECONDS, LONGEST_SECONDS = 0.25, 3.0
"""Durations that are offered, longer ones too where the range itself is long."""
OFFERED = 36
"""Durations that are compared."""


class Timing(Enum):
    """Durations of a filling, in a word.

    >>> Timing("FAST") is Timing.FAST
    True
    """

    RANGE = "RANGE"
    """That of the range, as it is."""
    AUTOMATIC = "AUTOMATIC"
    """The one that costs least."""
    FAST = "FAST"
    """The shortest of those that are as good."""
    MEDIUM = "MEDIUM"
    """The one in the middle of them."""
    SLOW = "SLOW"
    """The longest of them."""
    DURATION = "DURATION"
    """A number of frames."""


def durations_to_compare(frames: int, frames_per_second: float) -> list[int]:
    """Return durations, in frames from pose to pose, ascending; the range's own, `frames`, is among them.

    >>> durations_to_compare(30, 30.0)[:3], durations_to_compare(30, 30.0)[-1]
    ([8, 10, 12], 90)
    """
    shortest = min(SHORTEST_SECONDS * frames_per_second, 0.5 * frames)
    longest = max(LONGEST_SECONDS * frames_per_second, 1.5 * frames)
    offered = np.round(np.linspace(shortest, longest, OFFERED)).astype(int)
    return sorted({frames, *np.maximum(offered, 2).tolist()})


def choose_duration(found: DurationCosts, timing: Timing) -> int:
    """Return the duration that a word stands for, in frames. Raises InputError where no duration can be had.

    >>> found = DurationCosts(np.array([10, 20, 30]), np.array([0.12, 0.1, 0.5]))
    >>> [choose_duration(found, timing) for timing in (Timing.FAST, Timing.AUTOMATIC, Timing.SLOW)]
    [10, 20, 20]
    """
    least = float(found.costs.min(initial=np.inf))
    if not np.isfinite(least):
        raise InputError("No clip is long enough for any duration; learn from longer ones.")
    good = found.durations[found.costs <= AS_GOOD * least]
    places = {Timing.FAST: 0, Timing.MEDIUM: len(good) // 2, Timing.SLOW: len(good) - 1}
    return int(good[places[timing]]) if timing in places else found.best
