# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions with the index of their poses: what gaps are filled from, styles are taken from, and repair uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..computation import computing
from ..examples.memory.estimates import check_filling
from ..feet.planting import Standing, find_standing
from ..motion.kept_poses import poses_kept
from ..motion.motion import Motion
from ..motion.piecewise import CLIPS, evenly
from ..motion.read_motions import lengths_of
from ..progress import Progress
from .pose_index import PoseIndex, build_pose_index


@dataclass(frozen=True, eq=False)
class IndexedMotions:
    """Motions on one skeleton with the index of their poses, and their feet.

    >>> isinstance(index_motions([swing]), IndexedMotions)
    True
    """

    motions: Sequence[Motion]
    index: PoseIndex
    standing: Standing


@computing()
@poses_kept()
def index_motions(
    motions: Sequence[Motion], root: int | None = None, progress: Progress | None = None
) -> IndexedMotions:
    """Return motions on one skeleton and at one rate with the index of their poses; root: the joint that travels.

    progress: see `core.Progress`. Raises InputError if there is no motion, if skeletons or rates differ, or if the work
    needs more memory than may be used.

    >>> index_motions([swing]).index.frames
    60
    """
    if motions:
        check_filling(lengths_of(motions), len(motions[0].skeleton.names))
    index = build_pose_index(motions, root, progress)
    sample = [motions[number] for number in evenly(len(motions), CLIPS)]
    return IndexedMotions(motions, index, find_standing(sample, index.space.plan))
