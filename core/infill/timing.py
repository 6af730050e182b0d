# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations of a filling: those from which an animator may choose, and the duration that each word stands for."""

from enum import Enum

import numpy as np

from ..errors import InputError
from .fillings import DurationCosts

AS_GOOD = 1.5
"""Largest cost of a good duration or filling, in multiples of the least cost; for a few clips or a library, about half
of the durations are good."""
SHORTEST_SECONDS, LONGEST_SECONDS = 0.25, 3.0
"""Shortest and longest duration that are offered, in seconds; for a long range, longer ones are offered as well."""
OFFERED = 36
"""Number of durations that are compared."""


class Timing(Enum):
    """Duration of a filling, as a word.

    >>> Timing("FAST") is Timing.FAST
    True
    """

    RANGE = "RANGE"
    """The duration of the range, unchanged."""
    AUTOMATIC = "AUTOMATIC"
    """The cheapest duration."""
    FAST = "FAST"
    """The shortest good duration."""
    MEDIUM = "MEDIUM"
    """The duration in the middle of the good ones."""
    SLOW = "SLOW"
    """The longest good duration."""
    DURATION = "DURATION"
    """A given number of frames."""


def durations_to_compare(frames: int, frames_per_second: float) -> list[int]:
    """Return the durations to compare, in frames from pose to pose, ascending, with the range's own among them.

    >>> durations_to_compare(30, 30.0)[:3], durations_to_compare(30, 30.0)[-1]
    ([8, 10, 12], 90)
    """
    shortest = min(SHORTEST_SECONDS * frames_per_second, 0.5 * frames)
    longest = max(LONGEST_SECONDS * frames_per_second, 1.5 * frames)
    offered = np.round(np.linspace(shortest, longest, OFFERED)).astype(int)
    return sorted({frames, *np.maximum(offered, 2).tolist()})


def choose_duration(costs: DurationCosts, timing: Timing) -> int:
    """Return the duration that a word stands for, in frames. Raises InputError if no duration is possible.

    >>> found = DurationCosts(np.array([10, 20, 30]), np.array([0.12, 0.1, 0.5]))
    >>> [choose_duration(found, timing) for timing in (Timing.FAST, Timing.AUTOMATIC, Timing.SLOW)]
    [10, 20, 20]
    """
    least = float(costs.costs.min(initial=np.inf))
    if not np.isfinite(least):
        raise InputError("No clip is long enough for any duration; learn from longer ones.")
    good = costs.durations[costs.costs <= AS_GOOD * least]
    places = {Timing.FAST: 0, Timing.MEDIUM: len(good) // 2, Timing.SLOW: len(good) - 1}
    return int(good[places[timing]]) if timing in places else costs.best
