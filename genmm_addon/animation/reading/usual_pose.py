# SPDX-License-Identifier: GPL-3.0-or-later
"""The usual pose of a character whose rest pose is none, such as an imported file with all bones in one line."""

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
"""Number of frames of a long action that are read for its usual pose."""


def usual_pose_of(armature: Object, skeleton: Skeleton) -> NDArray[np.float64] | None:
    """Return rotations `(J, 4)` of the skeleton's joints as the armature's action has them in the mean.

    None where the armature plays no action of its own.
    """
    playing = assigned(armature)
    if playing is None:
        return None
    curves = collect_curves(armature, *playing)
    if not curves.keys_bones:
        return None
    first, last = (float(frame) for frame in playing[0].frame_range[:])
    frames = np.linspace(first, last, min(MOMENTS, round(last - first) + 1))
    # The rate plays no part in a pose.
    return usual_pose([read_channels(make_layout(armature, skeleton, [curves]), curves, frames, 1.0)])
