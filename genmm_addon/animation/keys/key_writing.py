# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of keys into F-curves in bulk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from bpy.types import FCurve, Object

from ...core import Array, Float32
from ...core.keys import Keys
from ..sampling import BEZIER, CONSTANT

KEYFRAME, GENERATED = 0, 5
"""Types of keys that an animator sets and of generated keys, as Blender numbers them."""
KEY_BYTES = 72.0
"""Bytes of a keyframe in Blender (BezTriple)."""
KEY_COPIES = 2
"""Copies of each keyframe: in the file's data and in the evaluated copy; with a window, undo steps add more."""
FREE, ALIGNED, AUTO_CLAMPED = 0, 3, 4
"""Types of handles, as Blender numbers them; with the last, curves never overshoot their keys."""
MOST_UPDATES = 16
"""Largest number of updates until handles stay; four are usual, and rounding might alternate."""
THIRD = 1.0 / 3.0
"""Share of a segment's duration at which its handles are: time is then linear, and the curve is a cubic of the frame.
"""


@contextmanager
def handles_unsmoothed(curves: Any) -> Iterator[None]:
    """Within the block, make Blender compute the automatic handles of curves from the neighboring keys alone.

    Smoothing handles along whole curves takes as long as all other work on keys, and handles do not matter between
    straight lines. Each curve gets its setting back, so that the first edit smooths its handles as usual.
    """
    settings = np.empty(len(curves), np.uint8)
    curves.foreach_get("auto_smoothing", settings)
    curves.foreach_set("auto_smoothing", np.zeros_like(settings))  # the number of None
    try:
        yield
    finally:
        curves.foreach_set("auto_smoothing", settings)


class KeyWriter:
    """Writer of curves in bulk, with buffers that are reused for curves of the same length."""

    def __init__(self, kind: int = GENERATED) -> None:
        """Prepare for keys of the type `kind`."""
        self._kind = kind
        self._keys = np.empty(0, np.float32)
        self._kinds = np.empty(0, np.uint8)
        self._types = np.empty(0, np.uint8)

    def write(self, curve: FCurve, times: Array, values: Array, interpolation: int) -> None:
        """Write keys at `times` `(K,)` with `values` `(K,)` into an empty curve."""
        self._add(curve, times, values, interpolation)
        curve.update()

    def write_bezier(self, curve: FCurve, times: Array, keys: Keys, column: int) -> None:
        """Write one column of keys at `times` `(K,)` into an empty curve, with handles along the keys' slopes."""
        self._add(curve, times, keys.values[:, column], BEZIER)
        if keys.stepped.any():
            kinds = np.where(keys.stepped, CONSTANT, BEZIER).astype(np.uint8)
            curve.keyframe_points.foreach_set("interpolation", kinds)
        points = curve.keyframe_points
        spans = np.diff(times) * THIRD if len(times) > 1 else np.ones(1)
        before = np.concatenate((spans[:1], spans)) if len(times) > 1 else spans
        after = np.concatenate((spans, spans[-1:])) if len(times) > 1 else spans
        arriving, leaving = keys.arriving[:, column], keys.leaving[:, column]
        values = keys.values[:, column]
        points.foreach_set("handle_left", _pairs(times - before, values - arriving * before))
        points.foreach_set("handle_right", _pairs(times + after, values + leaving * after))
        types = np.where(arriving == leaving, ALIGNED, FREE).astype(np.uint8)
        points.foreach_set("handle_left_type", types)
        points.foreach_set("handle_right_type", types)
        settle(curve)

    def _add(self, curve: FCurve, times: Array, values: Array, interpolation: int) -> None:
        count = len(times)
        if len(self._kinds) != count:
            self._keys = np.empty(2 * count, np.float32)
            self._kinds = np.empty(count, np.uint8)
            self._types = np.full(count, self._kind, np.uint8)
        self._keys[0::2] = times
        self._keys[1::2] = values
        self._kinds[:] = interpolation
        points = curve.keyframe_points
        points.add(count)
        points.foreach_set("co", self._keys)
        points.foreach_set("interpolation", self._kinds)
        points.foreach_set("type", self._types)


def settle(curve: FCurve) -> None:
    """Update a curve, if it has aligned handles until these stay: each update aligns them to another rounding at first.

    Fingerprints of keys, which cover aligned handles, would otherwise change with Blender's next update.
    """
    curve.update()
    points, before = curve.keyframe_points, b""
    types = np.empty((2, len(points)), np.uint8)
    points.foreach_get("handle_left_type", types[0])
    points.foreach_get("handle_right_type", types[1])
    if not (types == ALIGNED).any():
        return
    handles = np.empty((2, 2 * len(points)), np.float32)
    for _ in range(MOST_UPDATES):
        curve.update()
        points.foreach_get("handle_left", handles[0])
        points.foreach_get("handle_right", handles[1])
        if handles.tobytes() == before:
            return
        before = handles.tobytes()


def _pairs(times: Array, values: Array) -> Float32:
    return np.stack((times, values), axis=1).astype(np.float32).ravel()


def key_location(thing: Object) -> None:
    """Key the location of an object at the current frame."""
    thing.keyframe_insert("location")
