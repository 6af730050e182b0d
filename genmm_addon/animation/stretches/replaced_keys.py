# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of stretches of one curve's keys, after which the curve outside plays as before."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve

from ...core import Float64, InputError, Mask
from ...core.keys import ON_KEY
from ..keys.key_writing import FREE, MOST_UPDATES
from ..sampling import BEZIER, CONSTANT, LINEAR
from .fingerprints import Range
from .key_tables import KEY, LEFT, RIGHT, KeyTable, joined, lay_handles, new_keys, read_places, write_keys

MOVED = 3e-7
"""Largest change of a handle, relative to its largest number, that counts as rounding."""
OUTWARD = 64.0
"""Length, in frames, of a handle that stores a slope; rounding would turn a short one."""


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


def with_key_at(table: KeyTable, time: float, *, extrapolates: bool) -> tuple[KeyTable, int]:
    """Return the keys with one at `time`, and its row; an existing key is used unchanged.

    extrapolates: whether the curve is linear beyond its keys. Raises InputError within a segment whose easing is not
    Constant, Linear or Bezier, since a key would change its shape.

    >>> table, row = with_key_at(new_keys(np.array([0.0, 10.0]), np.array([0.0, 5.0])), 4.0, extrapolates=False)
    >>> row, table.values.tolist()
    (1, [0.0, 2.0, 5.0])
    """
    times = table.times
    near = np.flatnonzero(np.abs(times - time) < ON_KEY)
    if len(near):
        # Of several keys on one frame, Blender plays the last one there.
        until = near[times[near] <= time]
        return table, int(until[-1] if len(until) else near[0])
    row = int(np.searchsorted(times, time))
    if row in (0, len(times)):
        return _beyond(table, time, row, extrapolates)
    return _between(table, time, row), row


def _beyond(table: KeyTable, time: float, row: int, extrapolates: bool) -> tuple[KeyTable, int]:
    end = 0 if row == 0 else -1
    slope = slope_beyond(table, at_start=row == 0) if extrapolates else 0.0
    value = table.values[end] + slope * (time - table.times[end])
    key = new_keys(np.array([time]), np.array([value]), type=int(table.marks["type"][end]))
    if row == 0:
        return joined(key, table), row
    # Beyond its last key the curve is linear, so that segment becomes linear.
    return joined(table.with_marks(-1, interpolation=LINEAR), key), row


def slope_beyond(table: KeyTable, *, at_start: bool) -> float:
    """Return the slope, in value per frame, of the curve beyond its first or last key."""
    end, neighbor, handle = (0, 1, LEFT) if at_start else (-1, -2, RIGHT)
    kind = int(table.marks["interpolation"][end])
    if kind == CONSTANT or (kind == LINEAR and len(table.times) == 1):
        return 0.0
    onward = table.places[neighbor, KEY] if kind == LINEAR else table.places[end, handle]
    step = onward - table.places[end, KEY]
    return float(step[1] / step[0]) if step[0] else 0.0  # as Blender extrapolates


def with_slope_beyond(table: KeyTable, slope: float, *, at_start: bool) -> KeyTable:
    """Return the keys with the first or last handle pointing outward along a slope, which Blender then continues."""
    end, handle, away = (0, LEFT, -OUTWARD) if at_start else (-1, RIGHT, OUTWARD)
    places = table.places.copy()
    places[end, handle] = places[end, KEY] + [away, away * slope]
    return KeyTable(
        places, table.with_marks(end, interpolation=BEZIER, handle_left_type=FREE, handle_right_type=FREE).marks
    )


def _between(table: KeyTable, time: float, row: int) -> KeyTable:
    """Return the keys with one inserted before `row`, in the segment that ends there."""
    kind = int(table.marks["interpolation"][row - 1])
    start, end = table.places[row - 1], table.places[row]
    values = {"interpolation": kind, "type": int(table.marks["type"][row - 1])}
    before, after = table.take(slice(0, row)), table.take(slice(row, None))
    if kind in (CONSTANT, LINEAR):
        share = (time - start[KEY, 0]) / (end[KEY, 0] - start[KEY, 0]) if kind == LINEAR else 0.0
        value = start[KEY, 1] + share * (end[KEY, 1] - start[KEY, 1])
        return joined(before, new_keys(np.array([time]), np.array([value]), **values), after)
    if kind != BEZIER:
        raise InputError(
            f"A curve has a dynamic or easing interpolation across frame {time:g}; insert a key there, or choose "
            "another range."
        )
    left, middle, right = split_bezier(control_points(start, end), time)
    key = new_keys(np.array([time]), middle[KEY, 1][None], **values)
    key.places[0] = middle
    key.places[0, KEY, 0] = time
    # Automatic handles would be computed again.
    split = joined(
        before.with_marks(-1, handle_left_type=FREE, handle_right_type=FREE),
        key,
        after.with_marks(0, handle_left_type=FREE, handle_right_type=FREE),
    )
    split.places[row - 1, RIGHT], split.places[row + 1, LEFT] = left, right
    return split


def control_points(start: Float64, end: Float64) -> Float64:
    """Return the control points `(4, 2)` between two keys `(3, 2)`; handles longer than the segment are shortened."""
    points = np.array([start[KEY], start[RIGHT], end[LEFT], end[KEY]])
    length = points[3, 0] - points[0, 0]
    for key, handle in ((0, 1), (3, 2)):
        reach = abs(points[handle, 0] - points[key, 0])
        if reach > length:
            points[handle] = points[key] + (points[handle] - points[key]) * (length / reach)
    return points


def split_bezier(points: Float64, time: float) -> tuple[Float64, Float64, Float64]:
    """Return the first key's right handle, the new key `(3, 2)` and the last key's left handle (de Casteljau)."""
    low, high = 0.0, 1.0
    while low < (share := 0.5 * (low + high)) < high:
        low, high = (share, high) if _levels(points, share)[-1][0, 0] < time else (low, share)
    first, second, third = _levels(points, share)
    return first[0], np.array([second[0], third[0], second[1]]), first[2]


def _levels(points: Float64, share: float) -> list[Float64]:
    levels = [points]
    for _ in range(3):
        levels.append(levels[-1][:-1] + share * np.diff(levels[-1], axis=0))
    return levels[1:]
