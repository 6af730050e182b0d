# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of trajectories: their points, colors and labels, and the search for the one nearest to the mouse."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...editing.filling.trajectories import FoundTrajectory

Float32 = NDArray[np.float32]

COLORS = {"usual": (0.25, 0.75, 1.0), "fastest": (0.45, 0.9, 0.35), "widest": (0.85, 0.5, 1.0)}
"""Colors by the first of a trajectory's names."""
UNNAMED = (0.65, 0.65, 0.65)
CHOSEN = (1.0, 0.75, 0.25)
PLAIN, STRONG = 0.75, 1.0
"""Opacities of a line, and of the chosen one."""
CATCHES = 24.0
"""Distance within which the mouse picks a line, in pixels."""


def color_of(trajectory: FoundTrajectory, *, chosen: bool) -> tuple[float, float, float, float]:
    """Return the color of a trajectory."""
    named = [COLORS[name.value] for name in trajectory.trajectory.names]
    return (*CHOSEN, STRONG) if chosen else (*(named[0] if named else UNNAMED), PLAIN)


def trajectory_lines(trajectories: Sequence[FoundTrajectory], chosen: int) -> tuple[Float32, Float32]:
    """Return line segments as pairs of points `(2 N, 3)` and colors `(2 N, 4)`; the chosen trajectory comes last."""
    order = [*(number for number in range(len(trajectories)) if number != chosen), chosen]
    points = [
        np.stack((trajectories[at].points[:-1], trajectories[at].points[1:]), axis=1).reshape(-1, 3) for at in order
    ]
    colors = [
        np.tile(color_of(trajectories[at], chosen=at == chosen), (len(line), 1))
        for at, line in zip(order, points, strict=True)
    ]
    return np.concatenate(points).astype(np.float32), np.concatenate(colors).astype(np.float32)


def label_of(number: int, trajectory: FoundTrajectory) -> str:
    """Return the text beside a trajectory, with its recorded duration in seconds; number: from 0."""
    words = f" {trajectory.trajectory.said}" if trajectory.trajectory.said else ""
    return f"{number + 1}{words}: {trajectory.trajectory.seconds:.1f} s"


def nearest_line(on_screen: Sequence[NDArray[np.floating]], mouse: tuple[float, float]) -> int | None:
    """Return the number of the line nearest to the mouse, within CATCHES; None without one.

    on_screen: the points `(T, 2)` of each line in pixels, nan where they are not visible.
    """
    best, nearest = CATCHES, None
    for number, points in enumerate(on_screen):
        start, step = points[:-1], np.diff(points, axis=0)
        share = np.sum((np.array(mouse) - start) * step, axis=1) / np.maximum(np.sum(step * step, axis=1), 1e-9)
        near = start + np.clip(share, 0.0, 1.0)[:, None] * step
        away = np.linalg.norm(near - mouse, axis=1)
        away = float(away[np.isfinite(away)].min(initial=np.inf))
        if away < best:
            best, nearest = away, number
    return nearest
