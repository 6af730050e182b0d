# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files written from a playing character, in any axes; Blender's exporter writes Z up only."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bpy.types import Bone, Object, Scene

from ..animation.reading.evaluation import evaluated_motion, stage
from ..animation.scene_time import scene_rate
from ..core import Float64
from ..core.motion import BvhJoints, write_bvh_poses

AXES = "XYZ"


def write_bvh(path: Path, armature: Object, scene: Scene, frames: Float64, axes: Float64) -> None:
    """Write the character's evaluated motion at scene frames `(T,)`, with its object's motion in the root.

    axes: `(3, 3)`, rotates the world's axes into the file's. Raises OSError if the file cannot be written.
    """
    bones = list(_in_order(armature))
    names = [bone.name for bone in armature.pose.bones]
    with stage(armature, scene) as temporary:
        poses, worlds = evaluated_motion(armature, temporary, frames)
    taken = poses[:, [names.index(bone.name) for bone in bones]].astype(np.float64)
    joints = BvhJoints(
        tuple(bone.name for bone in bones),
        tuple(-1 if bone.parent is None else bones.index(bone.parent) for bone in bones),
        tuple(_order(armature, bone) for bone in bones),
        np.array([bone.matrix_local for bone in bones], np.float64),
        np.array([bone.tail_local for bone in bones], np.float64),
    )
    write_bvh_poses(path, joints, taken, worlds, axes, scene_rate(scene))


def _in_order(armature: Object) -> Iterator[Bone]:
    """Yield the bones in the order of a BVH file: each before its children."""
    waiting = [bone for bone in reversed(armature.data.bones) if bone.parent is None]
    while waiting:
        bone = waiting.pop()
        yield bone
        waiting += reversed(bone.children)


def _order(armature: Object, bone: Bone) -> str:
    """Return the order of the bone's rotations: its own Euler order, which imported files set, or XYZ."""
    mode: str = armature.pose.bones[bone.name].rotation_mode
    return mode if set(mode) == set(AXES) else AXES
