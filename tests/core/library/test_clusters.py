# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of clusters: similar clips together, every clip once on each level, and reproducible."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import turned_and_moved, walker, waver

from genmm_addon.core import InputError
from genmm_addon.core.library import Cluster, build_cluster_tree, build_pose_index
from genmm_addon.core.library.clusters import AT_A_GLANCE
from genmm_addon.core.storage import ArrayInFile

COUNT = 40
"""Number of clips in the library; every second one waves instead of walking."""


@pytest.fixture(scope="module")
def tree() -> Cluster:
    clips = [(walker, waver)[number % 2](60 + number, number) for number in range(COUNT)]
    return build_cluster_tree(build_pose_index(clips))


def test_alike_clips_come_together(tree: Cluster) -> None:
    leaves = [cluster for _, cluster in tree.walk() if not cluster.children]
    pure = sum(len({number % 2 for number in leaf.clips}) == 1 for leaf in leaves)
    assert len(leaves) > 2 and pure == len(leaves)


def test_children_share_the_clips_of_their_parent(tree: Cluster) -> None:
    assert sorted(tree.clips) == list(range(COUNT))
    for _, cluster in [((), tree), *tree.walk()]:
        if cluster.children:
            assert sorted(cluster.clips) == sorted(clip for child in cluster.children for clip in child.clips)
            assert 2 <= len(cluster.children) <= AT_A_GLANCE < len(cluster.clips)
            sizes = [len(child.clips) for child in cluster.children]
            assert sizes == sorted(sizes, reverse=True)


def test_numbers_lead_to_clusters(tree: Cluster) -> None:
    for path, cluster in tree.walk():
        assert tree.at(path) is cluster
    with pytest.raises(InputError, match=r"no cluster 99\.1"):
        tree.at((99, 1))


def test_the_order_of_the_clips_and_their_place_do_not_matter() -> None:
    clips = [(walker, waver)[number % 2](60, number) for number in range(16)]
    plain = build_cluster_tree(build_pose_index(clips))
    moved = [turned_and_moved(clip, 0.4 * n, (n, -n, 0.0)) for n, clip in enumerate(clips)]
    elsewhere = build_cluster_tree(build_pose_index(moved[::-1]))
    groups = [{frozenset(child.clips) for child in found.children} for found in (plain, elsewhere)]
    assert groups[0] == {frozenset(15 - clip for clip in group) for group in groups[1]}


def test_the_typical_clip_is_in_the_middle() -> None:
    walks = [walker(60, seed) for seed in range(3)]
    assert build_cluster_tree(build_pose_index([*walks, waver(60, 1)])).typical != 3


def test_rows_in_a_file_are_read_clip_by_clip(tmp_path: Path) -> None:
    index = build_pose_index([(walker, waver)[number % 2](500, number) for number in range(COUNT)])
    index.rows.tofile(tmp_path / "rows")
    size = index.rows.nbytes
    rows = ArrayInFile(tmp_path / "rows", 0, index.rows.dtype, index.rows.shape, size)
    tracemalloc.start()
    tree = build_cluster_tree(replace(index, rows=rows))  # type: ignore[arg-type]  # as read from a kept index
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tree == build_cluster_tree(index)
    assert peak < size / 4


def test_few_clips_and_equal_ones_are_not_split() -> None:
    assert build_cluster_tree(build_pose_index([walker(60, 1)])) == Cluster((0,))
    same = build_cluster_tree(build_pose_index([walker(60, 1)] * 30))
    assert not same.children and np.array_equal(sorted(same.clips), np.arange(30))
