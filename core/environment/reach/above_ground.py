# SPDX-License-Identifier: GPL-3.0-or-later
"""Places moved to level ground, on which motion is planned, with their heights above the ground under them kept."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Float64
from .. import Surface
from .reach import Reach

AROUND = 0.25
"""Radius around a place, as a share of the size, in which the ground counts too: the body stands beside its hand."""


def on_level_ground(
    reaches: Sequence[Reach], up: tuple[float, float, float], climb: Callable[[Float64], Float64]
) -> tuple[Reach, ...]:
    """Return the places with the climb of the ground subtracted from their heights.

    climb: function from positions `(K, 3)` to the additional height `(K,)` of the ground there.

    >>> place = Reach(1, np.array([True]), np.array([[0.0, 0.0, 3.0]]))
    >>> on_level_ground([place], (0.0, 0.0, 1.0), lambda places: np.full(len(places), 2.0))[0].positions.tolist()
    [[0.0, 0.0, 1.0]]
    """
    leveled = []
    for reach in reaches:
        positions = reach.positions.copy()
        places = positions[reach.active]
        positions[reach.active] = places - climb(places)[:, None] * np.array(up)
        leveled.append(replace(reach, positions=positions))
    return tuple(leveled)


def climb_of_surface(surface: Surface, level: float, size: float, positions: Float64) -> Float64:
    """Return the mean height `(K,)` of a surface above `level`, under and around positions `(K, 3)`; 0 beyond it.

    level: the height of the examples' ground, along up. size: of the skeleton.

    >>> from genmm_addon.core.environment import make_surface
    >>> square = np.array([[[-9, -9, 2], [9, -9, 2], [9, 9, 2]]], float)
    >>> climb_of_surface(make_surface(square, (0.0, 0.0, 1.0)), 0.5, 1.0, np.array([[3.0, 0.0, 4.0]])).round(6).tolist()
    [1.5]
    """
    around = AROUND * size * np.concatenate((np.zeros((1, 2)), np.eye(2), -np.eye(2)))
    points = surface.to_ground(positions)
    places = (points[:, None, :2] + around).reshape(-1, 2)
    under = surface.heights(places, np.repeat(points[:, 2], len(around))).reshape(len(points), -1)
    known = np.isfinite(under)
    total = np.where(known, under - level, 0.0).sum(axis=1)
    return np.asarray(total / np.maximum(known.sum(axis=1), 1))
