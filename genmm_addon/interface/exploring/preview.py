# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that show a place over the character: its pose at the current frame, and a few other poses faintly."""

import numpy as np
from bpy.types import Object

from ...libraries.exploring.laying import LaidPlace
from ..common.line_drawing import ColoredLines, in_world
from ..common.motion_ghosts import motion_lines

COLOR = (0.45, 0.95, 0.35)


def place_lines(laid: LaidPlace, armature: Object, frame: float) -> ColoredLines:
    """Return the lines of a place in the world; before and after it, those of its first or last pose."""
    lines = motion_lines(laid.motion, armature, frame - laid.first, laid.moved, COLOR)
    return in_world(lines, np.array(armature.matrix_world, np.float64))
