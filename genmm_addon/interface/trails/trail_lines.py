# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of trails, in colors that show the reach of a drag, and the search for the point under the mouse."""

from collections.abc import Mapping

import numpy as np

from ...core import Array
from ..common.line_drawing import ColoredLines
from ..trajectories.lines import CHOSEN, PLAIN, STRONG, UNNAMED


def trail_lines(path: Array, weights: Array) -> ColoredLines:
    """Return the lines through a path `(T, 3)`; weights: `(T,)` of a drag, 1 at its frame, 0 beyond its reach."""
    colors = np.array((*UNNAMED, PLAIN)) + weights[:, None] * np.subtract((*CHOSEN, STRONG), (*UNNAMED, PLAIN))
    pairs = (np.stack((values[:-1], values[1:]), axis=1) for values in (path, colors))
    points, shades = (values.reshape(-1, values.shape[2]).astype(np.float32) for values in pairs)
    return ColoredLines(points, shades)


def nearest_point(on_screen: Mapping[str, Array], mouse: tuple[float, float], within: float) -> tuple[str, int] | None:
    """Return the name of the line, and the number of its point, nearest to the mouse; None if none is `within` pixels.

    on_screen: the points `(T, 2)` of each line in pixels, nan where they are not visible.
    """
    best, nearest = within, None
    for name, points in on_screen.items():
        away = np.nan_to_num(np.linalg.norm(points - mouse, axis=1), nan=np.inf)
        if away.min(initial=np.inf) < best:
            best, nearest = float(away.min()), (name, int(np.argmin(away)))
    return nearest
