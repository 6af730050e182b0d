# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of a T-pose at the start of a recording that is not part of its motion."""

import numpy as np

from ...core import Motion, rotations


def has_rest_start(motion: Motion) -> bool:
    """Return whether the first frame looks like a T-pose recorded before the motion.

    This is the case if the jump to the second frame is larger than nearly all other steps (recordings have
    glitches) and the first pose is much nearer to the rest pose than the others are.
    """
    if motion.frames < 3:
        return False
    steps = rotations.angle_between(motion.rotations[:-1], motion.rotations[1:])
    jumps = np.sqrt(np.mean(steps * steps, axis=1))
    if jumps[0] <= np.percentile(jumps[1:], 95):
        return False
    rest = np.array([1.0, 0.0, 0.0, 0.0], np.float32)
    distances = np.mean(rotations.angle_between(rest, motion.rotations), axis=1)
    return bool(distances[0] < 0.5 * np.median(distances[1:]))
