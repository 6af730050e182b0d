# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines drawn into the viewport over the scene; nothing of them is in the file."""

from typing import Any

import gpu
import numpy as np
from bpy.types import Context
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

THICKNESS = 2.5
"""Pixels, times the scale of the interface."""


def draw_lines(context: Context, points: NDArray[np.floating], colors: NDArray[np.floating]) -> None:
    """Draw lines between each two points `(2 L, 3)` in the world; colors: `(2 L, 4)` red, green, blue, opacity."""
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", THICKNESS * context.preferences.system.ui_scale)
    values: dict[str, Any] = {"pos": points, "color": colors}
    gpu.state.blend_set("ALPHA")
    batch_for_shader(shader, "LINES", values).draw(shader)
    gpu.state.blend_set("NONE")
