# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces: the floor below the feet, from any direction of approach."""

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core import InputError
from genmm_addon.core.environment import make_surface

UP = (0.0, 0.0, 1.0)
Array = NDArray[np.float64]


def square(height: float, half: float = 5.0) -> Array:
    corners = np.array([[-half, -half, height], [half, -half, height], [half, half, height], [-half, half, height]])
    return np.array([corners[[0, 1, 2]], corners[[0, 2, 3]]])


def test_a_height_is_that_of_the_triangle_at_the_place() -> None:
    rng = np.random.default_rng(3)
    heights = rng.uniform(-1, 1, (9, 9))
    line = np.arange(9.0)
    grid = np.stack(np.broadcast_arrays(line[:, None], line[None], heights), axis=-1)
    lower = np.stack((grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:]), axis=2).reshape(-1, 3, 3)
    upper = np.stack((grid[:-1, :-1], grid[1:, 1:], grid[:-1, 1:]), axis=2).reshape(-1, 3, 3)
    surface = make_surface(np.concatenate((lower, upper)), UP)
    weights = rng.dirichlet((1, 1, 1), len(lower))
    points = np.einsum("mk,mka->ma", weights, lower)
    there = surface.to_ground(points)
    found = surface.heights(there[:, :2], np.full(len(there), 9.0))
    assert np.allclose(found, points[:, 2], atol=1e-9)


def test_of_two_floors_it_is_the_one_that_one_stands_on() -> None:
    surface = make_surface(np.concatenate((square(0.0), square(3.0))), UP)
    places = np.zeros((3, 2)) + 0.3
    assert surface.heights(places, np.array([0.5, 3.2, -1.0])).tolist() == [0.0, 3.0, 0.0]


def test_surface_has_no_floor_on_undersides_or_beside_the_mesh() -> None:
    block = np.concatenate((square(1.0), square(0.0)[:, ::-1]))
    surface = make_surface(block, UP)
    assert surface.heights(np.array([[0.0, 0.0]]), np.array([0.2])).tolist() == [1.0]
    assert np.isnan(surface.heights(np.array([[6.0, 0.0]]), np.array([5.0]))).all()


def test_a_mesh_of_walls_is_refused() -> None:
    wall = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 2.0]]])
    with pytest.raises(InputError, match="no face that looks up or down"):
        make_surface(wall, UP)
