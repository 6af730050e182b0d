# SPDX-License-Identifier: GPL-3.0-or-later
"""Space of windows in which distances agree with visual judgment: weighted groups of features, principal components.

The weights were calibrated on 757 captured clips, one half compared with the other after known changes, so that the
Frechet distance grows with the visible disturbance, in this order: other clips, a tenth faster or slower, a jump every
three seconds, smoothing, one clip repeated. Without the weights, noise of a millimeter outweighs everything else.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64
from ..errors import InputError
from ..features.principal_axes import MOST_AXES, principal_axes
from .window_features import WindowFeatures

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
