# SPDX-License-Identifier: GPL-3.0-or-later
"""The range that was filled last, kept on its action: for the next alternative, and for the curve of durations."""

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
    """A range that was filled: its frames, the alternative that is shown, and what it is from.

    number, count: the alternative, from 1, and how many there are. library: the file that was asked for, "" is what the
    character learns from. durations, costs: of each duration, in frames
    from pose to pose; those that cannot be had are left out.
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
    """Keep on the action what was filled."""
    pairs = zip(filled.costs.durations.tolist(), filled.costs.costs.tolist(), strict=True)
    there = [(duration, round(cost, 5)) for duration, cost in pairs if math.isfinite(cost)]
    values = [filled.first, filled.last, filled.number, count, filled.source, library, there]
    action[PROPERTY] = json.dumps(values)


def record_of(action: Action | None) -> FilledRange | None:
    """Return what was filled last in an action; None where nothing was, or nothing that can be read."""
    text = None if action is None else action.get(PROPERTY)
    return _parsed(text) if isinstance(text, str) and len(text) <= LONGEST_TEXT else None


@lru_cache(maxsize=16)
def _parsed(text: str) -> FilledRange | None:
    # Asked for at every redraw; the text may be anyone's.
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
