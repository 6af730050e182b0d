# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage of the examples by a path, counted by clusters of similar frames."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, Float32, Float64, Indices, Rows
from ..features.cells import squared_distances
from ..motion.filters import means
from ..motion.spans import consecutive_from
from .transition_costs import SIMILAR_COST, Bounds
from .transition_windows import TransitionWindows


@dataclass(frozen=True, eq=False)
class Coverage:
    """N stage frames in G clusters of similar frames; if frames are few, each is a cluster of its own.

    cluster_of: `(N,)` the cluster of each frame. similarity: `(G, G)` the share of the row's cluster that is seen when
    a frame of the column's is shown; rows sum to one. bounds: of the examples.
    """

    cluster_of: Indices
    similarity: Rows
    bounds: Bounds

    @classmethod
    def of_frames(cls, similarity: Rows, bounds: Bounds) -> "Coverage":
        """Return the coverage of few frames, each a cluster; similarity: `(N, N)` of all pairs."""
        return cls(np.arange(len(similarity)), similarity, bounds)

    @classmethod
    def of_clusters(cls, windows: TransitionWindows) -> "Coverage":
        """Return the coverage of many frames, clustered by the cells of the windows after them."""
        cells, bounds = windows.cells, windows.bounds
        scale = np.float32(2 * windows.half * windows.unit**2)
        squares = np.maximum(squared_distances(cells.centers, cells.centers), 0.0) / scale
        similarity = np.exp(-0.5 * squares / SIMILAR_COST**2).astype(np.float32)
        np.fill_diagonal(similarity, 1.0)
        used, cluster_of = np.unique(cells.cell_of[windows.leaving(np.arange(bounds.frames))], return_inverse=True)
        similarity = similarity[np.ix_(used, used)]
        return cls(cluster_of, similarity / similarity.sum(axis=1, keepdims=True), bounds)

    @cached_property
    def single(self) -> bool:
        """Return whether each frame is a cluster of its own."""
        return len(self.cluster_of) == len(self.similarity)

    @cached_property
    def sizes(self) -> Float64:
        """Return the number of frames `(G,)` in each cluster."""
        return np.bincount(self.cluster_of, minlength=len(self.similarity)).astype(np.float64)

    def seen_of_segments(self, starts: Indices, lengths: Indices) -> Rows:
        """Return the share `(B, G)` of each cluster that each of B segments shows; segments may have no frames."""
        if self.single:
            return np.asarray(self._seen_up_to[starts + lengths] - self._seen_up_to[starts])
        seen = np.zeros((len(starts), len(self.sizes)), np.float32)
        for step in range(int(lengths.max(initial=0))):
            longer = np.flatnonzero(lengths > step)
            seen[longer] += self._seen_by_one[self.cluster_of[starts[longer] + step]]
        return seen

    def seen_of_paths(self, starts: Indices, lengths: Indices) -> Rows:
        """Return the share `(B, G)` of each cluster that B paths show; starts, lengths: `(B, R)` of their segments."""
        if self.single:
            return np.asarray(np.add.reduce(self._seen_up_to[starts + lengths] - self._seen_up_to[starts], axis=1))
        paths, groups = len(starts), len(self.sizes)
        frames = consecutive_from(starts.ravel(), lengths.ravel())
        keys = np.repeat(np.arange(paths), lengths.sum(axis=1)) * groups + self.cluster_of[frames]
        visits = np.bincount(keys, minlength=paths * groups).reshape(paths, groups)
        return _each_times((visits / self.sizes).astype(np.float32), self.similarity.T)

    def of_frames_seen(self, seen: Rows) -> Rows:
        """Return the shares `(B, N)` of single frames, from the shares `(B, G)` of their clusters."""
        return seen if self.single else seen[:, self.cluster_of]

    def gains(self, missing: Rows) -> Rows:
        """Return the gain `(..., G)` by showing one frame of each cluster; missing: `(..., G)` unseen shares."""
        if self.single:
            return _each_times(missing, self.similarity)
        sizes = self.sizes.astype(np.float32)
        return np.asarray(_each_times(missing * sizes, self.similarity) / sizes)

    def mean(self, values: Array) -> Float64:
        """Return the mean over all frames of values `(..., G)` that their clusters have."""
        if self.single:
            return np.asarray(means(values), np.float64)
        return np.asarray(_times(values, self.sizes) / len(self.cluster_of), np.float64)

    def mean_of_examples(self, values: Array) -> Array:
        """Return the means `(..., E)` over each example's frames of values `(..., G)` that their clusters have."""
        if self.single:
            lengths = self.bounds.ends - self.bounds.starts
            return np.asarray(np.add.reduceat(values, self.bounds.starts, axis=-1) / lengths)
        return _times(values, self._example_shares.T)

    @cached_property
    def _seen_up_to(self) -> Rows:
        """Return the share `(N + 1, N)` of each frame that all frames before the row's show, if frames are few."""
        seen = np.zeros((len(self.similarity) + 1, len(self.similarity)), np.float32)
        np.cumsum(self.similarity.T, axis=0, out=seen[1:])
        return seen

    @cached_property
    def _seen_by_one(self) -> Rows:
        """Return the share `(G, G)` of each cluster that is seen when one frame of the row's cluster is shown."""
        return np.ascontiguousarray(self.similarity.T / self.sizes[:, None], np.float32)

    @cached_property
    def _example_shares(self) -> Float32:
        """Return the share `(E, G)` of each example's frames that is in each cluster."""
        lengths, groups = self.bounds.ends - self.bounds.starts, len(self.sizes)
        example = np.repeat(np.arange(len(lengths)), lengths)
        counts = np.bincount(example * groups + self.cluster_of, minlength=len(lengths) * groups)
        return np.asarray(counts.reshape(-1, groups) / lengths[:, None], np.float32)


def _each_times(rows: Rows, weights: Rows) -> Rows:
    """Return the products `(..., X)` of each row `(..., G)` by itself with weights `(G, X)`.

    In one product, a row rounds differently with the number of others, and so would results of several seeds together.
    """
    return np.asarray((rows[..., None, :] @ weights)[..., 0, :])


def _times(values: Array, weights: Array) -> Array:
    """Return the products `(..., *X)` of values `(..., G)` and weights `(G, *X)`, computed as a single one.

    NumPy multiplies stacked matrices one after another.
    """
    products = values.reshape(-1, values.shape[-1]) @ weights
    return np.asarray(products.reshape(*values.shape[:-1], *weights.shape[1:]))
