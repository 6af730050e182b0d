# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage of examples by paths: the shares that their segments show together."""

import numpy as np
import pytest

from genmm_addon.core.examples.coverage import Coverage
from genmm_addon.core.examples.transition_costs import Bounds

BOUNDS = Bounds.of_lengths(np.array([12, 8]))
STARTS = np.array([[0, 12, 4], [7, 2, 0]])
LENGTHS = np.array([[5, 8, 3], [5, 6, 0]])


def similarity_of(clusters: int) -> np.ndarray:
    random = np.random.default_rng(clusters).random((clusters, clusters)).astype(np.float32)
    return np.asarray(random / random.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    "coverage",
    [
        Coverage.of_frames(similarity_of(20), BOUNDS),
        Coverage(np.arange(20) // 3, similarity_of(7), BOUNDS),
    ],
    ids=["each frame a cluster", "frames that share clusters"],
)
def test_coverage_of_paths_equals_that_of_their_frames(coverage: Coverage) -> None:
    seen = coverage.seen_of_paths(STARTS, LENGTHS)
    for own, starts, lengths in zip(seen, STARTS, LENGTHS, strict=True):
        segments = zip(starts, lengths, strict=True)
        path = np.concatenate([np.arange(start, start + length) for start, length in segments])
        assert own == pytest.approx(coverage.seen_of_path(path), abs=1e-5)
