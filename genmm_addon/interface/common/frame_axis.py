# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in timeline and dope sheet: their place on the screen, and shapes drawn there."""

from collections.abc import Sequence
from typing import Any

import gpu
import numpy as np
from bpy.types import Region
from gpu_extras.batch import batch_for_shader

from ...core import Float32

FRAME_NUMBERS = 25
"""Height of Blender's row of frame numbers at the top, in pixels at an interface scale of 1."""


def frames_on_screen(region: Region) -> tuple[float, float]:
    """Return the position of frame 0 and the width of a frame, in pixels."""
    # Measured over a long distance, since Blender rounds to whole pixels.
    far = 100_000.0
    first, last = (region.view2d.view_to_region(frame, 0.0, clip=False)[0] for frame in (-far, far))
    unit = (last - first) / (2 * far)
    return first + far * unit, unit


def draw_rectangles(rectangles: Sequence[tuple[float, float, float, float]], color: tuple[float, ...]) -> None:
    """Draw rectangles: left, bottom, right and top, in pixels of the region."""
    corners = [
        corner
        for left, low, right, high in rectangles
        for corner in ((left, low), (right, low), (right, high), (left, low), (right, high), (left, high))
    ]
    if corners:
        draw_triangles(np.array(corners, np.float32), np.tile(np.array(color, np.float32), (len(corners), 1)))


def draw_triangles(corners: Float32, colors: Float32) -> None:
    """Draw triangles: their corners `(3 N, 2)` in pixels of the region, and the corners' colors `(3 N, 4)`."""
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    values: dict[str, Any] = {"pos": corners, "color": colors}
    gpu.state.blend_set("ALPHA")
    batch_for_shader(shader, "TRIS", values).draw(shader)
    gpu.state.blend_set("NONE")
