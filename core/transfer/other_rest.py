# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion relative to another rest pose of its skeleton."""

from dataclasses import replace

import numpy as np

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton


def on_rest_of(motion: Motion, skeleton: Skeleton) -> Motion:
    """Return the motion on a skeleton that differs only in its rest rotations; the poses do not change.

    >>> on_rest_of(swing, swing.skeleton) is swing
    True
    """
    if motion.skeleton is skeleton:
        return motion
    back = rotations.multiply(rotations.inverse(skeleton.rest_rotations), motion.skeleton.rest_rotations)
    return replace(
        motion,
        skeleton=skeleton,
        rotations=rotations.multiply(back, motion.rotations).astype(np.float32),
        translations=rotations.rotate(back[motion.translated], motion.translations).astype(np.float32),
    )
