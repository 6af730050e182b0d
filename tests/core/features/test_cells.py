# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of similar vectors, and the search in the nearest cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genmm_addon.core.features.cells import (
    SEARCHED,
    cells_of,
    k_means,
    nearest_center,
    principal_directions,
    smallest,
    spread,
    squared_distances,
)

few = settings(max_examples=20, deadline=None)
RANDOM = np.random.default_rng(5)
CLOUD = (RANDOM.normal(0, 1, (30, 8))[RANDOM.integers(0, 30, 6000)] + RANDOM.normal(0, 0.3, (6000, 8))).astype(
    np.float32
)


@few
@given(count=st.integers(1, 400), columns=st.integers(1, 12))
def test_every_vector_is_in_one_cell_and_compared_once(count: int, columns: int) -> None:
    vectors = np.random.default_rng(count).normal(size=(count, columns)).astype(np.float32)
    cells = cells_of(vectors)
    seen = np.zeros((count, count), int)
    for block in cells.blocks(cells.lists, lambda order: cells.lists.nearest(order, SEARCHED, SEARCHED)):
        np.add.at(seen, np.ix_(block.queries, block.candidates), 1)
        expected = np.sum((vectors[block.queries][:, None] - vectors[block.candidates]) ** 2, axis=2)
        np.testing.assert_allclose(block.distances, expected, rtol=1e-6, atol=1e-3)
    assert (seen == 1).all()


def test_the_nearest_cells_hold_the_nearest_vectors() -> None:
    cells = cells_of(CLOUD)
    hits = []
    for block in cells.blocks(cells.lists, lambda order: cells.lists.nearest(order, SEARCHED, 2 * SEARCHED)):
        assert len(block.candidates) < len(CLOUD) / 2
        for query in block.queries[:2]:
            exact = np.argsort(squared_distances(CLOUD[query : query + 1], CLOUD)[0])[:8]
            hits.append(np.isin(exact, block.candidates).mean())
    assert np.mean(hits) > 0.97


def test_a_crowded_cell_is_thinned_out() -> None:
    same = np.zeros((20_000, 4), np.float32)
    cells = cells_of(same)
    for block in cells.blocks(cells.lists, lambda order: cells.lists.nearest(order, 100, 300)):
        assert len(block.candidates) == 300


def test_centers_lie_among_their_members_and_are_the_same_again() -> None:
    centers = k_means(CLOUD, 30)
    assert np.array_equal(centers, k_means(CLOUD, 30))
    number = nearest_center(CLOUD, centers)
    within = np.mean(np.sum((CLOUD - centers[number]) ** 2, axis=1))
    assert within < 0.25 * np.mean(np.sum((CLOUD - CLOUD.mean(axis=0)) ** 2, axis=1))


def test_principal_directions_keep_the_distances_that_matter() -> None:
    flat = (CLOUD[:, :3] @ RANDOM.normal(size=(3, 40))).astype(np.float32)
    directions = principal_directions(flat, 3)
    assert directions.shape == (40, 3)
    kept = squared_distances(flat[:50] @ directions, flat[:50] @ directions)
    assert kept == pytest.approx(squared_distances(flat[:50], flat[:50]), rel=1e-2, abs=1e-1)


@pytest.mark.parametrize("columns", [50, 203, 3000])
def test_the_smallest_of_each_row_are_found(columns: int) -> None:
    values = RANDOM.normal(size=(20, columns)).astype(np.float32)
    values[3], values[4, 2:], values[5] = np.inf, np.inf, 1.0
    values[6, ::2] = values[6, 0]
    chosen = smallest(values, 5)
    assert all(len(set(row)) == 5 for row in chosen.tolist())
    smallest_values = np.sort(np.take_along_axis(values, chosen, axis=1), axis=1)
    assert np.array_equal(smallest_values, np.sort(values, axis=1)[:, :5])
    assert smallest(values, columns).shape == smallest(values, columns + 30).shape == (20, columns)


@pytest.mark.parametrize("count", [1, 2, 7, 128])
@pytest.mark.parametrize("total", [1, 2, 3, 128, 130, 4097])
def test_numbers_are_spread_evenly_with_both_ends(total: int, count: int) -> None:
    expected = np.linspace(0, total - 1, count).astype(np.int64)
    assert np.array_equal(spread(np.arange(total), count), expected)
