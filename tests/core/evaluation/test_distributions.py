# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between sets of points, compared with closed forms or with all pairs."""

import numpy as np
import pytest

from genmm_addon.core.evaluation.set_measures import (
    diversity,
    frechet_distance,
    kernel_distance,
    multimodality,
    precision_and_recall,
)

pytestmark = pytest.mark.filterwarnings("error")


def cloud(count: int, dimensions: int, seed: int) -> np.ndarray:
    """Return points of a Gaussian with rotated axes of different lengths."""
    random = np.random.default_rng(seed)
    return random.standard_normal((count, dimensions)) @ random.standard_normal((dimensions, dimensions))


def distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distances of all points of `one` to all points of `other`."""
    return np.array([[np.linalg.norm(first - second) for second in other] for first in one])


def test_the_frechet_distance_of_a_set_from_itself_is_zero() -> None:
    points = cloud(200, 6, 1)
    assert frechet_distance(points, points[::-1]) == pytest.approx(0.0, abs=1e-9)


def test_the_frechet_distance_along_the_axes_is_that_of_means_and_deviations() -> None:
    points = cloud(500, 4, 2)
    _, axes = np.linalg.eigh(np.cov(points.T))
    points = (points - points.mean(axis=0)) @ axes
    factors, move = np.array([0.5, 1.0, 2.0, 3.0]), np.array([1.0, -2.0, 0.0, 0.5])
    deviations = points.std(axis=0, ddof=1)
    expected = np.sum(move**2) + np.sum((deviations * (factors - 1)) ** 2)
    assert frechet_distance(points, points * factors + move) == pytest.approx(expected)


def test_the_frechet_distance_of_a_stretched_set_is_that_of_the_optimal_transport() -> None:
    # A symmetric positive map is the optimal transport between Gaussians, whatever their axes (Brenier 1991).
    points = cloud(300, 5, 3)
    half = np.random.default_rng(4).standard_normal((5, 5))
    stretch = half @ half.T + 0.1 * np.eye(5)
    moved = (stretch - np.eye(5)) @ (points - points.mean(axis=0)).T
    expected = np.sum(moved**2) / (len(points) - 1) + np.sum(((stretch - np.eye(5)) @ points.mean(axis=0)) ** 2)
    assert frechet_distance(points, points @ stretch) == pytest.approx(expected)
    assert frechet_distance(points @ stretch, points) == pytest.approx(expected)


def test_the_kernel_distance_is_that_of_all_pairs() -> None:
    one, other = cloud(7, 3, 5), cloud(9, 3, 6)

    def kernel(first: np.ndarray, second: np.ndarray) -> float:
        return float((first @ second / 3 + 1) ** 3)

    def within(points: np.ndarray) -> float:
        pairs = [(a, b) for a in range(len(points)) for b in range(len(points)) if a != b]
        return float(np.mean([kernel(points[a], points[b]) for a, b in pairs]))

    across = float(np.mean([kernel(first, second) for first in one for second in other]))
    assert kernel_distance(one, other) == pytest.approx(within(one) + within(other) - 2 * across)


def test_the_kernel_distance_of_two_sets_of_one_distribution_is_zero_on_the_mean() -> None:
    random = np.random.default_rng(7)
    found = [kernel_distance(random.standard_normal((12, 4)), random.standard_normal((15, 4))) for _ in range(3000)]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found)) < 4 * error
    assert min(found) < 0 < max(found)


def test_precision_and_recall_of_identical_sets_are_one() -> None:
    points = cloud(300, 8, 8)
    assert precision_and_recall(points, points[::-1].copy()) == (1.0, 1.0)


def test_precision_and_recall_of_sets_far_apart_are_zero() -> None:
    assert precision_and_recall(cloud(50, 3, 9), cloud(50, 3, 9) + 1e4) == (0.0, 0.0)


def test_a_set_that_shows_one_of_two_heaps_is_precise_and_recalls_half() -> None:
    random = np.random.default_rng(10)
    heaps = random.standard_normal((400, 2)) + np.repeat([[0.0, 0.0], [100.0, 0.0]], 200, axis=0)
    assert precision_and_recall(heaps, heaps[:200]) == (1.0, 0.5)


def test_precision_and_recall_are_those_counted_out() -> None:
    random = np.random.default_rng(11)
    reference, points = random.standard_normal((40, 2)), random.standard_normal((30, 2)) + 0.5

    def among(some: np.ndarray, center: np.ndarray) -> float:
        radii = np.sort(distances(center, center), axis=1)[:, 3]
        return float(np.mean([np.any(np.linalg.norm(center - point, axis=1) <= radii) for point in some]))

    expected = among(points, reference), among(reference, points)
    assert precision_and_recall(reference, points) == pytest.approx(expected)
    assert 0 < expected[0] < 1


def test_diversity_is_the_mean_distance_of_two_points() -> None:
    points = cloud(20, 3, 13)
    assert diversity(points) == pytest.approx(distances(points, points).sum() / (20 * 19))


def test_multimodality_is_the_mean_distance_between_motions_of_one_group() -> None:
    points, motions, groups = cloud(8, 3, 14), np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    apart = distances(points, points)
    pairs = [apart[a, b] for a in range(8) for b in range(8) if groups[a] == groups[b] and motions[a] != motions[b]]
    assert multimodality(points, motions, groups) == pytest.approx(np.mean(pairs))


def test_a_group_of_one_motion_has_no_multimodality() -> None:
    assert multimodality(cloud(6, 2, 15), np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])) is None
