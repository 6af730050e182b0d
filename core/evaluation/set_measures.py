# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a set of motions against a reference set, as in MoDi's table (Raab et al. 2023, table 1).

They are FID, KID, precision, recall, diversity and multimodality, on features of our own. The figures order sets as
visual judgment does (see feature_space). They can be compared for one reference only, and never with those of a trained
network.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64
from ..errors import InputError
from ..features.principal_axes import MOST_AXES, principal_axes
from ..motion.motion import Motion
from ..motion.piecewise import SAMPLE, evenly
from ..motion.root_motion import find_root
from .distributions import diversity, frechet_distance, kernel_distance, multimodality, precision_and_recall
from .window_features import WindowFeatures, describe_windows, joint_shares

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
