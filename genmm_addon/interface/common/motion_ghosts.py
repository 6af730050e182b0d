# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts of motions: lines from joint to joint in one pose, or in the present pose and faintly in a few others."""

from collections.abc import Container
from typing import Any

import numpy as np
from bpy.types import Object

from ...animation.pins.action import PinnedPoses
from ...animation.points import placed as transformed
from ...animation.rig import OBJECT_JOINT
from ...core import Float32, Float64, Motion
from ...libraries.exploring.strips import POSES
from ...steering.proxy import read_pose
from .line_drawing import ColoredLines, lines_of

FAINT, STRONG = 0.22, 1.0
"""Opacity of the faint poses, and of the present one."""


def motion_lines(
    motion: Motion, armature: Object, frame: float, moved: Container[str], color: tuple[float, float, float]
) -> ColoredLines:
    """Return the lines of a motion's pose at one of its frames, and faint ones of a few others, in armature space.

    Frames before its start or after its end show its first or last pose. moved: the bones to draw.
    """
    last = motion.frames - 1
    now = int(np.clip(round(frame), 0, last))
    chosen = [now, *(int(at) for at in np.linspace(0, last, POSES).round() if int(at) != now)]
    poses = _poses(motion.take(np.array(chosen, np.int64)), armature, moved)
    pieces = [(ghost_of(poses, number), (*color, FAINT if number else STRONG)) for number in range(len(chosen))]
    return lines_of(pieces)


def ghost_of(poses: PinnedPoses, pin: int) -> Float32:
    """Return the lines `(2 N, 3)` of one pose: from each pinned bone to its children, or to its own tail."""
    pinned, parents = poses.pinned[pin], poses.parents
    child = np.flatnonzero((parents >= 0) & poses.hangs & pinned[parents])
    ends = pinned.copy()
    ends[parents[child]] = False
    starts = np.concatenate((poses.heads[pin, parents[child]], poses.heads[pin, ends]))
    stops = np.concatenate((poses.heads[pin, child], poses.tails[pin, ends]))
    return np.stack((starts, stops), axis=1).reshape(-1, 3).astype(np.float32)


def placed_by_keys(motion: Motion, moved: Container[str], to_world: Float64, armature: Object) -> frozenset[str]:
    """Return the moved bones that are in the present pose where keys alone place them.

    Constraints of a rig place the others, and a ghost would show these elsewhere. to_world: the matrix `(4, 4)` from
    the space of the motion to the world.
    """
    matrices, heads = (values[0] for values in read_pose(armature, motion).pose())
    near = motion.skeleton.size / 100 * float(np.abs(armature.matrix_world.to_scale()[:]).max())
    found = set()
    for name, matrix, head in zip(motion.skeleton.names, matrices, heads, strict=True):
        bone: Any = armature.pose.bones.get(name) if name in moved else None
        if bone is not None:
            # The tail too: inverse kinematics turn a thigh about its head.
            ends = transformed(to_world, np.stack((head, head + matrix[:, 1] * bone.bone.length)))
            shown = np.array([armature.matrix_world @ bone.head, armature.matrix_world @ bone.tail])
            if np.linalg.norm(shown - ends, axis=1).max() < near:
                found.add(name)
    return frozenset(found)


def _poses(motion: Motion, armature: Object, moved: Container[str]) -> PinnedPoses:
    """Return all poses of a motion in the form of pinned poses, for its bones only."""
    skeleton = motion.skeleton
    matrices, heads = motion.pose()
    with_object = skeleton.names[0] == OBJECT_JOINT
    bones = np.arange(int(with_object), len(skeleton.names))
    names = [skeleton.names[joint] for joint in bones]
    lengths = np.array([armature.data.bones[name].length for name in names])
    hangs = np.ones(len(skeleton.names), bool)
    hangs[motion.translated] = False
    return PinnedPoses(
        np.arange(motion.frames),
        heads[:, bones],
        heads[:, bones] + matrices[:, bones][..., 1] * lengths[:, None],
        np.tile(np.array([name in moved for name in names]), (motion.frames, 1)),
        np.maximum(skeleton.parents[bones] - with_object, -1),
        hangs[bones],
        with_object=with_object,
    )
