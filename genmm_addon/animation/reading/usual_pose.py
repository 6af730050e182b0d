# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses at moments of an action, for matching, and where a rest pose is not plausible, as with all bones in a line."""

import numpy as np
from bpy.types import Action, Object

from ...core import Float64, Motion, Skeleton
from ...core.motion import on_skeleton
from ...core.transfer import usual_pose
from ..actions import assigned
from ..curves import collect_curves
from ..layout import make_layout
from ..rig import OBJECT_JOINT, read_bones
from .channel_reading import read_channels

MOMENTS = 256
"""Number of frames that are read of a long action."""


def usual_pose_of(armature: Object, skeleton: Skeleton) -> Float64 | None:
    """Return the mean rotations `(J, 4)` of the skeleton's joints in the armature's action.

    Return None if the armature plays no action of its own.
    """
    moments = moments_of(armature, skeleton, assigned(armature))
    return None if moments is None else usual_pose([moments])


def moments_of(armature: Object, skeleton: Skeleton, played: tuple[Action, str] | None) -> Motion | None:
    """Return the skeleton's poses at some frames of an action with its slot, from keys alone; None without keys."""
    curves = None if played is None else collect_curves(armature, *played)
    if played is None or curves is None or not curves.keys_bones:
        return None
    first, last = (float(frame) for frame in played[0].frame_range[:])
    frames = np.linspace(first, last, min(MOMENTS, round(last - first) + 1))
    # The rate does not affect poses.
    layout = make_layout(armature, read_bones(armature, OBJECT_JOINT in skeleton.names), [curves])
    return on_skeleton(read_channels(layout, curves, frames, 1.0), skeleton)


def seen_moments(armature: Object, skeleton: Skeleton, played: tuple[Action, str] | None) -> tuple[Motion, ...]:
    """Return the poses of `moments_of` for matching; none on a rig, whose keys are not on the bones that turn."""
    if any(bone.constraints for bone in armature.pose.bones):
        return ()
    moments = moments_of(armature, skeleton, played)
    return () if moments is None else (moments,)
