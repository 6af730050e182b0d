# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips: their file and tags, the index of their poses, search and clusters, and the cache on disk."""

from .cache.kept import LEAST_FRAMES, VARIABLE, KeptFiles, keep_motions, made_once, prepare_kept
from .cache.motions_file import KeptMotions, MotionsLike
from .clip import Clip, LeftOut
from .clip_library import ClipLibrary, library_of, motions_of
from .clusters import Cluster, build_cluster_tree
from .duplicates import near_duplicates, same_sources
from .indexed_motions import IndexedMotions, index_motions
from .library_file import load_clips, load_library, save_library
from .pose_index import PoseIndex, build_pose_index, rows_of
from .similar import SimilarPlace, find_similar
from .stored_clips import may_have, values_of
from .tags import TagPattern, parse_choice, tags_of

__all__ = [
    "LEAST_FRAMES",
    "VARIABLE",
    "Clip",
    "ClipLibrary",
    "Cluster",
    "IndexedMotions",
    "KeptFiles",
    "KeptMotions",
    "LeftOut",
    "MotionsLike",
    "PoseIndex",
    "SimilarPlace",
    "TagPattern",
    "build_cluster_tree",
    "build_pose_index",
    "find_similar",
    "index_motions",
    "keep_motions",
    "library_of",
    "load_clips",
    "load_library",
    "made_once",
    "may_have",
    "motions_of",
    "near_duplicates",
    "parse_choice",
    "prepare_kept",
    "rows_of",
    "same_sources",
    "save_library",
    "tags_of",
    "values_of",
]
