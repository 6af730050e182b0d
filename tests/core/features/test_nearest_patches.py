# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches: distances follow the paper's definition, whichever way they are computed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import Array
from numpy.typing import NDArray

from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.features import nearest_patches as module
from genmm_addon.core.features.nearest_patches import diagonal_sums, frame_distances, nearest_patches

few = settings(max_examples=40, deadline=None)
ROWS = np.random.default_rng(5).normal(size=(90, 6)).astype(np.float32)
EXAMPLES = np.random.default_rng(6).normal(size=(70, 6)).astype(np.float32)


def patches_of(rows: np.ndarray, length: int) -> np.ndarray:
    """Return all patches `(F - p + 1, p, C)` in double precision."""
    return np.stack([rows[start : start + length] for start in range(len(rows) - length + 1)]).astype(np.float64)


def distances_by_definition(
    rows: Array, examples: Array, starts: NDArray[np.bool_], length: int, completeness: float | None
) -> np.ndarray:
    """Return the distances of equation 2: per frame, with each column divided by its minimum plus alpha."""
    difference: Array = patches_of(rows, length)[:, None] - patches_of(examples, length)[None]
    distances = np.sum(difference**2, axis=(2, 3)) / length
    if completeness is not None:
        distances = distances / (completeness + distances.min(axis=0))
    return np.where(starts, distances, np.inf)


def nearest_by_definition(
    rows: Array, examples: Array, starts: NDArray[np.bool_], length: int, completeness: float | None
) -> np.ndarray:
    return np.asarray(np.argmin(distances_by_definition(rows, examples, starts, length, completeness), axis=1))


@few
@given(
    length=st.integers(1, 12), seed=st.integers(0, 99), completeness=st.sampled_from([None, 0.001, 0.01, 1.0, 100.0])
)
def test_the_nearest_patch_is_the_one_of_equation_2(length: int, seed: int, completeness: float | None) -> None:
    random = np.random.default_rng(seed)
    rows, examples = (random.normal(size=(random.integers(12, 40), 4)).astype(np.float32) for _ in range(2))
    bounds = Bounds.of_lengths(np.array([len(examples)]))
    starts = bounds.patch_starts(length)
    found = nearest_patches(rows, examples, starts, length, completeness)
    distances = distances_by_definition(rows, examples, starts, length, completeness)
    # Two patches may be equally near in single precision.
    assert distances[np.arange(len(found)), found] == pytest.approx(distances.min(axis=1), rel=1e-5)


@pytest.mark.parametrize("completeness", [None, 0.01])
@pytest.mark.parametrize("length", [1, 5, 11])
def test_no_patch_crosses_from_one_example_to_the_next(length: int, completeness: float | None) -> None:
    bounds = Bounds.of_lengths(np.array([20, 15, 35]))
    starts = bounds.patch_starts(length)
    found = nearest_patches(ROWS, EXAMPLES, starts, length, completeness)
    assert np.array_equal(found, nearest_by_definition(ROWS, EXAMPLES, starts, length, completeness))
    assert np.array_equal(bounds.example_of(found), bounds.example_of(found + length - 1))


@pytest.mark.parametrize("completeness", [None, 0.01])
def test_a_piece_of_the_example_finds_itself(completeness: float | None) -> None:
    starts = Bounds.of_lengths(np.array([70])).patch_starts(11)
    found = nearest_patches(EXAMPLES[20:50], EXAMPLES, starts, 11, completeness)
    assert np.array_equal(found, np.arange(20, 40))


def test_completeness_brings_in_more_of_the_example() -> None:
    # All patches ask for the neighborhood of one frame, so plain nearest patches show nothing else.
    examples = np.linspace(0, 1, 70, dtype=np.float32)[:, None]
    rows = (0.3 + 0.02 * np.random.default_rng(0).normal(size=(200, 1))).astype(np.float32)
    starts = Bounds.of_lengths(np.array([70])).patch_starts(5)
    seen = [len(set(nearest_patches(rows, examples, starts, 5, alpha).tolist())) for alpha in (None, 10.0, 1e-6)]
    assert seen[0] <= seen[1] < seen[2]


@pytest.mark.parametrize("completeness", [None, 0.01])
@pytest.mark.parametrize(("block", "kept"), [(1, 96 << 20), (1, 0), (20_000, 0), (20_000, 96 << 20)])
def test_the_size_of_blocks_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, block: int, kept: int, completeness: float | None
) -> None:
    bounds = Bounds.of_lengths(np.array([40, 30]))
    rows = np.random.default_rng(1).normal(size=(400, 6)).astype(np.float32)
    whole = nearest_patches(rows, EXAMPLES, bounds.patch_starts(11), 11, completeness)
    monkeypatch.setattr(module, "BLOCK_BYTES", block)
    monkeypatch.setattr(module, "KEPT_BYTES", kept)
    calls = []

    def counted(rows: NDArray[np.float32], columns: NDArray[np.float32]) -> NDArray[np.float32]:
        calls.append(len(rows))
        return frame_distances(rows, columns)

    monkeypatch.setattr(module, "frame_distances", counted)
    assert np.array_equal(nearest_patches(rows, EXAMPLES, bounds.patch_starts(11), 11, completeness), whole)
    assert len(calls) > 1, "the distances were to come in several blocks"


@pytest.mark.parametrize("length", [*range(1, 17), 23, 27, 31])
@pytest.mark.parametrize(("rows", "columns"), [(31, 33), (40, 31)])
def test_diagonal_sums_are_plain_sums_along_diagonals(rows: int, columns: int, length: int) -> None:
    distances = np.random.default_rng(rows * 31 + columns).uniform(size=(rows, columns)).astype(np.float32)
    expected = np.array(
        [
            [sum(distances[i + k, j + k] for k in range(length)) for j in range(columns - length + 1)]
            for i in range(rows - length + 1)
        ]
    )
    before = distances.copy()
    assert diagonal_sums(distances, length) == pytest.approx(expected, rel=1e-5)
    assert np.array_equal(distances, before)


def test_distances_are_squared_and_never_below_zero() -> None:
    large = ROWS + 1000  # large enough for rounding to give negative values
    distances = frame_distances(large, large)
    assert distances.min() >= 0
    plain = np.sum((ROWS[:, None] - EXAMPLES[None]) ** 2, axis=-1)
    assert frame_distances(ROWS, EXAMPLES) == pytest.approx(plain, abs=1e-4)


def test_rows_without_columns_are_all_alike() -> None:
    nothing = np.zeros((20, 0), np.float32)
    found = nearest_patches(nothing, nothing, np.ones(16, bool), 5, 0.01)
    assert found.shape == (16,)
