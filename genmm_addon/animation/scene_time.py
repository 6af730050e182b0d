# SPDX-License-Identifier: GPL-3.0-or-later
"""Time as the scene counts it."""

from bpy.types import Scene


def scene_rate(scene: Scene) -> float:
    """Return the scene's frames per second, with its base (119.88 is 120 over 1.001)."""
    return float(scene.render.fps / scene.render.fps_base)


def first_frame(asked: float | None, scene: Scene) -> float:
    """Return the scene frame that a result begins at: the one that is asked for, else the scene's first."""
    return float(scene.frame_start) if asked is None else asked
