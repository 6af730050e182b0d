# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's frame rate, first frame and last frame."""

import math

from bpy.types import Scene


def scene_rate(scene: Scene) -> float:
    """Return the scene's frames per second, with its base (119.88 is 120 over 1.001)."""
    return float(scene.render.fps / scene.render.fps_base)


def first_frame(asked: float | None, scene: Scene) -> float:
    """Return the scene frame at which a result begins: the requested one, or the scene's first."""
    return float(scene.frame_start) if asked is None else asked


def extend_playback(scene: Scene, last: float) -> None:
    """Move the scene's end so that a motion's last frame plays; it never moves earlier, nor in a linked scene."""
    if scene.library is None:
        scene.frame_end = max(scene.frame_end, math.ceil(last - 1e-3))
