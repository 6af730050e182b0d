# SPDX-License-Identifier: GPL-3.0-or-later
"""Detours of a root that constraints guide: displacements of the feet along the ground by constraints."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.motion import Motion, joint_path
from ..motion.root_motion import RootTrack
from .contact_detection import Foot


def detours_of_feet(motion: Motion, feet: Sequence[Foot], by_itself: RootTrack, walked: RootTrack) -> Float64:
    """Return the displacement `(T, len(feet), 3)` of each foot along the ground by constraints on the root.

    It is 0 at the first frame. by_itself: the root's track without constraints. walked: the guided track. motion: with
    the root on the walked track.
    """
    up = np.array(motion.skeleton.up)
    back = rotations.inverse(walked.heading.astype(np.float64))
    turned = rotations.multiply(walked.heading, rotations.inverse(by_itself.heading)).astype(np.float64)
    detours = np.zeros((motion.frames, len(feet), 3))
    for index, foot in enumerate(feet):
        places = joint_path(motion, foot.joint)
        local = rotations.rotate(back, places - walked.ground)
        unguided = by_itself.ground + rotations.rotate(by_itself.heading.astype(np.float64), local)
        steps = np.diff(places, axis=0) - rotations.rotate(turned[:-1], np.diff(unguided, axis=0))
        detours[1:, index] = np.cumsum(steps - (steps @ up)[:, None] * up, axis=0)
    return detours
