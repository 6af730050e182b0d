# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage of examples by paths: the shares that their segments show together."""

import numpy as np
import pytest
from measures import seen_of_path

from genmm_addon.core.examples.coverage import Coverage
from genmm_addon.core.examples.transition_costs import Bounds

BOUNDS = Bounds.of_lengths(np.array([12, 8]))
STARTS = np.array([[0, 12, 4], [7, 2, 0]])
LENGTHS = np.array([[5, 8, 3], [5, 6, 0]])


def similarity_of(clusters: int) -> np.ndarray:
    random = np.random.default_rng(clusters).random((clusters, clusters)).astype(np.float32)
    return np.asarray(random / random.sum(axis=1, keepdims=True))


both_kinds = pytest.mark.parametrize(
    "coverage",
    [
        Coverage.of_frames(similarity_of(20), BOUNDS),
        Coverage(np.arange(20) // 3, similarity_of(7), BOUNDS),
    ],
    ids=["each frame a cluster", "frames that share clusters"],
)


@both_kinds
def test_coverage_of_paths_equals_that_of_their_frames(coverage: Coverage) -> None:
    seen = coverage.seen_of_paths(STARTS, LENGTHS)
    for own, starts, lengths in zip(seen, STARTS, LENGTHS, strict=True):
        segments = zip(starts, lengths, strict=True)
        path = np.concatenate([np.arange(start, start + length) for start, length in segments])
        assert own == pytest.approx(seen_of_path(coverage, path), abs=1e-5)


@both_kinds
def test_segments_together_show_what_their_path_shows(coverage: Coverage) -> None:
    of_segments = coverage.seen_of_segments(STARTS.ravel(), LENGTHS.ravel())
    assert of_segments.reshape(*STARTS.shape, -1).sum(axis=1) == pytest.approx(
        coverage.seen_of_paths(STARTS, LENGTHS), abs=1e-5
    )


@both_kinds
def test_means_are_those_of_the_frames_values(coverage: Coverage) -> None:
    values = np.random.default_rng(1).random((4, 3, len(coverage.similarity))).astype(np.float32)
    of_frames = values[..., coverage.cluster_of]
    assert coverage.mean(values) == pytest.approx(of_frames.mean(axis=-1), abs=1e-6)
    means = [of_frames[..., first:end].mean(axis=-1) for first, end in zip(BOUNDS.starts, BOUNDS.ends, strict=True)]
    assert coverage.mean_of_examples(values) == pytest.approx(np.stack(means, axis=-1), abs=1e-6)
