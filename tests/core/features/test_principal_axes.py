# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal axes: perpendicular to each other, with the largest variance first."""

import numpy as np
import pytest

from genmm_addon.core.features import principal_axes

RANDOM = np.random.default_rng(3)


def test_axes_are_at_right_angles_and_the_largest_variance_comes_first() -> None:
    vectors = RANDOM.normal(size=(300, 6)) * [1.0, 5.0, 0.1, 3.0, 2.0, 0.5]
    vectors -= vectors.mean(axis=0)
    axes = principal_axes(vectors.T @ vectors, 4)
    assert axes.shape == (6, 4)
    assert axes.T @ axes == pytest.approx(np.eye(4), abs=1e-9)
    along = (vectors @ axes).var(axis=0)
    assert list(along) == sorted(along, reverse=True)
    assert along[0] >= max((vectors @ direction).var() for direction in np.eye(6))


def test_there_are_no_more_axes_than_columns() -> None:
    assert principal_axes(np.eye(3), 64).shape == (3, 3)
