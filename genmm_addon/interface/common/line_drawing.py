# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines drawn in the viewport over the scene; they are not saved in the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gpu
import numpy as np
from bpy.types import Context
from gpu_extras.batch import batch_for_shader

from ...animation.points import placed
from ...core import Array, Float32

THICKNESS = 2.5
"""Line width in pixels, at an interface scale of 1."""
UNUSED = 0.35
"""Opacity of pins and waypoints while they are switched off."""

Color = tuple[float, float, float, float]


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
