# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of the offered trajectories in the viewports."""

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import numpy as np
from bpy.types import SpaceView3D
from bpy_extras.view3d_utils import location_3d_to_region_2d
from numpy.typing import NDArray

from ...editing.filling.trajectories import FoundTrajectory
from ..common.line_drawing import draw_lines
from ..common.screen_units import set_text, widget_height
from ..common.viewport_points import points_on_screen
from .lines import color_of, label_of, trajectory_lines


class OfferedTrajectories:
    """The trajectories being drawn, and the chosen one."""

    def __init__(self, trajectories: Sequence[FoundTrajectory]) -> None:
        self.trajectories, self.chosen = tuple(trajectories), 0
        view = bpy.types.SpaceView3D
        self._handlers = [
            view.draw_handler_add(self._draw_lines, (), "WINDOW", "POST_VIEW"),
            view.draw_handler_add(self._draw_labels, (), "WINDOW", "POST_PIXEL"),
        ]

    def end(self) -> None:
        """Stop drawing."""
        while self._handlers:
            bpy.types.SpaceView3D.draw_handler_remove(self._handlers.pop(), "WINDOW")

    def _draw_lines(self) -> None:
        if isinstance(bpy.context.space_data, SpaceView3D):
            draw_lines(bpy.context, trajectory_lines(self.trajectories, self.chosen))

    def _draw_labels(self) -> None:
        context = bpy.context
        region, space = context.region, context.space_data
        if region is None or not isinstance(space, SpaceView3D):
            return
        beside = widget_height(context) / 2
        for number, trajectory in enumerate(self.trajectories):
            # Labels stand at different shares of their lines, so that those of close lines do not overlap.
            share = (number + 1) / (len(self.trajectories) + 1)
            at = trajectory.points[round(share * (len(trajectory.points) - 1))]
            position = location_3d_to_region_2d(region, space.region_3d, at)
            if position is None:
                continue
            blf.position(0, position.x + beside, position.y + beside, 0.0)
            set_text(context, color_of(trajectory, chosen=number == self.chosen))
            blf.draw(0, label_of(number, trajectory))


def on_screen(trajectories: Sequence[FoundTrajectory], region: Any, data: Any) -> list[NDArray[np.float64]]:
    """Return the points `(T, 2)` of each trajectory in a region, in pixels; nan where they are not visible."""
    return [points_on_screen(trajectory.points, region, data) for trajectory in trajectories]
