# SPDX-License-Identifier: GPL-3.0-or-later
"""A measure of how different two motions through the same stretch are."""

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, without_heading

LEAST_REACH = 0.02
"""A joint counts by what it moves, at least by this share of the skeleton's size."""


def relative_difference(one: Motion, other: Motion, plan: RootPlan) -> float:
    """Return how far two motions of the same length are from each other, as a share of the first one's own movement.

    Root mean square over frames of the joints' rotations, each weighed by how far it reaches, beside the same about
    the first motion's mean pose: 1 is as far as its poses are from their middle.

    >>> relative_difference(swing, swing, prepared.root)
    0.0
    """
    rows, others = (_rows(motion, plan) for motion in (one, other))
    own = float(np.square(rows - rows.mean(axis=0)).sum(axis=1).mean())
    between = float(np.square(rows - others).sum(axis=1).mean())
    return float(np.sqrt(between / max(own, 1e-12)))


def _rows(motion: Motion, plan: RootPlan) -> NDArray[np.float64]:
    skeleton = motion.skeleton
    weights = np.maximum(skeleton.reaches, LEAST_REACH * skeleton.size)
    matrices = rotations.to_matrix(without_heading(motion, plan).rotations.astype(np.float64))
    return np.asarray((matrices * weights[:, None, None]).reshape(motion.frames, -1))
