# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of a rotation chosen to continue existing ones: signs of quaternions, whole turns of Euler angles."""

import numpy as np

from ...core import Array, Float64
from ..rotation_modes import AXIS_ANGLE, QUATERNION

TURN = 2 * np.pi


def continued(mode: str, values: Array, start: Array) -> Float64:
    """Return the same rotations `(T, C)` in numbers that begin nearest to `start` `(C,)`, a form of the first rotation.

    The values must be continuous in time, and so is the result.

    >>> continued("XYZ", np.zeros((2, 3)), np.array([2 * np.pi, 0.0, 0.0]))[1].round(3).tolist()
    [6.283, 0.0, 0.0]
    """
    candidates = [_whole_turns(mode, form, start) for form in _ways(mode, np.asarray(values, np.float64))]
    return min(candidates, key=lambda candidate: float(np.abs(candidate[0] - start).sum()))


def meets(mode: str, values: Array, end: Array) -> bool:
    """Return whether a line may connect numbers `(C,)` of a rotation to `end` `(C,)`, less than a quarter turn away."""
    if mode == QUATERNION:
        return float(np.dot(values, end)) >= 0
    return float(np.abs(np.asarray(values) - end).max()) < TURN / 4


def _ways(mode: str, values: Float64) -> list[Float64]:
    """Return the sets of numbers that represent the same rotations, apart from whole turns."""
    if mode in (QUATERNION, AXIS_ANGLE):
        return [values, -values]
    first, second, third = ("XYZ".index(axis) for axis in mode)
    other = values.copy()
    other[:, [first, third]] += np.pi
    other[:, second] = np.pi - other[:, second]
    return [values, other]


def _whole_turns(mode: str, values: Float64, start: Array) -> Float64:
    if mode == QUATERNION:
        return values
    turned = np.arange(values.shape[1]) < (1 if mode == AXIS_ANGLE else values.shape[1])
    return values + np.where(turned, TURN * np.round((start - values[0]) / TURN), 0.0)
