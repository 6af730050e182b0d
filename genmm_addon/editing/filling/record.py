# SPDX-License-Identifier: GPL-3.0-or-later
"""The range that was filled last, stored on its action for the next alternative and for the bars of durations."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from bpy.types import Action

from ...animation.stretches.fingerprints import Range, fingerprint, keep_fingerprints, kept_fingerprints
from ...core.storage import stored
from .filling import Filled

Fingerprint = Callable[[Action, str, Range], str]
"""A function such as `fingerprint`, or one that returns it from a cache."""

PROPERTY = "genmm_filled"
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


def keep_record(action: Action, slot: str, filled: Filled, count: int, library: str) -> None:
    """Store the filled range on the action, with the fingerprint of its keys."""
    pairs = zip(filled.costs.durations.tolist(), filled.costs.costs.tolist(), strict=True)
    costs = [(duration, round(cost, 5)) for duration, cost in pairs if math.isfinite(cost)]
    values = [filled.first, filled.last, filled.number, count, filled.source, library, costs]
    action[PROPERTY] = json.dumps(values)
    keep_fingerprints(action, slot, PROPERTY, [(filled.first, filled.last)])


def record_of(action: Action | None) -> FilledRange | None:
    """Return the range filled last in an action; None without one, and where the record cannot be read."""
    values = stored(action, PROPERTY, _FORM)
    if values is None:
        return None
    first, last, number, count, source, library, pairs = values
    durations, costs = tuple(duration for duration, _ in pairs), tuple(cost for _, cost in pairs)
    if last <= first or min(durations, default=1) < 1:
        return None
    return FilledRange(first, last, max(number, 1), max(count, 1), source, library, durations, costs)


def why_not_again(action: Action | None, slot: str, fingerprint: Fingerprint = fingerprint) -> str:
    """Return a sentence on why the range filled last must not be filled with another alternative; "" where it may be.

    The record holds for the keys that were written: where any of them was changed since, or in a copy of the action,
    another filling would replace an animator's work.
    """
    record = record_of(action)
    if action is None or record is None:
        return "Fill a range first"
    range_ = record.first, record.last
    written = kept_fingerprints(action, PROPERTY).get(range_)
    if written is None:
        return f"An earlier version filled frames {record.first:g} to {record.last:g}; fill the range again"
    if written != fingerprint(action, slot, range_):
        return f"Keys from frame {record.first:g} to {record.last:g} changed after filling; fill the range again"
    return ""
