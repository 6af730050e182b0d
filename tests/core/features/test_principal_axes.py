# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal axes: perpendicular to each other, with the largest variance first, in memory that stays bounded."""

import tracemalloc

import numpy as np
import pytest

from genmm_addon.core.features import principal_axes
from genmm_addon.core.features.principal_axes import MOST_COLUMNS, axes_of_products

RANDOM = np.random.default_rng(3)


def test_axes_are_at_right_angles_and_the_largest_variance_comes_first() -> None:
    vectors = RANDOM.normal(size=(300, 6)) * [1.0, 5.0, 0.1, 3.0, 2.0, 0.5]
    vectors -= vectors.mean(axis=0)
    axes = principal_axes(vectors, 4)
    assert axes.shape == (6, 4)
    assert axes.T @ axes == pytest.approx(np.eye(4), abs=1e-9)
    along = (vectors @ axes).var(axis=0)
    assert list(along) == sorted(along, reverse=True)
    assert along[0] >= max((vectors @ direction).var() for direction in np.eye(6))


def test_number_of_axes_never_exceeds_the_number_of_columns() -> None:
    assert principal_axes(np.eye(3), 64).shape == (3, 3)


@pytest.mark.parametrize("rows", [5, 40, 3000])
def test_many_columns_give_the_same_axes_as_their_products(rows: int) -> None:
    columns = MOST_COLUMNS + 1
    vectors = RANDOM.normal(size=(rows, 4)) * [4.0, 3.0, 2.0, 1.0] @ RANDOM.normal(size=(4, columns))
    vectors -= vectors.mean(axis=0)
    axes, few = principal_axes(vectors, 64), vectors[:, ::7]
    assert axes.shape == (columns, 4)
    assert axes.T @ axes == pytest.approx(np.eye(4), abs=1e-9)
    if rows < 3000:  # of more rows a part is used
        same = axes_of_products(few.T @ few, 4)
        assert np.abs(np.sum(principal_axes(few, 4) * same, axis=0)) == pytest.approx(1.0)
    assert np.abs(vectors - vectors @ axes @ axes.T).max() < 1e-9 * np.abs(vectors).max()


def test_thirty_thousand_columns_take_no_more_memory_than_their_rows() -> None:
    vectors = RANDOM.normal(size=(60, 30_000))
    tracemalloc.start()
    try:
        assert principal_axes(vectors, 64).shape[0] == 30_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * vectors.nbytes


def test_columns_that_never_vary_have_one_axis() -> None:
    assert np.isfinite(principal_axes(np.zeros((5, MOST_COLUMNS + 1)), 64)).all()
