# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of trajectories and of the ghosts along them, their colors and labels, and the line nearest to the mouse."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Object

from ...core import Array
from ...editing.filling.trajectories import FoundTrajectory
from ..common.line_drawing import Color, ColoredLines, in_world, joined, lines_of
from ..common.motion_ghosts import motion_lines

COLORS = {"usual": (0.25, 0.75, 1.0), "fastest": (0.45, 0.9, 0.35), "widest": (0.85, 0.5, 1.0)}
"""Colors by the first of a trajectory's names."""
UNNAMED = (0.65, 0.65, 0.65)
CHOSEN = (1.0, 0.75, 0.25)
PLAIN, STRONG = 0.75, 1.0
"""Opacities of a line, and of the chosen one."""


def color_of(trajectory: FoundTrajectory, *, chosen: bool) -> Color:
    """Return the color of a trajectory."""
    named = [COLORS[name.value] for name in trajectory.trajectory.names]
    return (*CHOSEN, STRONG) if chosen else (*(named[0] if named else UNNAMED), PLAIN)


def trajectory_lines(trajectories: Sequence[FoundTrajectory], chosen: int) -> ColoredLines:
    """Return the lines of all trajectories; the chosen one comes last."""
    order = [*(number for number in range(len(trajectories)) if number != chosen), chosen]
    pieces = []
    for number in order:
        pieces.append((joined(trajectories[number].points), color_of(trajectories[number], chosen=number == chosen)))
    return lines_of(pieces)


def ghost_lines(trajectory: FoundTrajectory, character: Object, frame: int) -> ColoredLines:
    """Return the lines of the character's pose at a frame of a trajectory's motion, and faint ones of a few others."""
    lines = motion_lines(trajectory.motion, character, frame, trajectory.moved, CHOSEN)
    return in_world(lines, trajectory.to_world)


def label_of(number: int, trajectory: FoundTrajectory) -> str:
    """Return the text beside a trajectory, with its recorded duration in seconds; number: from 0."""
    words = f" {trajectory.trajectory.said}" if trajectory.trajectory.said else ""
    return f"{number + 1}{words}: {trajectory.trajectory.seconds:.1f} s"


def nearest_line(on_screen: Sequence[Array], mouse: tuple[float, float], within: float) -> int | None:
    """Return the number of the line nearest to the mouse, within a number of pixels; None without one.

    on_screen: the points `(T, 2)` of each line in pixels, nan where they are not visible.
    """
    best, nearest = within, None
    for number, points in enumerate(on_screen):
        start, step = points[:-1], np.diff(points, axis=0)
        share = np.sum((np.array(mouse) - start) * step, axis=1) / np.maximum(np.sum(step * step, axis=1), 1e-9)
        near = start + np.clip(share, 0.0, 1.0)[:, None] * step
        away = np.linalg.norm(near - mouse, axis=1)
        away = float(away[np.isfinite(away)].min(initial=np.inf))
        if away < best:
            best, nearest = away, number
    return nearest
