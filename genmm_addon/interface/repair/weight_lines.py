# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of a body's weight: the path of its center of mass, flights along gravity, and the support at a frame."""

import numpy as np

from ...core import Float64
from ...editing.repairing.weight import WeightOverTime
from ..common.line_drawing import Color, ColoredLines, in_world, lines_of

PATH: Color = (0.85, 0.9, 1.0, 0.55)
ARC: Color = (1.0, 0.75, 0.2, 0.9)
BALANCED: Color = (0.3, 0.9, 0.4, 0.9)
TOPPLING: Color = (1.0, 0.3, 0.25, 0.9)
IN_AIR: Color = (0.7, 0.7, 0.7, 0.6)
CROSS = 0.02
"""Half the length of the arms of a cross, as a share of the size."""

Points = Float64


def weight_lines(weight: WeightOverTime, frame: float, to_world: Points) -> ColoredLines:
    """Return the lines of a body's weight in the world; frame: of the scene, to_world: `(4, 4)` from the roots' space.

    At the frame, crosses mark the center of mass and, on the ground, the center and the extrapolated center. The
    polygon of support is green if the extrapolated center is inside, and red otherwise.
    """
    axes, level = weight.support.axes, weight.support.level
    now = int(np.clip(round(frame - weight.first), 0, len(weight.center) - 1))
    outside, arm = weight.outside[now], CROSS * weight.skeleton.size
    color = IN_AIR if np.isnan(outside) else BALANCED if outside <= 0 else TOPPLING
    center = weight.center[now]
    below, ahead = (_on_ground(point, axes, level) for point in (center, weight.ahead[now]))
    pieces = [
        (_joined(weight.center), PATH),
        *((_joined(arc), ARC) for arc in weight.arcs),
        (_cross(center, axes, arm), PATH),
        (np.stack((center, below)), PATH),
        (_cross(below, axes[:2], arm / 2), color),
        (np.stack((below, ahead)), color),
        (_cross(ahead, axes[:2], arm), color),
        (_joined(weight.support.polygon(now), closed=True), color),
    ]
    return in_world(lines_of(pieces), to_world)


def _on_ground(point: Points, axes: Points, level: float) -> Points:
    return np.asarray(point + (level - point @ axes[2]) * axes[2])


def _joined(points: Points, *, closed: bool = False) -> Points:
    """Return a line through points `(N, 3)` as pairs of points `(2 L, 3)`."""
    if closed and len(points):
        points = np.concatenate((points, points[:1]))
    return np.stack((points[:-1], points[1:]), axis=1).reshape(-1, 3)


def _cross(center: Points, axes: Points, arm: float) -> Points:
    """Return the arms of a cross along axes `(N, 3)` as pairs of points `(2 N, 3)`."""
    return np.stack((center - arm * axes, center + arm * axes), axis=1).reshape(-1, 3)
