# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion between Blender's rotation modes and unit quaternions, without flips over time.

Modes are "QUATERNION" (w, x, y, z), "AXIS_ANGLE" (angle, x, y, z) and the six Euler orders, whose angles are stored as
x, y, z and applied in the order's sequence ("XYZ": about X first).
"""

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from ..core import Array, Int64, Mask, rotations

QUATERNION = "QUATERNION"
AXIS_ANGLE = "AXIS_ANGLE"
EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
NUMBERS = MappingProxyType({AXIS_ANGLE: -1, QUATERNION: 0, **{mode: n for n, mode in enumerate(EULER_ORDERS, 1)}})
"""The numbers by which F-curves represent the modes."""
SINGULAR = 1e-6
"""Cosine of the middle angle below which the outer two angles of an Euler rotation have the same axis."""


def property_of(mode: str) -> str:
    """Return the property in which a bone or object stores a rotation in this mode."""
    return {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}.get(mode, "rotation_euler")


def mode_of(value: float) -> str:
    """Return the rotation mode that a curve's value represents; Blender reads an unknown number as QUATERNION."""
    number = int(value) if math.isfinite(value) else 0
    return next((mode for mode, known in NUMBERS.items() if known == number), QUATERNION)


def width_of(mode: str) -> int:
    """Return the number of components of a rotation in this mode."""
    return 4 if mode in (QUATERNION, AXIS_ANGLE) else 3


def to_quaternions(mode: str, values: Array) -> Array:
    """Return unit quaternions `(..., 4)` of rotations `(..., 3 or 4)`, as Blender interprets them; NaN stays NaN."""
    if mode == QUATERNION:
        return _normalized(values, (0.0, 1.0, 0.0, 0.0))  # Blender's interpretation of four zeros
    if mode == AXIS_ANGLE:
        axes = _normalized(values[..., 1:], (0.0, 0.0, 0.0))
        still = np.all(axes == 0.0, axis=-1)
        return rotations.from_axis_angle(axes, np.where(still, 0.0, values[..., 0]).astype(values.dtype))
    half = values * 0.5
    cosines, sines = np.cos(half), np.sin(half)
    result = _about(mode[0], cosines, sines)
    for axis in mode[1:]:
        result = rotations.multiply(_about(axis, cosines, sines), result)
    return result


def from_quaternions(mode: str, quaternions: Array) -> Array:
    """Return rotations `(T, B, 3 or 4)` of unit quaternions `(T, B, 4)`, each nearest to the one before.

    In memory, the values of each component are contiguous, as F-curves need them.
    """
    rows = np.ascontiguousarray(np.moveaxis(quaternions, 0, -1))
    if mode == QUATERNION:
        result = _steady(rows)
        result *= np.where(result[:, :1, :1] < 0, -1.0, 1.0).astype(rows.dtype)
    else:
        exact = rows.astype(np.float64)
        # Quaternions must have exactly unit length, or the outer angles are wrong near gimbal lock.
        exact /= np.sqrt(np.sum(exact * exact, axis=1, keepdims=True))
        result = _axis_angles(exact) if mode == AXIS_ANGLE else _euler_angles(mode, exact)
    return np.moveaxis(result, -1, 0)


def _normalized(vectors: Array, of_zero: tuple[float, ...]) -> Array:
    norms = np.sqrt(np.sum(vectors * vectors, axis=-1, keepdims=True))
    zero = norms == 0.0
    units: Array = vectors / np.where(zero, 1, norms).astype(vectors.dtype)
    return np.where(zero, np.array(of_zero, vectors.dtype), units) if zero.any() else units


def _about(axis: str, cosines: Array, sines: Array) -> Array:
    column = "XYZ".index(axis)
    result = np.zeros((*cosines.shape[:-1], 4), cosines.dtype)
    result[..., 0] = cosines[..., column]
    result[..., 1 + column] = sines[..., column]
    return result


def _steady(rows: Array) -> Array:
    """Return quaternions `(B, W, T)` with signs such that neighbors in time are never opposite."""
    opposed = np.sum(rows[..., 1:] * rows[..., :-1], axis=1) < 0
    signs = np.ones((len(rows), 1, rows.shape[-1]), rows.dtype)
    signs[:, 0, 1:][np.logical_xor.accumulate(opposed, axis=-1)] = -1
    return rows * signs


def _unwound(angles: Array) -> Array:
    """Return angles `(..., T)` shifted by whole turns so that no step is longer than half a turn."""
    turns = np.cumsum(np.round(np.diff(angles, axis=-1) / (2 * np.pi)), axis=-1)
    result = angles.copy()
    result[..., 1:] -= 2 * np.pi * turns
    return result


