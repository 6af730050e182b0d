# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a layer: the difference of two actions, such that Blender's Add strip gives their sum on every frame.

Blender adds the numbers of a quaternion one by one and normalizes afterwards, so the difference is taken by number,
between quaternions of the same sign, and all four are keyed; half the influence then plays the normalized mean.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from bpy.types import Action, FCurve

from ...core import Float64, InputError
from ..actions import curve_factory, fcurves_of
from ..sampling import CurveSampler
from ..stretches.checks import title_of
from ..stretches.key_tables import new_keys, read_keys, write_exactly, write_keys

DEFAULTS: Mapping[str, Sequence[float]] = {
    "location": (0.0, 0.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
}
"""The values to which Blender adds where nothing below the strip animates a channel."""

QUATERNION = "rotation_quaternion"
Curves = dict[str, dict[int, FCurve]]


def write_difference(base: Action, slot: str, total: Action, layer: Action, layer_slot: str) -> None:
    """Replace the keys of a layer by the difference of `total` and `base`, on the frames where they differ.

    Raises InputError, with nothing changed, where `total` moves a channel that has no default value, or lacks one.
    """
    below, above = _by_path(fcurves_of(base, slot)), _by_path(fcurves_of(total, slot))
    for path, curves in below.items():
        if curves.keys() - above.get(path, {}).keys():
            raise InputError(f"The edit removes keys of {title_of(path)}, which a layer cannot; edit In Action.")
    for path in above.keys() - below.keys():
        if path.rpartition(".")[2] not in DEFAULTS:
            raise InputError(f"The edit adds keys of {title_of(path)}; key it in the action, or edit In Action.")
    factory = curve_factory(layer, layer_slot)
    factory.fcurves.clear()
    groups = {curve.data_path: curve.group.name for curve in fcurves_of(total, slot) if curve.group}
    for path, curves in above.items():
        times = _times([*curves.values(), *below.get(path, {}).values()])
        difference = _difference(path, curves, below.get(path), times)
        moved = difference != 0.0
        if path.endswith(QUATERNION):
            # Blender adds the default of a number that the strip does not key, so all four are.
            moved[:] = moved.any(axis=1, keepdims=True)
        if path not in below:
            moved[:] = True
        # Zeros on both sides keep the base exact outside.
        kept = moved.copy()
        kept[:-1] |= moved[1:]
        kept[1:] |= moved[:-1]
        for column, index in enumerate(curves):
            rows = kept[:, column]
            if rows.any():
                curve = factory.new(path, index, groups.get(path, ""))
                write_keys(curve, new_keys(times[rows], difference[rows, column]))
        if path.endswith(QUATERNION) and kept.any():
            for index in set(range(4)) - curves.keys():
                write_keys(factory.new(path, index, groups.get(path, "")), new_keys(times[:1], np.zeros(1)))


def write_sum(base: Action, slot: str, total: Action, layer: Action, layer_slot: str) -> None:
    """Make `total` the base with the layer's keys added, on every frame from a curve's first key to its last."""
    added = _by_path(fcurves_of(layer, layer_slot))
    known = _by_path(fcurves_of(base, slot))
    present = _by_path(fcurves_of(total, slot))
    factory = curve_factory(total, slot)
    for path in present.keys() - known.keys() - added.keys():
        for curve in present[path].values():
            factory.fcurves.remove(curve)
    for path in {**known, **added}:
        for index in {**known.get(path, {}), **added.get(path, {})}:
            below, above = known.get(path, {}).get(index), added.get(path, {}).get(index)
            curve = present.get(path, {}).get(index) or factory.new(path, index)
            if above is None and below is not None:
                write_exactly(curve, read_keys(below))
            elif above is not None:
                times = _times([curve for curve in (below, above) if curve is not None])
                sampler = CurveSampler(times)
                values = _default(path, index) if below is None else sampler.sample(below)
                write_keys(curve, new_keys(times, values + sampler.sample(above)))


def _by_path(curves: Sequence[FCurve]) -> Curves:
    known: Curves = {}
    for curve in curves:
        if not curve.is_empty:
            known.setdefault(curve.data_path, {})[curve.array_index] = curve
    return known


def _times(curves: Sequence[FCurve]) -> Float64:
    """Return the whole frames that curves last, and the times of their keys."""
    keys = np.concatenate([read_keys(curve).times for curve in curves])
    return np.unique(np.concatenate([np.arange(np.floor(keys.min()), np.ceil(keys.max()) + 1.0), keys]))


def _default(path: str, index: int) -> float:
    return DEFAULTS.get(path.rpartition(".")[2], (0.0,) * (index + 1))[index]


def _difference(path: str, curves: dict[int, FCurve], below: dict[int, FCurve] | None, times: Float64) -> Float64:
    """Return the difference `(T, C)` of a property's curves."""
    sampler = CurveSampler(times)
    total = np.stack([sampler.sample(curve) for curve in curves.values()], axis=1).astype(np.float64)
    base = np.empty_like(total)
    for column, index in enumerate(curves):
        curve = None if below is None else below.get(index)
        base[:, column] = _default(path, index) if curve is None else sampler.sample(curve)
    if path.endswith(QUATERNION):
        total[(total * base).sum(axis=1) < 0.0] *= -1.0
    difference = total - base
    if path.endswith("rotation_euler"):
        difference -= 2.0 * np.pi * np.round(difference / (2.0 * np.pi))
    return difference
