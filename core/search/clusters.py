# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree of clusters: clips of a library in groups of alike ones, and these in smaller groups.

A clip is the mean and the deviation of its poses and speeds. Clusters are split in two, the one with the largest sum of
squares first (bisecting k-means: Steinbach, Karypis, Kumar 2000), along its principal axis to begin with, so that the
same clips always give the same tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..features.principal_axes import principal_axes
from .pose_index import PoseIndex

Float64 = NDArray[np.float64]
Indices = NDArray[np.int64]

COLUMNS = 32
"""Principal components whose mean and deviation describe a clip: on 757 captured clips 64 tell no more."""
MOST_CHILDREN = 10
"""A cluster is split into so many at most, what an animator takes in at a glance, and into no more than there are clips
in each, on the mean."""
FEW = 12
"""Clusters of no more clips are not split."""
SMALLEST = 2
"""Clips that each half has when a cluster is split."""
ROUNDS = 30
"""Of 2-means, at most: mostly it settles in fewer than ten."""
ROUNDING = 1e-5
"""Share of the largest number that equal clips may differ by: rows are products of single precision, which a processor
may round otherwise at other places."""


@dataclass(frozen=True)
class Cluster:
    """Clips by number, the most typical first, and the clusters that they divide into, the largest first; or none.

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
        """Return the cluster that the numbers lead to. Raises InputError where there is none."""
        found = self
        for number in path:
            if not 1 <= number <= len(found.children):
                raise InputError(f"There is no cluster {'.'.join(map(str, path))}; list them to see which there are.")
            found = found.children[number - 1]
        return found


def build_cluster_tree(index: PoseIndex) -> Cluster:
    """Return the tree of the clips of an index; its root has all of them.

    >>> build_cluster_tree(build_pose_index([swing, swing.slice(0, 30)])).clips
    (0, 1)
    """
    vectors = _vectors(index)
    return _tree(vectors, np.arange(len(vectors)))


def _vectors(index: PoseIndex) -> Float64:
    """Return for each clip the mean and the deviation of its rows: `(M, 2 C)`."""
    rows, counts = index.rows[:, :COLUMNS], (index.stops - index.starts)[:, None].astype(np.float64)
    means = np.add.reduceat(rows, index.starts, axis=0, dtype=np.float64) / counts
    away = rows - np.repeat(means, index.stops - index.starts, axis=0)
    squares = np.add.reduceat(away * away, index.starts, axis=0) / counts
    return np.hstack((means, np.sqrt(squares)))


def _tree(vectors: Float64, clips: Indices) -> Cluster:
    center = vectors[clips].mean(axis=0)
    squares = _squares(vectors[clips], center)
    # Of two clips none is nearer to their middle: rounding must not choose.
    nearness = np.argsort(np.round(squares / max(float(squares.max()), 1e-12), 6), kind="stable")
    ordered = tuple(clips[nearness].tolist())
    if len(clips) <= FEW:
        return Cluster(ordered)
    parts = _parts(vectors, clips)
    if len(parts) == 1:
        return Cluster(ordered)
    children = [_tree(vectors, part) for part in parts]
    return Cluster(ordered, tuple(sorted(children, key=lambda child: (-len(child.clips), min(child.clips)))))


def _parts(vectors: Float64, clips: Indices) -> list[Indices]:
    """Return the clips in some clusters, none so small that it says nothing."""
    parts, final = [clips], list[Indices]()
    most = min(MOST_CHILDREN, round(len(clips) ** 0.5))
    while parts and len(parts) + len(final) < most:
        widest = int(np.argmax([_squares(vectors[part], vectors[part].mean(axis=0)).sum() for part in parts]))
        part = parts.pop(widest)
        second = _second_half(vectors[part])
        if min(int(second.sum()), int((~second).sum())) < SMALLEST:
            final.append(part)
        else:
            parts += [part[~second], part[second]]
    return parts + final


def _second_half(vectors: Float64) -> NDArray[np.bool_]:
    """Return which vectors `(N,)` belong to the second of two halves."""
    centered = vectors - vectors.mean(axis=0)
    if np.abs(centered).max() <= ROUNDING * np.abs(vectors).max():
        return np.zeros(len(vectors), bool)
    axis = principal_axes(centered.T @ centered, 1)[:, 0]
    # Which way an axis points is not determined.
    second = centered @ (axis * np.sign(axis[int(np.argmax(np.abs(axis)))])) > 0
    for _ in range(ROUNDS):
        if second.all() or not second.any():
            break
        nearer = _squares(vectors, vectors[second].mean(axis=0)) < _squares(vectors, vectors[~second].mean(axis=0))
        if np.array_equal(nearer, second):
            break
        second = nearer
    return np.asarray(second)


def _squares(vectors: Float64, center: Float64) -> Float64:
    return np.asarray(((vectors - center) ** 2).sum(axis=1))
