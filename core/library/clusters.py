# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree of clusters: groups of similar clips of a library, divided into smaller groups.

A clip is described by the mean and the deviation of its poses and speeds. The cluster with the largest sum of squares
is split in two first (bisecting k-means: Steinbach, Karypis, Kumar 2000). Each split starts along the principal axis,
so that the same clips always give the same tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..computation import computing
from ..errors import InputError
from ..features.principal_axes import principal_axes
from ..motion.comparing import ROUNDING
from .pose_index import PoseIndex

AT_A_GLANCE = 10
"""Largest number of parts of a cluster, and of clips in one that is not split, which an animator can take in at a
glance. There are no more parts than clips in each, on average."""


@dataclass(frozen=True)
class Cluster:
    """Numbers of clips, the most typical first, and the clusters that they divide into, if any, the largest first.

    >>> Cluster((4, 2)).typical
    4
    """

    clips: tuple[int, ...]
    children: tuple["Cluster", ...] = ()

    @property
    def typical(self) -> int:
        """Return the clip nearest to the middle of the cluster."""
        return self.clips[0]

    def walk(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], "Cluster"]]:
        """Yield every cluster below with the numbers, from 1, that lead to it; parents first."""
        for number, child in enumerate(self.children, start=1):
            yield (*path, number), child
            yield from child.walk((*path, number))

    def at(self, path: tuple[int, ...]) -> "Cluster":
        """Return the cluster that the numbers lead to. Raises InputError if there is none."""
        cluster = self
        for number in path:
            if not 1 <= number <= len(cluster.children):
                raise InputError(f"There is no cluster {'.'.join(map(str, path))}; list them to see which there are.")
            cluster = cluster.children[number - 1]
        return cluster


@computing()
def build_cluster_tree(index: PoseIndex) -> Cluster:
    """Return the tree of the clips of an index; its root has all of them.

    >>> build_cluster_tree(build_pose_index([swing, swing.slice(0, 30)])).clips
    (0, 1)
    """
    vectors = _vectors(index)
    return _tree(vectors, np.arange(len(vectors)))


def _vectors(index: PoseIndex) -> Float64:
    """Return for each clip the mean and the deviation of its rows: `(M, 2 C)`."""
    vectors = np.empty((len(index.starts), 2 * index.rows.shape[1]))
    for vector, start, stop in zip(vectors, index.starts.tolist(), index.stops.tolist(), strict=True):
        rows = index.rows[start:stop]
        mean = rows.sum(axis=0, dtype=np.float64) / len(rows)
        vector[: len(mean)], vector[len(mean) :] = mean, np.sqrt(np.square(rows - mean).sum(axis=0) / len(rows))
    return vectors


def _tree(vectors: Float64, clips: Indices) -> Cluster:
    center = vectors[clips].mean(axis=0)
    squares = _squares(vectors[clips], center)
    # Two clips are equally near to their middle, and rounding must not decide.
    nearness = np.argsort(np.round(squares / max(float(squares.max()), 1e-12), 6), kind="stable")
    ordered = tuple(clips[nearness].tolist())
    if len(clips) <= AT_A_GLANCE:
        return Cluster(ordered)
    parts = _parts(vectors, clips)
    if len(parts) == 1:
        return Cluster(ordered)
    children = [_tree(vectors, part) for part in parts]
    return Cluster(ordered, tuple(sorted(children, key=lambda child: (-len(child.clips), min(child.clips)))))


def _parts(vectors: Float64, clips: Indices) -> list[Indices]:
    """Return the clips divided into clusters; no part is a single clip."""
    parts, final = [clips], list[Indices]()
    most = min(AT_A_GLANCE, round(len(clips) ** 0.5))
    while parts and len(parts) + len(final) < most:
        widest = int(np.argmax([_squares(vectors[part], vectors[part].mean(axis=0)).sum() for part in parts]))
        part = parts.pop(widest)
        second = _second_half(vectors[part])
        if min(int(second.sum()), int((~second).sum())) <= 1:
            final.append(part)
        else:
            parts += [part[~second], part[second]]
    return parts + final


def _second_half(vectors: Float64) -> Mask:
    """Return a mask `(N,)` of the vectors that belong to the second of two halves."""
    centered = vectors - vectors.mean(axis=0)
    if np.abs(centered).max() <= ROUNDING * np.abs(vectors).max():
        return np.zeros(len(vectors), bool)
    axis = principal_axes(centered, 1)[:, 0]
    # The sign of an axis is arbitrary, so it is fixed.
    second = centered @ (axis * np.sign(axis[int(np.argmax(np.abs(axis)))])) > 0
    for _ in vectors:  # Mostly, 2-means settles in fewer than ten rounds.
        if second.all() or not second.any():
            break
        nearer = _squares(vectors, vectors[second].mean(axis=0)) < _squares(vectors, vectors[~second].mean(axis=0))
        if np.array_equal(nearer, second):
            break
        second = nearer
    return np.asarray(second)


def _squares(vectors: Float64, center: Float64) -> Float64:
    return np.asarray(((vectors - center) ** 2).sum(axis=1))
