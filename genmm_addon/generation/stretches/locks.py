# SPDX-License-Identifier: GPL-3.0-or-later
"""Locked stretches of a result, stored on its action: they stay as they are when others are regenerated."""

import json
from collections.abc import Sequence

from bpy.types import Action

from ...animation.stretches.generated import LOCKED as PROPERTY
from ...animation.stretches.generated import stored_ranges

Range = tuple[int, int]


def locked_ranges(action: Action | None) -> tuple[Range, ...]:
    """Return the first and last frame of each locked stretch, in order; none where the property cannot be read."""
    ranges = () if action is None else stored_ranges(action, PROPERTY)
    return _united([(round(first), round(last)) for first, last in ranges])


def lock(action: Action, first: int, last: int) -> None:
    """Lock a stretch, both frames inclusive."""
    _store(action, [*locked_ranges(action), (first, last)])


def unlock(action: Action, first: int, last: int) -> None:
    """Unlock the frames of a stretch; other frames of a longer locked one stay locked."""
    left = [
        piece
        for start, end in locked_ranges(action)
        for piece in ((start, min(end, first - 1)), (max(start, last + 1), end))
        if piece[0] <= piece[1]
    ]
    _store(action, left)


def is_locked(action: Action, first: int, last: int) -> bool:
    """Return whether any frame of a stretch is locked."""
    return any(start <= last and end >= first for start, end in locked_ranges(action))


def between_locks(action: Action, first: int, last: int) -> tuple[Range, ...]:
    """Return the pieces of a stretch that are not locked."""
    pieces = []
    for start, end in locked_ranges(action):
        if start > first:
            pieces.append((first, min(start - 1, last)))
        first = max(first, end + 1)
    return tuple(piece for piece in (*pieces, (first, last)) if piece[0] <= piece[1])


def _united(ranges: Sequence[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return tuple(merged)


def _store(action: Action, ranges: Sequence[Range]) -> None:
    if ranges:
        action[PROPERTY] = json.dumps(_united(ranges))
    elif action.get(PROPERTY) is not None:
        del action[PROPERTY]
