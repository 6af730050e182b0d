# SPDX-License-Identifier: GPL-3.0-or-later
"""The range that was filled last, stored on its action for the next alternative and for the bars of durations."""

import json
import math
from dataclasses import dataclass

from bpy.types import Action

from ..core.parsing import stored
from .filling import Filled

PROPERTY = "genmm_filled"
LONGEST_TEXT = 2**16
_FORM = tuple[float, float, int, int, str, str, tuple[tuple[int, float], ...]]


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
    values = stored(action, PROPERTY, _FORM, LONGEST_TEXT)
    if values is None:
        return None
    first, last, number, count, source, library, pairs = values
    durations, costs = tuple(duration for duration, _ in pairs), tuple(cost for _, cost in pairs)
    if last <= first or min(durations, default=1) < 1:
        return None
    return FilledRange(first, last, max(number, 1), max(count, 1), source, library, durations, costs)
