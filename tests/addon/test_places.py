# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the agents of a crowd stand: the right number, apart, on what they were to stand on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genmm_addon.crowd.places import along, grid, on_triangles

SQUARE = np.array([[[0.0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]])


def nearest(points: np.ndarray) -> float:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points))
    return float(apart.min())


@given(st.integers(1, 200), st.floats(0.1, 10), st.integers(1, 30), st.floats(0, 1), st.integers(0, 99))
def test_a_grid_keeps_its_distance(count: int, spacing: float, columns: int, scatter: float, seed: int) -> None:
    places = grid(count, spacing, columns, scatter, np.random.default_rng(seed))
    assert places.positions.shape == (count, 3)
    assert abs(np.ptp(places.positions[:, 0])) <= (min(columns, count) - 1 + scatter) * spacing + 1e-9
    if count > 1:
        assert nearest(places.positions) >= (1 - scatter) * spacing - 1e-9


@given(st.integers(2, 60), st.booleans())
def test_along_a_line_all_gaps_are_the_same(count: int, closed: bool) -> None:
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    points = np.column_stack((5 * np.cos(angles), 5 * np.sin(angles), 0 * angles))
    places = along(points if closed else points[:200], closed, count)
    gaps = np.linalg.norm(np.diff(places.positions, axis=0), axis=1)
    assert np.ptp(gaps) < 0.03 * gaps.mean() + 1e-9
    # On a circle whoever walks along looks a right angle away from the center.
    around = np.arctan2(places.positions[:, 1], places.positions[:, 0])
    inner = places.directions[1:-1] - around[1:-1]
    assert np.allclose(np.cos(inner), 0.0, atol=0.05) and np.all(np.sin(inner) > 0)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 80), st.floats(0.0, 3.0), st.integers(0, 99))
def test_on_a_surface_everyone_has_a_place(count: int, spacing: float, seed: int) -> None:
    places = on_triangles(SQUARE, count, spacing, np.random.default_rng(seed))
    assert places.positions.shape == (count, 3)
    assert np.all((places.positions >= 0) & (places.positions <= 1))
    assert count == 1 or len(np.unique(places.positions, axis=0)) == count


def test_on_a_surface_with_room_nobody_is_nearer_than_asked() -> None:
    places = on_triangles(50 * SQUARE, 100, 2.0, np.random.default_rng(0))
    assert nearest(places.positions) >= 2.0


def test_larger_triangles_hold_more() -> None:
    corners = np.concatenate((SQUARE[:1], 3 * SQUARE[:1] + (10, 0, 0)))
    places = on_triangles(corners, 1000, 0.0, np.random.default_rng(0))
    assert np.mean(places.positions[:, 0] >= 10) == pytest.approx(0.9, abs=0.05)
