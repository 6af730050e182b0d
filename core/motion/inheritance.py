# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of joints that inherit all, part, or none of their parents' scale, as Blender's bones do.

Matrices have their entries first, `(3, 3, T)`, with the axes of a joint as their columns.
"""

from enum import IntEnum

import numpy as np

from ..arrays import Float64

Axes = Float64

SHEARED = 1e-4
"""Smallest cosine between two axes that counts as shear, as in Blender."""


class Inheritance(IntEnum):
    """The part of its parent's scale that a joint inherits, with the names of Blender's `Bone.inherit_scale`.

    >>> Inheritance["NONE"] is Inheritance.NONE
    True
    """

    FULL = 0
    FIX_SHEAR = 1
    ALIGNED = 2
    AVERAGE = 3
    NONE = 4
    NONE_LEGACY = 5


def inheriting(kind: Inheritance, above: Axes, rest_axes: Axes, animated: Axes) -> Axes:
    """Return a joint's axes, given those of its parent.

    rest_axes: its axes at rest, relative to the parent's. animated: its rotation times its scale.

    >>> twice, turn = np.eye(3)[..., None] * 2.0, np.eye(3)[..., None]
    >>> inheriting(Inheritance.FULL, twice, turn, turn)[0, 0], inheriting(Inheritance.NONE, twice, turn, turn)[0, 0]
    (array([2.]), array([1.]))
    """
    if kind is Inheritance.FULL:
        return _product(_product(above, rest_axes), animated)
    if kind is Inheritance.FIX_SHEAR:
        return _product(_unsheared(_product(above, rest_axes)), animated)
    if kind is Inheritance.NONE_LEGACY:
        return _product(_product(above / _lengths(above), rest_axes), animated)
    if kind is Inheritance.ALIGNED:
        unsheared = _unsheared(above)
        lengths = _lengths(unsheared)
        return _product(_product(unsheared / lengths, rest_axes), animated) * lengths
    unsheared = _unsheared(above)
    axes = _product(_product(unsheared / _lengths(unsheared), rest_axes), animated)
    return axes * np.cbrt(np.abs(_volume(above))) if kind is Inheritance.AVERAGE else axes


def _unsheared(axes: Axes) -> Axes:
    """Return axes at right angles, with the Y axis as it was and the others moved as little as possible."""
    along = axes[:, 1]
    square = _dot(along, along)
    other, last = (axes[:, column] - along * _ratio(_dot(axes[:, column], along), square) for column in (2, 0))
    sizes = [np.sqrt(_dot(axis, axis)) for axis in (other, last)]
    other, last = (_ratio(axis, size) for axis, size in zip((other, last), sizes, strict=True))
    cosine = _dot(other, last)
    is_sheared = (np.abs(cosine) > SHEARED) & (np.abs(cosine) < 1.0)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    aim = (angle + np.pi / 2) / 2
    across = other - last * cosine
    across = across * _ratio(np.sin(aim), np.sqrt(_dot(across, across))) + last * np.cos(aim)
    beside = np.cross(np.cross(across, last, axis=0), across, axis=0)
    beside = _ratio(beside, np.sqrt(_dot(beside, beside)))
    factor = np.where(is_sheared, np.sqrt(np.sin(angle)), 1.0)
    other, last = np.where(is_sheared, across, other), np.where(is_sheared, beside, last)
    return np.stack((last * factor * sizes[1], along, other * factor * sizes[0]), axis=1)


def _lengths(axes: Axes) -> Axes:
    """Return the lengths `(3, T)` of the axes; 1 for an axis without length."""
    lengths = np.sqrt((axes**2).sum(axis=0))
    return np.where(lengths > 0, lengths, 1.0)


def _volume(axes: Axes) -> Axes:
    return np.asarray(_dot(axes[:, 0], np.cross(axes[:, 1], axes[:, 2], axis=0)))


def _dot(left: Axes, right: Axes) -> Axes:
    return np.asarray((left * right).sum(axis=0))


def _ratio(values: Axes, divisors: Axes) -> Axes:
    return np.asarray(values / np.where(divisors == 0, 1.0, divisors))


def _product(left: Axes, right: Axes) -> Axes:
    return np.asarray(np.einsum("ijt,jkt->ikt", left, right))
