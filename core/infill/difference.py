# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure of the difference between two motions for the same stretch."""

import numpy as np

from ..arrays import Float64
from ..evaluation.visible_transitions import LEAST_REACH
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, without_heading


def relative_difference(first: Motion, second: Motion, plan: RootPlan) -> float:
    """Return the distance between two motions of the same length, as a share of the first one's own movement.

    It is the root mean square of the differences of rotations, weighted by the joints' reaches, divided by that of the
    first motion's poses from their mean.

    >>> relative_difference(swing, swing, prepared.root)
    0.0
    """
    rows, others = (_rows(motion, plan) for motion in (first, second))
    movement = float(np.square(rows - rows.mean(axis=0)).sum(axis=1).mean())
    between = float(np.square(rows - others).sum(axis=1).mean())
    return float(np.sqrt(between / max(movement, 1e-12)))


def _rows(motion: Motion, plan: RootPlan) -> Float64:
    skeleton = motion.skeleton
    weights = np.maximum(skeleton.reaches, LEAST_REACH * skeleton.size)
    matrices = rotations.to_matrix(without_heading(motion, plan).rotations.astype(np.float64))
    return np.asarray((matrices * weights[:, None, None]).reshape(motion.frames, -1))
