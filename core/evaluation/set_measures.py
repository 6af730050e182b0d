# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a set of motions against a reference set, as in MoDi's table (Raab et al. 2023, table 1).

They are FID, KID, precision, recall, diversity and multimodality, on features of our own. The figures order sets as
visual judgment does (see feature_space). They can be compared for one reference only, and never with those of a trained
network.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64, Int64
from ..errors import InputError
from ..features.principal_axes import MOST_AXES, principal_axes
from ..motion.motion import Motion
from ..motion.piecewise import SAMPLE, evenly, pieces
from ..motion.root_motion import find_root
from .window_features import WindowFeatures, describe_windows, joint_shares

NEIGHBORS = 3
"""Number of neighbors, k, in precision and recall (Kynkaanniemi et al. 2019, section 3)."""
SCALE = 10.0
"""Total deviation of poses, chosen so that distances are numbers of everyday size."""
TRAVEL_WEIGHT = 0.5
"""Total deviation of travel, as a share of that of poses."""
BAND_WEIGHTS = (0.7, 0.7, 0.7, 0.6, 0.6)
"""Weight of each band of speeds: its column grows by this as the speed goes from zero to far above the reference's."""
CREST_WEIGHT = 0.8
"""Weight of a sudden acceleration, for each factor of e above the mean acceleration."""
LEAST_SPEED = 0.5
"""Smallest usual speed of a joint in a band, as a share of the median joint's."""


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


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """Map from raw features to coordinates, made from a reference set.

    usual: `(5, J)` the reference's median band speeds. weights: `(J,)` of the joints.
    scales: divisors of pose and travel. center `(C,)` and axes `(C, D)`: of the principal components.
    """

    usual: Float64
    weights: Float64
    scales: tuple[float, float]
    center: Float64
    axes: Float64

    def coordinates(self, windows: WindowFeatures) -> Float64:
        """Return the coordinates `(N, D)` of windows.

        Raises InputError for windows of a skeleton with another number of joints.
        """
        if windows.bands.shape[2] != len(self.weights):
            raise InputError(
                f"The set's skeleton has {windows.bands.shape[2]} joints and the library's {len(self.weights)};"
                " compare motions of one skeleton."
            )
        columns = _weighed(windows, self.usual, self.weights, self.scales)
        return np.asarray((columns - self.center) @ self.axes)


def build_feature_space(reference: WindowFeatures, weights: Float64) -> FeatureSpace:
    """Return the space of a reference set's principal components; weights: `(J,)`, see joint_shares.

    Raises InputError for fewer than two windows.
    """
    if reference.count < 2:
        raise InputError("Measures of sets need at least two windows of one second; give longer or more motions.")
    usual = np.median(reference.bands, axis=0).astype(np.float64)
    counted = weights > 0
    usual = np.maximum(usual, LEAST_SPEED * np.median(usual[:, counted], axis=1, keepdims=True))
    usual = np.maximum(usual, 1e-9)
    scales = (_spread(reference.pose), _spread(reference.travel) / TRAVEL_WEIGHT)
    columns = _weighed(reference, usual, weights, scales)
    center = columns.mean(axis=0)
    columns -= center
    axes = principal_axes(columns, min(MOST_AXES, reference.count - 1))
    return FeatureSpace(usual, weights, scales, center, axes)


def _spread(columns: Array) -> float:
    """Return the total deviation of columns `(N, C)`; 1 if nothing varies."""
    total = float(np.sqrt(columns.var(axis=0, dtype=np.float64).sum()))
    return total if total > 1e-9 else 1.0


def _weighed(windows: WindowFeatures, usual: Float64, weights: Float64, scales: tuple[float, float]) -> Float64:
    """Return all columns `(N, C)`, each group with its weight."""
    speeds = windows.bands / usual
    # Bounded, because beyond the usual speed twice as much noise is hardly worse.
    bands = speeds / (1 + speeds) * np.array(BAND_WEIGHTS)[:, None] * weights
    crest = np.log1p(windows.crest) * CREST_WEIGHT * weights
    groups = (windows.pose / scales[0], windows.travel / scales[1], bands.reshape(windows.count, -1), crest)
    return np.asarray(np.concatenate(groups, axis=1) * SCALE, np.float64)


@dataclass(frozen=True, eq=False)
class Reference:
    """A prepared reference set: its skeleton's joints, its root, its feature space and its windows.

    >>> isinstance(prepare_reference([swing]), Reference)
    True
    """

    joints: tuple[str, ...]
    root: int
    space: FeatureSpace
    windows: WindowFeatures


@dataclass(frozen=True)
class SetMeasures:
    """Measures of a set; windows and reference_windows: numbers of windows of one second, a third apart.

    multimodality is None if no group has two motions. diversity is to be compared with reference_diversity.

    >>> isinstance(measure_set([swing], prepare_reference([swing])), SetMeasures)
    True
    """

    fid: float
    kid: float
    precision: float
    recall: float
    diversity: float
    reference_diversity: float
    multimodality: float | None
    windows: int
    reference_windows: int


def prepare_reference(motions: Sequence[Motion]) -> Reference:
    """Return a prepared reference set. Raises InputError for fewer than two windows of one second.

    >>> prepare_reference([swing]).joints
    ('hips', 'leg')
    """
    if not motions:
        raise InputError("The library has no clips to compare with; choose another library.")
    skeleton, root = motions[0].skeleton, find_root(motions)
    windows = describe_windows(motions, root)
    return Reference(skeleton.names, root, build_feature_space(windows, joint_shares(skeleton, root)), windows)


def measure_set(motions: Sequence[Motion], reference: Reference, groups: Sequence[str] | None = None) -> SetMeasures:
    """Return the measures of a set of motions on the reference's skeleton.

    groups: the request that each motion was made for, for the multimodality; None is one group.
    Raises InputError for another skeleton, and for a set with fewer than two windows of one second.

    >>> measures = measure_set([swing], prepare_reference([swing]))
    >>> round(measures.fid, 6), measures.precision, measures.recall
    (0.0, 1.0, 1.0)
    """
    if any(motion.skeleton.names != reference.joints for motion in motions):
        raise InputError("The set's skeleton has other joints than the library's; compare motions of one skeleton.")
    windows = describe_windows(motions, reference.root) if motions else None
    if windows is None or windows.count < 2:
        raise InputError("Measures of sets need at least two windows of one second; give longer or more motions.")
    numbers = np.unique(list(groups), return_inverse=True)[1] if groups else np.zeros(len(motions), np.int64)
    points = reference.space.coordinates(windows)
    reference_points = reference.space.coordinates(reference.windows)
    chosen = evenly(windows.count, SAMPLE)
    of_motions, compared = windows.motions[chosen], points[chosen]
    references = reference_points[:: -(-len(reference_points) // SAMPLE)]
    precision, recall = precision_and_recall(references, compared)
    return SetMeasures(
        fid=frechet_distance(reference_points, points),
        kid=kernel_distance(references, compared),
        precision=precision,
        recall=recall,
        diversity=diversity(compared),
        reference_diversity=diversity(references),
        multimodality=multimodality(compared, of_motions, numbers[of_motions]),
        windows=windows.count,
        reference_windows=len(reference_points),
    )