def _axis_angles(rows: Array) -> Array:
    lengths = np.sqrt(np.sum(rows[:, 1:] ** 2, axis=1))
    turned = lengths > 1e-7
    # The identity has no axis: it takes the axis of the frame before it, or at the start the first axis that there is.
    source = _last_true(turned)
    source = np.where(source < 0, np.argmax(turned, axis=-1)[:, None], source)
    axes: Array = rows[:, 1:] / np.where(turned, lengths, 1.0)[:, None]
    axes = np.take_along_axis(axes, source[:, None], axis=-1)
    axes[~turned.any(axis=-1)] = np.array([0.0, 1.0, 0.0])[:, None]
    axes = _steady(axes)
    halves = np.arctan2(np.sum(axes * rows[:, 1:], axis=1), rows[:, 0])
    return np.concatenate((_unwound(2.0 * halves)[:, None], axes), axis=1)


def _euler_angles(order: str, rows: Array) -> Array:
    i, j, k = ("XYZ".index(axis) for axis in order)
    across, along = _element(rows, j, i), _element(rows, i, i)
    cosine = np.hypot(along, across)
    singular = cosine < SINGULAR
    first = np.arctan2(_element(rows, k, j), _element(rows, k, k))
    if singular.any():
        first = np.where(singular, np.arctan2(-_element(rows, j, k), _element(rows, j, j)), first)
    second = np.arctan2(-_element(rows, k, i), cosine)
    third = np.where(singular, 0.0, np.arctan2(across, along))
    steady = _nearest_angles((first, second, third), singular)
    # The formulas are for the cyclic orders; the others are their mirror image.
    sign = 1.0 if order in ("XYZ", "YZX", "ZXY") else -1.0
    result = np.empty((len(rows), 3, rows.shape[-1]))
    for axis, angles in zip((i, j, k), steady, strict=True):
        np.multiply(_unwound(angles), sign, out=result[:, axis])
    return result


def _element(rows: Array, row: int, column: int) -> Array:
    """Return one element `(B, T)` of the rotation matrices of unit quaternions `(B, 4, T)`."""
    vector = rows[:, 1:]
    if row == column:
        before, after = vector[:, row - 2], vector[:, row - 1]
        return 1.0 - 2.0 * (before * before + after * after)
    third = rows[:, 0] * vector[:, 3 - row - column]
    product = vector[:, row] * vector[:, column]
    return 2.0 * (product - third if (column - row) % 3 == 1 else product + third)


Angles = tuple[Array, Array, Array]


def _nearest_angles(angles: Angles, singular: Mask) -> Angles:
    """Return, for every frame, the set of angles `(B, T)` of two that is nearest to the frame before.

    The first frame has the set with the smaller angles, so that half a turn about the middle axis is not half a turn
    about each of the others. The distances between the sets of two frames depend only on whether the set is changed, so
    all changes are found at once.
    """
    first, second, third = angles
    other = (_short(first + np.pi), _short(np.pi - second), _short(third + np.pi))
    source = np.full(first.shape, -1)
    source[:, 1:] = _last_true(~singular[:, :-1])
    before = [np.take_along_axis(each, np.maximum(source, 0), axis=-1) for each in angles]
    nearer = _turn_distance(other, before) < _turn_distance(angles, before)
    changes = nearer & ~singular & (source >= 0)
    if changes.shape[-1]:
        changes[:, 0] = _turned(other)[:, 0] < _turned(angles)[:, 0]
    use_other = np.logical_xor.accumulate(changes, axis=-1)
    chosen = [np.where(use_other, alternative, given) for alternative, given in zip(other, angles, strict=True)]
    if singular.any():
        # The outer angles have one axis: the third keeps its value, and the first compensates.
        kept = np.take_along_axis(chosen[2], np.maximum(_last_true(~singular), 0), axis=-1)
        chosen[0] = np.where(singular, first + np.sign(second) * kept, chosen[0])
        chosen[1] = np.where(singular, second, chosen[1])
        chosen[2] = np.where(singular, kept, chosen[2])
    return chosen[0], chosen[1], chosen[2]


def _short(angles: Array) -> Array:
    return angles - 2 * np.pi * np.round(angles / (2 * np.pi))


def _turned(angles: Angles) -> Array:
    """Return the sums `(B, T)` of squared angles, each the short way round."""
    return _turn_distance(angles, [np.zeros_like(each) for each in angles])


def _turn_distance(left: Sequence[Array], right: Sequence[Array]) -> Array:
    total = np.zeros_like(left[0])
    for angle, other_angle in zip(left, right, strict=True):
        difference = _short(angle - other_angle)
        total += difference * difference
    return total


def _last_true(mask: Mask) -> Int64:
    """Return, for each frame of `mask` `(B, T)`, the last frame up to it that is True; -1 if none is."""
    return np.maximum.accumulate(np.where(mask, np.arange(mask.shape[-1]), -1), axis=-1)
