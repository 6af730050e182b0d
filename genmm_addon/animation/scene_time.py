# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's frame rate and first frame."""

from bpy.types import Scene


def scene_rate(scene: Scene) -> float:
    """Return the scene's frames per second, with its base (119.88 is 120 over 1.001)."""
    return float(scene.render.fps / scene.render.fps_base)


def first_frame(asked: float | None, scene: Scene) -> float:
    """Return the scene frame at which a result begins: the requested one, or the scene's first."""
    return float(scene.frame_start) if asked is None else asked
