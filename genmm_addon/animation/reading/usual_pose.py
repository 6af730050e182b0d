# SPDX-License-Identifier: GPL-3.0-or-later
"""The usual pose of a character whose rest pose is not plausible, such as a file with all bones in one line."""

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...core import Skeleton
from ...core.transfer import usual_pose
from ..actions import assigned
from ..curves import collect_curves
from ..layout import make_layout
from .channel_reading import read_channels

MOMENTS = 256
"""Number of frames that are read of a long action."""


def usual_pose_of(armature: Object, skeleton: Skeleton) -> NDArray[np.float64] | None:
    """Return the mean rotations `(J, 4)` of the skeleton's joints in the armature's action.

    Return None if the armature plays no action of its own.
    """
    playing = assigned(armature)
    if playing is None:
        return None
    curves = collect_curves(armature, *playing)
    if not curves.keys_bones:
        return None
    first, last = (float(frame) for frame in playing[0].frame_range[:])
    frames = np.linspace(first, last, min(MOMENTS, round(last - first) + 1))
    # The rate does not affect poses.
    return usual_pose([read_channels(make_layout(armature, skeleton, [curves]), curves, frames, 1.0)])
