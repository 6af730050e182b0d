# SPDX-License-Identifier: GPL-3.0-or-later
"""The range that was filled last, stored on its action for the next alternative and for the bars of durations."""

import json
import math
from dataclasses import dataclass
from functools import lru_cache

from bpy.types import Action

from .filling import Filled

PROPERTY = "genmm_filled"
LONGEST_TEXT = 2**16


@dataclass(frozen=True)
class FilledRange:
    """A range that was filled: its frames, the alternative shown, and its source.

    number, count: the alternative, from 1, and the number of alternatives. library: the file that was used, "" for what
    the character learns from. durations, costs: of each possible duration, in frames from pose to pose.
    """

    first: float
    last: float
    number: int
    count: int
    source: str
    library: str
    durations: tuple[int, ...]
    costs: tuple[float, ...]


def keep_record(action: Action, filled: Filled, count: int, library: str) -> None:
    """Store the filled range on the action."""
    pairs = zip(filled.costs.durations.tolist(), filled.costs.costs.tolist(), strict=True)
    there = [(duration, round(cost, 5)) for duration, cost in pairs if math.isfinite(cost)]
    values = [filled.first, filled.last, filled.number, count, filled.source, library, there]
    action[PROPERTY] = json.dumps(values)


def record_of(action: Action | None) -> FilledRange | None:
    """Return the range filled last in an action; None without one, and where the record cannot be read."""
    text = None if action is None else action.get(PROPERTY)
    return _parsed(text) if isinstance(text, str) and len(text) <= LONGEST_TEXT else None


@lru_cache(maxsize=16)
def _parsed(text: str) -> FilledRange | None:
    # Called at every redraw, with an untrusted text.
    try:
        first, last, number, count, source, library, pairs = json.loads(text)
        values = [float(first), float(last), *(float(cost) for _, cost in pairs)]
        durations = tuple(int(duration) for duration, _ in pairs)
        if not all(map(math.isfinite, values)) or last <= first or min(durations, default=1) < 1:
            return None
        numbers = max(int(number), 1), max(int(count), 1)
        return FilledRange(values[0], values[1], *numbers, str(source), str(library), durations, tuple(values[2:]))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
