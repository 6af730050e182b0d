# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes between the left and the right of a pose, and the asymmetry of a pose about them."""

import numpy as np

from ..arrays import Array
from . import rotations
from .piecewise import PAIRED

FLATNESS = 0.3
"""Weight of the mean distance from the plane: of two equally symmetric planes, the one with more beside it counts."""
BESIDE = 0.015
"""Smallest distance of left and right joints from the plane, as a share of the skeleton's size."""


def upright_normals(up: tuple[float, float, float]) -> list[Array]:
    """Return the unit normals of upright planes, evenly spread."""
    first, second = rotations.ground_axes(up)
    angles = np.linspace(0.0, np.pi, rotations.HEADINGS, endpoint=False)
    return list(np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)


def beside_plane(positions: Array, normal: Array) -> Array:
    """Return the distances `(J,)` of joints, with their sides' signs, from the plane through their middle."""
    along = positions @ normal
    return np.asarray(along - np.median(along))


def asymmetry(positions: Array, normal: Array) -> float:
    """Return the mean distance of reflected joints to the nearest joint, less a reward for joints beside the plane."""
    beside = beside_plane(positions, normal)
    mirrored = (positions - 2.0 * beside[:, None] * normal)[:: -(-len(positions) // PAIRED)]
    squares = (positions**2).sum(axis=1)
    squared = (mirrored**2).sum(axis=1)[:, None] + squares - 2.0 * mirrored @ positions.T
    nearest = np.sqrt(np.maximum(squared.min(axis=1), 0.0))
    return float(nearest.mean() - FLATNESS * np.abs(beside).mean())
