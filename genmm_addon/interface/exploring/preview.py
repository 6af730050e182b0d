# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that show a place over the character: its pose at the current frame, and a few other poses faintly."""

from collections.abc import Container

import numpy as np
from bpy.types import Object

from ...animation.pins.pinned_poses import PinnedPoses
from ...animation.rig import OBJECT_JOINT
from ...core import Motion
from ...libraries.exploring.laying import LaidPlace
from ...libraries.exploring.strips import POSES
from ..common.line_drawing import ColoredLines, in_world, lines_of
from ..pins.ghosts import ghost_of

COLOR = (0.45, 0.95, 0.35)
FAINT, STRONG = 0.22, 1.0
"""Opacity of the faint poses, and of the pose at the current frame."""


def place_lines(laid: LaidPlace, armature: Object, frame: float) -> ColoredLines:
    """Return the lines of a place in the world; before and after it, those of its first or last pose."""
    lines = motion_lines(laid.motion, armature, frame - laid.first, laid.moved, COLOR)
    return in_world(lines, np.array(armature.matrix_world, np.float64))


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
