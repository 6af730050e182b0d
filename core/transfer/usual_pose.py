# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean pose of a skeleton's motions."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.piecewise import MOMENTS, evenly
from ..motion.read_motions import lengths_of
from ..motion.root_motion import find_root


def usual_pose(motions: Sequence[Motion]) -> Float64:
    """Return the mean rotations `(J, 4)` of joints over some frames of all of a skeleton's motions.

    The root, which may face anywhere, has its rotation in the frame that is nearest to the mean.

    >>> usual_pose([swing]).shape
    (2, 4)
    """
    ends = np.cumsum(lengths_of(motions))
    frames = evenly(int(ends[-1]), MOMENTS)
    numbers = np.searchsorted(ends, frames, side="right").tolist()
    places = zip(numbers, frames.tolist(), strict=True)
    turns = np.array([motions[number].rotations[frame - ends[number]] for number, frame in places], np.float64)
    turns *= np.where(np.einsum("fjc,jc->fj", turns, turns[0]) < 0.0, -1.0, 1.0)[..., None]
    mean = rotations.normalize(turns.mean(axis=0))
    root = motions[0].skeleton.chain(find_root(motions))
    below = np.setdiff1d(np.arange(len(mean)), root)
    away = rotations.angle_between(turns[:, below], mean[below]).sum(axis=1)
    mean[root] = turns[int(np.argmin(away)), root]
    return np.asarray(mean)
