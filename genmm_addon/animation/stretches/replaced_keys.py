# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of one curve with a stretch of it replaced, and written so that what is outside plays as before."""

from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ..keys.key_writing import FREE
from .key_tables import LEFT, RIGHT, KeyTable, joined, lay_handles, read_keys, write_keys
from .splitting import slope_beyond, with_key_at, with_slope_beyond

ATTEMPTS = 4
"""Blender smooths automatic handles along whole chains of keys: so often those that moved are frozen, then all."""
MOVED = 3e-7
"""A handle has moved where it is farther off than this, in the largest of its numbers: some bits of rounding."""


@dataclass(frozen=True, eq=False)
class NewKeys:
    """Keys for a stretch: its first and last are those of the frames where it begins and ends.

    keeps_first, keeps_last: the curve's own values stay there, and all of it beyond; where they do not, nothing is kept
    on that side.
    """

    table: KeyTable
    keeps_first: bool = True
    keeps_last: bool = True


def replaced(table: KeyTable, new: NewKeys, *, extrapolates: bool) -> tuple[KeyTable, int, int]:
    """Return the keys with those of a stretch in it, and how many of them before and after it must not change.

    The keys where it begins and ends count as outside where they are kept.
    """
    first, last = float(new.table.times[0]), float(new.table.times[-1])
    slopes = [slope_beyond(table, at_start=at_start) for at_start in (True, False)] if extrapolates else []
    pieces: list[KeyTable] = [new.table]
    before = after = 0
    if new.keeps_first:
        with_first, row = with_key_at(table, first, extrapolates=extrapolates)
        kept = with_first.take(slice(0, row + 1))
        pieces = [_joined_inside(kept, -1, RIGHT, new.table.take(slice(0, 1))), new.table.take(slice(1, None))]
        before = row + 1
    if new.keeps_last:
        with_last, row = with_key_at(table, last, extrapolates=extrapolates)
        kept = with_last.take(slice(row, None))
        pieces[-1] = pieces[-1].take(slice(0, -1))
        pieces.append(_joined_inside(kept, 0, LEFT, new.table.take(slice(-1, None))))
        after = len(kept.times)
    whole = joined(*pieces)
    if extrapolates and before == 1:
        whole = with_slope_beyond(whole, slopes[0], at_start=True)
    if extrapolates and after == 1:
        whole = with_slope_beyond(whole, slopes[1], at_start=False)
    return whole, before, after


def _joined_inside(kept: KeyTable, row: int, handle: int, end: KeyTable) -> KeyTable:
    """Return the kept keys, the one at the border with the new stretch's handle and interpolation inward."""
    places = kept.places.copy()
    # The curve's own value stays: the handle keeps its way from there.
    places[row, handle] = places[row, 1] + end.places[0, handle] - end.places[0, 1]
    changed = KeyTable(places, kept.marks).with_marks(row, handle_left_type=FREE, handle_right_type=FREE)
    if handle == RIGHT:
        changed = changed.with_marks(row, interpolation=int(end.marks["interpolation"][0]))
    return changed


def write_stretch(curve: FCurve, new: NewKeys) -> None:
    """Replace a stretch of a curve with keys; one without keys gets the new ones alone."""
    if curve.is_empty:
        write_keys(curve, new.table)
        return
    write_around(curve, *replaced(read_keys(curve), new, extrapolates=curve.extrapolation == "LINEAR"))


def write_around(curve: FCurve, table: KeyTable, before: int, after: int) -> None:
    """Give a curve keys, of which so many at its beginning and end keep the handles that the table says.

    Automatic handles that Blender would lay anew there become free ones.
    """
    write_keys(curve, table)
    for attempt in range(ATTEMPTS + 1):
        moved = _moved_outside(table, read_keys(curve), before, after)
        if not moved.any():
            return
        if attempt == ATTEMPTS:
            moved[:] = True
        table = table.with_marks(moved, handle_left_type=FREE, handle_right_type=FREE)
        lay_handles(curve, table)


def _moved_outside(target: KeyTable, there: KeyTable, before: int, after: int) -> NDArray[np.bool_]:
    """Return which keys `(K,)` outside of the stretch have handles elsewhere than they should."""
    count = len(target.times)
    kept = target.places.astype(np.float32).astype(np.float64)
    size = np.maximum(np.abs(kept).max(axis=(0, 1), initial=0.0), 1.0)
    off = (np.abs(kept - there.places) > MOVED * size).any(axis=2)
    rows = np.arange(count)
    # Of the keys at the borders one handle is outside, and the other one inside.
    left = (rows < before) | (rows > count - after)
    right = (rows < before - 1) | (rows >= count - after)
    return np.asarray((off[:, LEFT] & left) | (off[:, RIGHT] & right))
