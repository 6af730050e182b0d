# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of a stretch of one curve's keys, after which the curve outside plays as before."""

from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ..keys.key_writing import FREE, MOST_UPDATES
from .key_tables import LEFT, RIGHT, KeyTable, joined, lay_handles, read_keys, write_keys
from .splitting import slope_beyond, with_key_at, with_slope_beyond

MOVED = 3e-7
"""Largest change of a handle, relative to its largest number, that counts as rounding."""


@dataclass(frozen=True, eq=False)
class NewKeys:
    """Keys for a stretch; the first and last are at the frames where the stretch begins and ends.

    keeps_first, keeps_last: whether the curve keeps its own value there, and all keys beyond; otherwise all keys on
    that side are removed.
    """

    table: KeyTable
    keeps_first: bool = True
    keeps_last: bool = True


def replaced(table: KeyTable, new: NewKeys, *, extrapolates: bool) -> tuple[KeyTable, int, int]:
    """Return the keys with those of a stretch replaced, and the numbers of unchanged keys before and after it.

    The keys at its beginning and end count as unchanged if they are kept.
    """
    first, last = float(new.table.times[0]), float(new.table.times[-1])
    slopes = [slope_beyond(table, at_start=at_start) for at_start in (True, False)] if extrapolates else []
    pieces: list[KeyTable] = [new.table]
    before = after = 0
    if new.keeps_first:
        with_first, row = with_key_at(table, first, extrapolates=extrapolates)
        kept = with_first.take(slice(0, row + 1))
        pieces = [
            _joined_inside(kept, -1, RIGHT, new.table.take(slice(0, 1)), extrapolates=extrapolates),
            new.table.take(slice(1, None)),
        ]
        before = row + 1
    if new.keeps_last:
        with_last, row = with_key_at(table, last, extrapolates=extrapolates)
        kept = with_last.take(slice(row, None))
        pieces[-1] = pieces[-1].take(slice(0, -1))
        pieces.append(_joined_inside(kept, 0, LEFT, new.table.take(slice(-1, None)), extrapolates=extrapolates))
        after = len(kept.times)
    table_with_new = joined(*pieces)
    if extrapolates and before == 1:
        table_with_new = with_slope_beyond(table_with_new, slopes[0], at_start=True)
    if extrapolates and after == 1:
        table_with_new = with_slope_beyond(table_with_new, slopes[1], at_start=False)
    return table_with_new, before, after


def _joined_inside(kept: KeyTable, row: int, handle: int, end: KeyTable, *, extrapolates: bool) -> KeyTable:
    """Return the kept keys; the one at the border gets the new stretch's handle and interpolation on the inner side."""
    places = kept.places.copy()
    # The curve keeps its own value, so the handle is placed relative to it.
    places[row, handle] = places[row, 1] + end.places[0, handle] - end.places[0, 1]
    changed = KeyTable(places, kept.marks).with_marks(row, handle_left_type=FREE, handle_right_type=FREE)
    # A curve's last key holds its value whatever its interpolation, which is only seen once a key follows.
    if handle == RIGHT or (len(kept.times) == 1 and not extrapolates):
        changed = changed.with_marks(row, interpolation=int(end.marks["interpolation"][0]))
    return changed


def write_stretch(curve: FCurve, new: NewKeys) -> None:
    """Replace a stretch of a curve by new keys; a curve without keys gets just the new ones."""
    if curve.is_empty:
        write_keys(curve, new.table)
        return
    write_around(curve, *replaced(read_keys(curve), new, extrapolates=curve.extrapolation == "LINEAR"))


def write_around(curve: FCurve, table: KeyTable, before: int, after: int) -> None:
    """Set the keys of a curve; `before` keys at its beginning and `after` at its end keep the handles of the table.

    Automatic handles that Blender would change there become free handles: those that moved, since Blender smooths
    whole chains, and in the end all.
    """
    write_keys(curve, table)
    for attempt in range(MOST_UPDATES + 1):
        moved = _moved_outside(table, read_keys(curve), before, after)
        if not moved.any():
            return
        if attempt == MOST_UPDATES:
            moved[:] = True
        table = table.with_marks(moved, handle_left_type=FREE, handle_right_type=FREE)
        lay_handles(curve, table)


def _moved_outside(target: KeyTable, present: KeyTable, before: int, after: int) -> NDArray[np.bool_]:
    """Return `(K,)` whether a key outside of the stretch has handles that moved."""
    count = len(target.times)
    kept = target.places.astype(np.float32).astype(np.float64)
    size = np.maximum(np.abs(kept).max(axis=(0, 1), initial=0.0), 1.0)
    off = (np.abs(kept - present.places) > MOVED * size).any(axis=2)
    rows = np.arange(count)
    # Of the keys at the borders, one handle is outside and the other inside.
    left = (rows < before) | (rows > count - after)
    right = (rows < before - 1) | (rows >= count - after)
    return np.asarray((off[:, LEFT] & left) | (off[:, RIGHT] & right))
