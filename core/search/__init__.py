# SPDX-License-Identifier: GPL-3.0-or-later
"""Search in libraries: poses as rows, places similar to a stretch of motion, and clusters of similar clips."""

from .clusters import Cluster, build_cluster_tree
from .pose_index import PoseIndex, build_pose_index, rows_of
from .similar import Place, find_similar

__all__ = [
    "Cluster",
    "Place",
    "PoseIndex",
    "build_cluster_tree",
    "build_pose_index",
    "find_similar",
    "rows_of",
]
