# SPDX-License-Identifier: GPL-3.0-or-later
"""Search in libraries: poses as rows, and places that resemble a stretch of motion."""

from .pose_index import PoseIndex, build_pose_index, rows_of
from .similar import Place, find_similar

__all__ = ["Place", "PoseIndex", "build_pose_index", "find_similar", "rows_of"]
