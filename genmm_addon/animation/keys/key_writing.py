# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys written into F-curves in bulk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...core.keys import Keys

GENERATED = 5
"""The type of keys that a program made."""
BEZIER = 2
FREE, ALIGNED = 0, 3
"""Handle types, as Blender numbers them."""
THIRD = 1.0 / 3.0
"""Handles so far along a segment make its time even, so that the curve is a cubic of the frame."""
UNSMOOTHED = 0
"""No smoothing of automatic handles, as Blender numbers it."""


@contextmanager
def handles_unsmoothed(curves: Any) -> Iterator[None]:
    """Have Blender lay the automatic handles of a collection of curves by their neighbors alone, within the block.

    Smoothing them along whole curves takes as long as all else about keys, and between straight lines no handle is
    seen. Each curve keeps its setting, so that handles are smoothed as ever by the first edit.
    """
    settings = np.empty(len(curves), np.uint8)
    curves.foreach_get("auto_smoothing", settings)
    curves.foreach_set("auto_smoothing", np.full(len(curves), UNSMOOTHED, np.uint8))
    try:
        yield
    finally:
        curves.foreach_set("auto_smoothing", settings)


class KeyWriter:
    """Writes curves in bulk, with buffers that last from curve to curve of the same length."""

    def __init__(self, kind: int = GENERATED) -> None:
        """kind: the type that the keys get."""
        self._kind = kind
        self._keys = np.empty(0, np.float32)
        self._kinds = np.empty(0, np.uint8)
        self._types = np.empty(0, np.uint8)

    def write(
        self, curve: FCurve, times: NDArray[np.floating], values: NDArray[np.floating], interpolation: int
    ) -> None:
        """Key an empty curve at `times` `(K,)` with `values` `(K,)`."""
        self._add(curve, times, values, interpolation)
        curve.update()

    def write_bezier(self, curve: FCurve, times: NDArray[np.floating], keys: Keys, column: int) -> None:
        """Key an empty curve at `times` `(K,)` with one column of keys, and lay its handles along their slopes."""
        self._add(curve, times, keys.values[:, column], BEZIER)
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
        curve.update()

    def _add(
        self, curve: FCurve, times: NDArray[np.floating], values: NDArray[np.floating], interpolation: int
    ) -> None:
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


def _pairs(times: NDArray[np.floating], values: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.stack((times, values), axis=1).astype(np.float32).ravel()
