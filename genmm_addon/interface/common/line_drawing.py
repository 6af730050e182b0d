# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, rectangles and triangles drawn in an editor, and the frames on its screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gpu
import numpy as np
from bpy.types import Context, Region
from gpu_extras.batch import batch_for_shader

from ...animation.points import placed
from ...core import Array, Float32, Float64

THICKNESS = 2.5
"""Line width in pixels, at an interface scale of 1."""
UNUSED = 0.35
"""Opacity of pins and waypoints while they are switched off."""

Color = tuple[float, float, float, float]
FRAME_NUMBERS = 25
"""Height of Blender's row of frame numbers at the top, in pixels at an interface scale of 1."""


@dataclass(frozen=True, eq=False)
class ColoredLines:
    """Lines in one space, each between a pair of points: points `(2 L, 2 or 3)`, colors `(2 L, 4)` with alpha."""

    points: Float32
    colors: Float32


def lines_of(pieces: Sequence[tuple[Array, Color]]) -> ColoredLines:
    """Return lines from pieces: pairs of points `(2 N, 2 or 3)`, and the color of all of them."""
    points = [np.zeros((0, pieces[0][0].shape[1] if pieces else 3)), *(points for points, _ in pieces)]
    colors = [np.zeros((0, 4)), *(np.tile(color, (len(points), 1)) for points, color in pieces)]
    return ColoredLines(np.concatenate(points).astype(np.float32), np.concatenate(colors).astype(np.float32))


def joined(points: Array, *, closed: bool = False) -> Float64:
    """Return a line through points or colors `(N, C)` as pairs of them `(2 L, C)`."""
    if closed and len(points):
        points = np.concatenate((points, points[:1]))
    return np.stack((points[:-1], points[1:]), axis=1, dtype=np.float64).reshape(-1, points.shape[1])


def in_world(lines: ColoredLines, matrix: Array) -> ColoredLines:
    """Return the lines transformed into the world by `matrix` `(4, 4)`."""
    return ColoredLines(placed(matrix, lines.points).astype(np.float32), lines.colors)


def draw_lines(context: Context, lines: ColoredLines, width: float | None = None) -> None:
    """Draw lines in the space of the drawing: the world, or the region's pixels. width: in pixels, if not the usual."""
    if not len(lines.points):
        return
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", width or THICKNESS * context.preferences.system.ui_scale)
    values: dict[str, Any] = {"pos": lines.points, "color": lines.colors}
    gpu.state.blend_set("ALPHA")
    batch_for_shader(shader, "LINES", values).draw(shader)
    gpu.state.blend_set("NONE")


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
