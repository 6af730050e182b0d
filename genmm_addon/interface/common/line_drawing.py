# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines drawn in the viewport over the scene; they are not saved in the file."""

from typing import Any

import gpu
import numpy as np
from bpy.types import Context
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

THICKNESS = 2.5
"""Line width in pixels, at an interface scale of 1."""


def draw_lines(context: Context, points: NDArray[np.floating], colors: NDArray[np.floating]) -> None:
    """Draw a line between each pair of world points `(2 L, 3)`; colors: RGBA `(2 L, 4)`, one per point."""
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", THICKNESS * context.preferences.system.ui_scale)
    values: dict[str, Any] = {"pos": points, "color": colors}
    gpu.state.blend_set("ALPHA")
    batch_for_shader(shader, "LINES", values).draw(shader)
    gpu.state.blend_set("NONE")
