# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of an action that were generated in place: remembered on it, so that nothing is learned from them."""

import json
import math
from collections.abc import Sequence
from typing import Any

from bpy.types import Action

PROPERTY = "genmm_stretches"
"""Property of an action: a list of first and last frames, as JSON. Files hold it: its name and form stay."""
LONGEST_TEXT = 2**20

Range = tuple[float, float]


def generated_ranges(action: Action | None) -> tuple[Range, ...]:
    """Return the ranges that were generated, ascending and separate; what cannot be read is none."""
    text = None if action is None else action.get(PROPERTY)
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        return ()
    try:
        return united([_range(row) for row in json.loads(text)])
    except (ValueError, TypeError, RecursionError):
        return ()


def remember_generated(action: Action, first: float, last: float) -> None:
    """Keep on the action that these frames are generated; the poses at both ends are the animator's."""
    _store(action, [*generated_ranges(action), (first, last)])


def move_generated(action: Action, frame: float, by: float) -> None:
    """Move what begins at a frame or later, as keys were; a range that only ends later becomes longer or shorter."""
    _store(
        action,
        [
            (first + by if first >= frame else first, last + by if last >= frame else last)
            for first, last in generated_ranges(action)
        ],
    )


def forget_generated(action: Action, first: float, last: float) -> None:
    """Take frames out of what is remembered: an animator has made them."""
    _store(action, [piece for one in generated_ranges(action) for piece in without(one, [(first, last)])])


def united(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Return ranges ascending, those that overlap as one; those that only meet stay two.

    >>> united([(30.0, 40.0), (1.0, 10.0), (5.0, 20.0)])
    ((1.0, 20.0), (30.0, 40.0))
    """
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def without(whole: Range, taken: Sequence[Range]) -> tuple[Range, ...]:
    """Return the pieces of a range that are not within others; the frames at the borders stay.

    >>> without((1.0, 100.0), [(20.0, 40.0)])
    ((1.0, 20.0), (40.0, 100.0))
    """
    first, end = whole
    pieces: list[Range] = []
    for start, stop in united(taken):
        if stop <= first or start >= end:
            continue
        if start > first:
            pieces.append((first, start))
        first = stop
    return (*pieces, (first, end)) if first < end else tuple(pieces)


def _store(action: Action, ranges: Sequence[Range]) -> None:
    kept = [one for one in united(ranges) if one[1] > one[0]]
    if kept:
        action[PROPERTY] = json.dumps(kept)
    elif PROPERTY in action.keys():  # noqa: SIM118  # the stub knows no membership
        del action[PROPERTY]


def _range(row: Any) -> Range:
    first, last = (float(value) for value in row)
    if not (math.isfinite(first) and math.isfinite(last) and first < last):
        raise ValueError(f"{row} is no range of frames.")
    return first, last
