# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between two sets of points, and the spread of a set; points are the rows of `(N, D)` arrays.

Pairs are compared in blocks, so that memory grows with the number of points and not with that of pairs.
"""

import numpy as np

from ..arrays import Float64, Int64
from ..motion.piecewise import pieces

NEIGHBORS = 3
"""Number of neighbors, k, in precision and recall (Kynkaanniemi et al. 2019, section 3)."""


def frechet_distance(first: Float64, other: Float64) -> float:
    """Return the squared Frechet distance of the Gaussians that fit two sets (FID; Heusel et al. 2017, section 4).

    It is |m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2)). The trace of the root equals that of the symmetric (C1^(1/2) C2
    C1^(1/2))^(1/2), so that a symmetric eigenvalue problem gives it. Too few points make the distance larger.

    >>> frechet_distance(np.array([[0.0], [2.0]]), np.array([[3.0], [5.0]]))
    9.0
    """
    difference = first.mean(axis=0) - other.mean(axis=0)
    covariance, other_covariance = _covariance(first), _covariance(other)
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    product = np.linalg.eigvalsh(root @ other_covariance @ root)
    shared = float(np.sqrt(np.maximum(product, 0.0)).sum())
    return max(float(difference @ difference + np.trace(covariance) + np.trace(other_covariance)) - 2 * shared, 0.0)


def kernel_distance(first: Float64, other: Float64) -> float:
    """Return the squared maximum mean discrepancy with the kernel (x y / D + 1)^3 (KID; Binkowski et al. 2018).

    It is the unbiased estimator over all pairs. Its mean is 0 for two sets of one distribution, and single values may
    be negative. Raises ValueError for sets of fewer than two points.
    """
    if min(len(first), len(other)) < 2:
        raise ValueError("the kernel distance needs two points or more in each set")
    return _mean_kernel(first, first) + _mean_kernel(other, other) - 2 * _mean_kernel(first, other)


def precision_and_recall(reference: Float64, points: Float64) -> tuple[float, float]:
    """Return the share of points among the reference (precision), and of the reference among the points (recall).

    A point is among a set if it is no farther from one of the set's points than that point's k-th neighbor in the set
    (Kynkaanniemi et al. 2019, equations 1 and 2).
    """
    return _share_among(points, reference, NEIGHBORS), _share_among(reference, points, NEIGHBORS)


def diversity(points: Float64) -> float:
    """Return the mean distance of two points of a set (Guo et al. 2020, section 6.1, with all pairs).

    >>> diversity(np.array([[0.0], [3.0]]))
    3.0
    """
    count = len(points)
    return _sum_of_distances(points) / (count * (count - 1)) if count > 1 else 0.0


def multimodality(points: Float64, motions: Int64, groups: Int64) -> float | None:
    """Return the mean distance of points from different motions of one group; None if no group has two motions.

    motions, groups: `(N,)`. A group has motions of one request: one action, one example (Guo et al. 2020, section 6.1).
    """
    total, pairs = 0.0, 0
    for group in np.unique(groups):
        inside = np.flatnonzero(groups == group)
        numbers, counts = np.unique(motions[inside], return_counts=True)
        within = sum(_sum_of_distances(points[inside[motions[inside] == number]]) for number in numbers)
        total += _sum_of_distances(points[inside]) - within
        pairs += len(inside) ** 2 - int(np.sum(counts**2))
    return total / pairs if pairs else None


def _covariance(points: Float64) -> Float64:
    centered = points - points.mean(axis=0)
    return np.asarray(centered.T @ centered / max(len(points) - 1, 1))


def _mean_kernel(first: Float64, other: Float64) -> float:
    """Return the mean kernel of all pairs; within one set, no point is paired with itself."""
    blocks = pieces(len(first), len(other))
    total = sum(float(np.sum((first[block] @ other.T / first.shape[1] + 1) ** 3)) for block in blocks)
    if first is not other:
        return total / (len(first) * len(other))
    with_itself = float(np.sum((np.sum(first * first, axis=1) / first.shape[1] + 1) ** 3))
    return (total - with_itself) / (len(first) * (len(first) - 1))


def _squared_distances(first: Float64, other: Float64) -> Float64:
    squares = np.sum(first * first, axis=1)[:, None] + np.sum(other * other, axis=1) - 2 * first @ other.T
    return np.asarray(np.maximum(squares, 0.0))


def _sum_of_distances(points: Float64) -> float:
    """Return the sum of the distances of all ordered pairs."""
    total = 0.0
    for block in pieces(len(points), len(points)):
        distances = np.sqrt(_squared_distances(points[block], points))
        # Rounding must not give a point a distance from itself.
        distances[np.arange(len(distances)), np.arange(block.start, block.stop)] = 0.0
        total += float(distances.sum())
    return total


def _share_among(points: Float64, center: Float64, neighbors: int) -> float:
    """Return the share of the points that are in a ball around a point of `center` up to its k-th neighbor there."""
    neighbors = min(neighbors, len(center) - 1)
    radii = np.concatenate(
        [
            np.partition(_squared_distances(center[block], center), neighbors, axis=1)[:, neighbors]
            for block in pieces(len(center), len(center))
        ]
    )
    # Rounding must not put a point outside the ball that it bounds.
    reach = radii * (1 + 1e-9) + 1e-9 * float(np.mean(np.sum(center * center, axis=1)))
    blocks = pieces(len(points), len(center))
    inside = [np.any(_squared_distances(points[block], center) <= reach, axis=1) for block in blocks]
    return float(np.mean(np.concatenate(inside)))
