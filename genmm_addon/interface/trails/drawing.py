# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of trails in the viewports: their points, the one under the mouse, and the pose of a drag."""

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import numpy as np
from bpy.types import SpaceView3D
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...control_rigs.drag_in_action import Drag, Trails
from ..common.line_drawing import ColoredLines, draw_lines, in_world, lines_of
from ..common.screen_units import set_text, widget_height
from ..exploring.preview import motion_lines
from ..trajectories.lines import CHOSEN, STRONG
from .trail_lines import trail_lines


class ShownTrails:
    """The trails being drawn, the point under the mouse, and the drag."""

    def __init__(self, trails: Trails) -> None:
        self.trails = trails
        self.point: tuple[str, int] | None = None
        """The bone, and the row of its trail, under the mouse or being dragged."""
        self.drag: Drag | None = None
        self._paths = dict(trails.paths)
        self._ghost: Sequence[ColoredLines] = ()
        view = bpy.types.SpaceView3D
        self._handlers = [
            view.draw_handler_add(self._draw_lines, (), "WINDOW", "POST_VIEW"),
            view.draw_handler_add(self._draw_point, (), "WINDOW", "POST_PIXEL"),
        ]

    def end(self) -> None:
        """Stop drawing."""
        while self._handlers:
            bpy.types.SpaceView3D.draw_handler_remove(self._handlers.pop(), "WINDOW")

    def show(self, drag: Drag) -> None:
        """Show the motion that follows a drag."""
        trails, self.drag = self.trails, drag
        motion = trails.dragged(drag)
        self._paths = {bone: trails.path_of(bone, motion) for bone in trails.paths}
        keyed = trails.edited.reading.keyed
        pose = motion.take(np.array([trails.row_of(drag)]))
        lines = motion_lines(pose, trails.edited.character, 0.0, {*keyed.rotations, *keyed.locations}, CHOSEN)
        self._ghost = (in_world(lines, trails.to_world),)

    def paths(self) -> dict[str, Any]:
        """Return the points `(T, 3)` of the trails that are drawn, in the world, by bone."""
        return {bone: path[self.trails.shown] for bone, path in self._paths.items()}

    def _draw_lines(self) -> None:
        if not isinstance(bpy.context.space_data, SpaceView3D):
            return
        trails, drag = self.trails, self.drag
        for bone, path in self.paths().items():
            weights = np.zeros(len(path))
            if drag is not None and bone == drag.bone:
                reach = min(drag.reach, trails.longest)
                weights = trails.draggable(bone).weights(trails.row_of(drag), reach)[trails.shown]
            draw_lines(bpy.context, trail_lines(path, weights))
        for lines in self._ghost:
            draw_lines(bpy.context, lines)

    def _draw_point(self) -> None:
        context = bpy.context
        region, space = context.region, context.space_data
        if region is None or not isinstance(space, SpaceView3D) or self.point is None:
            return
        bone, row = self.point
        at = location_3d_to_region_2d(region, space.region_3d, self._paths[bone][row])
        if at is None:
            return
        beside = widget_height(context) / 2
        corners = np.array(at) + beside / 2 * np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 0)])
        edges = np.stack((corners[:-1], corners[1:]), axis=1).reshape(-1, 2)
        draw_lines(context, lines_of([(edges, (*CHOSEN, STRONG))]))
        blf.position(0, at.x + beside, at.y + beside, 0.0)
        set_text(context, (*CHOSEN, STRONG))
        frame = f"{bone}, frame {self.trails.frames[row]:g}"
        blf.draw(0, frame if self.drag is None else f"{frame}, reach {self.drag.reach}")
