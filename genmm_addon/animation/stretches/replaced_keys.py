# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of stretches of one curve's keys, after which the curve outside plays as before."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve

from ...core import Float64, Mask
from ...core.keys import ON_KEY
from ..keys.key_writing import FREE, MOST_UPDATES
from .fingerprints import Range
from .key_tables import LEFT, RIGHT, KeyTable, joined, lay_handles, read_places, write_keys
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

    @property
    def frames(self) -> Range:
        """Return the first and last frame that may change; infinity on a side where nothing is kept."""
        first, last = self.table.times[[0, -1]].tolist()
        return first if self.keeps_first else -math.inf, last if self.keeps_last else math.inf


def replaced(table: KeyTable, stretches: Sequence[NewKeys], *, extrapolates: bool) -> KeyTable:
    """Return the keys of a curve with those of stretches, ascending and separate, replaced.

    A curve without keys gets just the new ones.
    """
    if not len(table.times):
        return joined(*(new.table for new in stretches))
    slopes = [slope_beyond(table, at_start=at_start) for at_start in (True, False)] if extrapolates else []
    pieces: list[KeyTable] = []
    for new in stretches:
        inner, (first, last) = new.table, new.table.times[[0, -1]].tolist()
        if new.keeps_first:
            table, begin = with_key_at(table, first, extrapolates=extrapolates)
        if new.keeps_last:
            table, end = with_key_at(table, last, extrapolates=extrapolates)
        if new.keeps_first:
            kept, edge = table.take(slice(0, begin + 1)), inner.take(slice(0, 1))
            kept = _joined_inside(kept, -1, RIGHT, edge, extrapolates=extrapolates)
            if extrapolates and begin == 0 and not pieces:
                kept = with_slope_beyond(kept, slopes[0], at_start=True)
            pieces.append(kept)
            inner = inner.take(slice(1, None))
        if not new.keeps_last:
            return joined(*pieces, inner)
        kept, edge = table.take(slice(end, None)), inner.take(slice(-1, None))
        table = _joined_inside(kept, 0, LEFT, edge, extrapolates=extrapolates)
        if extrapolates and len(table.times) == 1:
            table = with_slope_beyond(table, slopes[1], at_start=False)
        pieces.append(inner.take(slice(0, -1)))
    return joined(*pieces, table)


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


def write_stretches(curve: FCurve, table: KeyTable, stretches: Sequence[NewKeys]) -> None:
    """Replace stretches, ascending and separate, of a curve with the keys of a table; all keys are written once."""
    extrapolates = curve.extrapolation == "LINEAR"
    write_around(curve, replaced(table, stretches, extrapolates=extrapolates), [new.frames for new in stretches])


def write_around(curve: FCurve, table: KeyTable, ranges: Sequence[Range]) -> None:
    """Set the keys of a curve; outside of ranges, which begin and end at keys, it keeps the handles of the table.

    Automatic handles that Blender would change there become free handles: those that moved, since Blender smooths
    whole chains, and in the end all.
    """
    write_keys(curve, table)
    for attempt in range(MOST_UPDATES + 1):
        moved = _moved_outside(table, read_places(curve), ranges)
        if not moved.any():
            return
        if attempt == MOST_UPDATES:
            moved[:] = True
        table = table.with_marks(moved, handle_left_type=FREE, handle_right_type=FREE)
        lay_handles(curve, table)


def _moved_outside(target: KeyTable, places: Float64, ranges: Sequence[Range]) -> Mask:
    """Return `(K,)` whether a key outside of the ranges has handles that moved to `places` `(K, 3, 2)`."""
    kept = target.places.astype(np.float32).astype(np.float64)
    size = np.maximum(np.abs(kept).max(axis=(0, 1), initial=0.0), 1.0)
    off = (np.abs(kept - places) > MOVED * size).any(axis=2)
    first, last = np.array(ranges).T[:, :, None]
    times = target.times
    # Of the keys at the borders, one handle is outside and the other inside.
    left = ~((times > first + ON_KEY) & (times <= last + ON_KEY)).any(axis=0)
    right = ~((times >= first - ON_KEY) & (times < last - ON_KEY)).any(axis=0)
    return np.asarray((off[:, LEFT] & left) | (off[:, RIGHT] & right))
