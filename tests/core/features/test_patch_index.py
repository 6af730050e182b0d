# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of patches, compared with a search over all pairs."""

import numpy as np
import pytest

from genmm_addon.core.features.nearest_patches import nearest_patches
from genmm_addon.core.features.patch_index import PatchIndex

LENGTH = 11
FRAMES = 12_000


def take(frames: int, seed: int) -> np.ndarray:
    """Return rows of a long take that returns to its beginning, as smooth as motion."""
    random = np.random.default_rng(seed)
    angles = np.cumsum(random.normal(0.2, 0.05, (frames, 5)), axis=0)
    turned = np.concatenate((np.cos(angles), np.sin(angles)), axis=1)
    mixed = turned @ np.random.default_rng(9).normal(0, 1, (10, 40))
    return np.asarray(mixed / mixed.std(), np.float32)


EXAMPLES = take(FRAMES, 1)
STARTS = np.ones(FRAMES - LENGTH + 1, bool)
STARTS[np.arange(200, FRAMES - LENGTH, 400)] = False
INDEX = PatchIndex.of(EXAMPLES, STARTS, LENGTH)
ROWS = take(400, 2)


def distances(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the distance of each patch of rows to the patch chosen for it."""
    offsets = np.arange(LENGTH)
    gaps = rows[np.arange(len(chosen))[:, None] + offsets] - EXAMPLES[chosen[:, None] + offsets]
    return np.asarray(np.sqrt(np.mean(np.sum(gaps**2, axis=2), axis=1)))


def test_it_finds_the_nearest_patches_of_a_search_of_all() -> None:
    exact, found = nearest_patches(ROWS, EXAMPLES, STARTS, LENGTH, None), INDEX.nearest(ROWS, None)
    assert len(INDEX.cells.centers) > 100
    assert np.mean(exact == found) >= 0.93
    assert distances(ROWS, found).mean() <= 1.01 * distances(ROWS, exact).mean()


def test_a_piece_of_the_examples_finds_itself() -> None:
    assert np.array_equal(INDEX.nearest(EXAMPLES[500:580], None), np.arange(500, 570))


@pytest.mark.parametrize("completeness", [None, 0.01])
def test_no_patch_starts_where_none_may(completeness: float | None) -> None:
    assert STARTS[INDEX.nearest(ROWS, completeness)].all()


def test_the_normalization_spreads_the_choice() -> None:
    still = np.repeat(ROWS[50:51], 60, axis=0) + np.random.default_rng(3).normal(0, 0.02, (60, 40)).astype(np.float32)
    counts = [len(np.unique(INDEX.nearest(still, alpha))) for alpha in (None, 1e-3)]
    assert counts[1] > counts[0]
    found = INDEX.nearest(ROWS, 100.0)
    assert np.mean(found == INDEX.nearest(ROWS, None)) > 0.9


def test_the_same_examples_give_the_same_index() -> None:
    again = PatchIndex.of(EXAMPLES, STARTS, LENGTH)
    assert np.array_equal(again.nearest(ROWS, 0.01), INDEX.nearest(ROWS, 0.01))
