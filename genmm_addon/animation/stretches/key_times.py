# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames at which an action has keys, and the range that an animator means by them."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ..curves import collect_curves
from .key_tables import ON_KEY, read_keys

Float64 = NDArray[np.float64]


def key_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames `(K,)` at which the character's bones or itself have keys, ascending."""
    return _distinct([read_keys(curve).times for curve in _transforms(armature, action, slot)])


def selected_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the same of the keys that are selected."""
    tables = [read_keys(curve) for curve in _transforms(armature, action, slot)]
    return _distinct([table.times[table.marks["select_control_point"]] for table in tables])


def keys_around(times: Float64, frame: float) -> tuple[float, float] | None:
    """Return the key at a frame or before it and the next one after it; None where one of them is missing.

    >>> keys_around(np.array([1.0, 20.0, 40.0]), 20.0)
    (20.0, 40.0)
    """
    after = int(np.searchsorted(times, frame + ON_KEY, side="right"))
    return None if after in (0, len(times)) else (float(times[after - 1]), float(times[after]))


def _transforms(armature: Object, action: Action, slot: str) -> list[FCurve]:
    transforms = collect_curves(armature, action, slot).transforms
    return [curve for joints in transforms.values() for components in joints.values() for curve in components.values()]


def _distinct(times: Iterable[Float64]) -> Float64:
    found = np.unique(np.concatenate([*times, np.empty(0)]))
    found = found[np.isfinite(found)]
    return np.asarray(found[np.diff(found, prepend=-np.inf) > ON_KEY])
