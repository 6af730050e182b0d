# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines along the bones that deform a character, evaluated with constraints: its figure as it is visible."""

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.reading.evaluation import evaluated_poses, playing, stage
from ..core import Float64


def is_carried_by_constraints(armature: Object) -> bool:
    """Return whether deforming bones follow constraints, as in a control rig, so that keys do not give the pose."""
    deforming = (bone for bone in armature.pose.bones if bone.bone.use_deform)
    return any(not constraint.mute for bone in deforming for constraint in bone.constraints)


def seen_lines(armature: Object, action: Action, slot: str, frames: Float64, scene: Scene) -> Float64:
    """Return both ends `(T, 2, L, 3)` of the L deforming bones while an action plays, in the armature's space."""
    bones = armature.data.bones
    rows = [number for number, bone in enumerate(armature.pose.bones) if bones[bone.name].use_deform]
    lengths = np.array([armature.pose.bones[number].bone.length for number in rows])
    with stage(armature, scene) as temporary, playing(armature, action, slot):
        poses = evaluated_poses(armature, temporary, frames)[:, rows].astype(np.float64)
    heads = poses[..., :3, 3]
    return np.stack((heads, heads + lengths[:, None] * poses[..., :3, 1]), axis=1)
