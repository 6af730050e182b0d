# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that show a laid place over the character: its pose at the current frame, and some of the others faintly."""

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...animation.pins.pinned_poses import PinnedPoses
from ...libraries.exploring.laying import LaidPlace
from ..pins.ghosts import GhostLines, ghost_of, in_world

GHOSTS = 6
"""Poses that are drawn faintly, evenly spread over the place."""
COLOR = (0.45, 0.95, 0.35)
FAINT, STRONG = 0.22, 1.0
"""Opacity of these, and of the pose at the current frame."""


def place_lines(laid: LaidPlace, armature: Object, frame: float) -> GhostLines:
    """Return the lines of a place in the world; before and behind it stands its first or last pose."""
    last = laid.motion.frames - 1
    now = int(np.clip(round(frame - laid.first), 0, last))
    chosen = [now, *(int(at) for at in np.linspace(0, last, GHOSTS).round() if int(at) != now)]
    poses = _poses(laid, armature, np.array(chosen, np.int64))
    lines = [ghost_of(poses, number) for number in range(len(chosen))]
    colors = [
        np.tile(np.array((*COLOR, FAINT if number else STRONG), np.float32), (len(points), 1))
        for number, points in enumerate(lines)
    ]
    whole = GhostLines(np.concatenate(lines), np.concatenate(colors))
    return in_world(whole, np.array(armature.matrix_world, np.float64))


def _poses(laid: LaidPlace, armature: Object, frames: NDArray[np.int64]) -> PinnedPoses:
    motion = laid.motion.take(frames)
    skeleton = motion.skeleton
    matrices, heads = motion.pose()
    lengths = np.array([armature.data.bones[name].length for name in skeleton.names])
    moved = np.array([name in laid.moved for name in skeleton.names])
    hangs = np.ones(len(skeleton.names), bool)
    hangs[motion.translated] = False
    return PinnedPoses(
        frames,
        heads,
        heads + matrices[..., 1] * lengths[:, None],
        np.tile(moved, (len(frames), 1)),
        skeleton.parents,
        hangs,
        with_object=False,
    )
