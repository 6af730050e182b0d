# SPDX-License-Identifier: GPL-3.0-or-later
"""All keys of an F-curve as arrays: frames, values, handles, interpolation and marks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...core import Array, Float32, Float64
from ..keys.key_writing import FREE, GENERATED, settle
from ..sampling import LINEAR

MARKS: Mapping[str, tuple[Any, float]] = {
    "handle_left_type": (np.uint8, FREE),
    "handle_right_type": (np.uint8, FREE),
    "interpolation": (np.uint8, LINEAR),
    "easing": (np.uint8, 0),
    "type": (np.uint8, GENERATED),
    "amplitude": (np.float32, 0.8),
    "back": (np.float32, 1.70158),
    "period": (np.float32, 4.1),
    "select_control_point": (np.bool_, False),
    "select_left_handle": (np.bool_, False),
    "select_right_handle": (np.bool_, False),
}
"""Attributes of a key in addition to its place and handles, with their values for a new key (easing: Blender's own)."""
LEFT, KEY, RIGHT = range(3)
PLACES = ("handle_left", "co", "handle_right")


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The K keys of a curve, ascending.

    places: `(K, 3, 2)` left handle, key and right handle, each with frame and value. marks: `(K,)` by name, see MARKS.
    """

    places: Float64
    marks: Mapping[str, NDArray[Any]]

    @property
    def times(self) -> Float64:
        """Return the frames `(K,)` of the keys."""
        return self.places[:, KEY, 0]

    @property
    def values(self) -> Float64:
        """Return the values `(K,)` of the keys."""
        return self.places[:, KEY, 1]

    def take(self, rows: NDArray[Any] | slice) -> "KeyTable":
        """Return the keys of some rows."""
        return KeyTable(self.places[rows], {name: values[rows] for name, values in self.marks.items()})

    def with_marks(self, rows: Any, **values: float | NDArray[Any]) -> "KeyTable":
        """Return the same keys with other marks in some rows."""
        marks = {**self.marks, **{name: self.marks[name].copy() for name in values}}
        for name, value in values.items():
            marks[name][rows] = value
        return replace(self, marks=marks)


def new_keys(times: Array, values: Array, **marks: float) -> KeyTable:
    """Return keys at `times` `(K,)`, with handles at a third of the straight lines to their neighbors."""
    count = len(times)
    places = np.empty((count, 3, 2))
    places[:, :, 0], places[:, :, 1] = np.asarray(times)[:, None], np.asarray(values)[:, None]
    if count > 1:
        steps = np.diff(places[:, KEY], axis=0) / 3.0
        places[1:, LEFT] -= steps
        places[:-1, RIGHT] += steps
    if count:
        places[0, LEFT, 0] -= 1.0 / 3.0
        places[-1, RIGHT, 0] += 1.0 / 3.0
    return KeyTable(
        places, {name: np.full(count, marks.get(name, value), kind) for name, (kind, value) in MARKS.items()}
    )


def joined(*tables: KeyTable) -> KeyTable:
    """Return the keys of several tables in sequence."""
    return KeyTable(
        np.concatenate([table.places for table in tables]),
        {name: np.concatenate([table.marks[name] for table in tables]) for name in MARKS},
    )


def read_keys(curve: FCurve) -> KeyTable:
    """Return all keys of a curve."""
    return KeyTable(read_places(curve), {name: read_mark(curve, name) for name in MARKS})


def read_mark(curve: FCurve, name: str) -> NDArray[Any]:
    """Return one of the MARKS `(K,)` of a curve's keys."""
    values = np.empty(len(curve.keyframe_points), MARKS[name][0])
    curve.keyframe_points.foreach_get(name, values)
    return values


def read_places(curve: FCurve) -> Float64:
    """Return the places `(K, 3, 2)` of a curve's keys, see `KeyTable`."""
    return np.stack([read_place(curve, place) for place in (LEFT, KEY, RIGHT)], axis=1, dtype=np.float64)


def read_place(curve: FCurve, place: int) -> Float32:
    """Return the places `(K, 2)` of a curve's keys, or of their handles on one side: LEFT, KEY or RIGHT."""
    values = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get(PLACES[place], values)
    return values.reshape(-1, 2)


def write_keys(curve: FCurve, table: KeyTable) -> None:
    """Replace the keys of a curve; Blender then computes automatic handles.

    Blender would merge keys that lie on one frame. A curve with such keys gets exactly those of the table instead.
    """
    write_exactly(curve, table)
    settle(curve)
    if len(curve.keyframe_points) != len(table.times):
        write_exactly(curve, table)


def write_exactly(curve: FCurve, table: KeyTable) -> None:
    """Replace the keys of a curve, with all handles as they are in the table."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(table.times))
    # The key is set first, since Blender moves the handles with it.
    for place in (KEY, LEFT, RIGHT):
        points.foreach_set(PLACES[place], np.ascontiguousarray(table.places[:, place], np.float32).ravel())
    for name, (kind, _) in MARKS.items():
        points.foreach_set(name, np.ascontiguousarray(table.marks[name], kind))


def lay_handles(curve: FCurve, table: KeyTable) -> None:
    """Set the handles and handle types of a curve's keys from a table with the same number of keys."""
    points = curve.keyframe_points
    for name in ("handle_left_type", "handle_right_type"):
        points.foreach_set(name, np.ascontiguousarray(table.marks[name], np.uint8))
    for place in (LEFT, RIGHT):
        points.foreach_set(PLACES[place], np.ascontiguousarray(table.places[:, place], np.float32).ravel())
    settle(curve)
