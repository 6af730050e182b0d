# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of trails in the viewports: their points, the one under the mouse, and the pose of a drag."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.types import Context

from ...control_rigs.drag_in_action import Drag, Trails
from ..common.line_drawing import ColoredLines, draw_lines, in_world, lines_of
from ..common.motion_ghosts import motion_lines
from ..common.screen_units import widget_height
from ..common.viewport_drawing import ViewportDrawing, draw_text_beside
from ..trajectories.lines import CHOSEN, STRONG
from .trail_lines import trail_lines


class ShownTrails(ViewportDrawing):
    """The trails being drawn, the point under the mouse, and the drag."""

    def __init__(self, trails: Trails) -> None:
        self.trails = trails
        self.point: tuple[str, int] | None = None
        """The bone, and the row of its trail, under the mouse or being dragged."""
        self.drag: Drag | None = None
        self._paths = dict(trails.paths)
        self._ghost: Sequence[ColoredLines] = ()
        super().__init__()

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

    def draw_lines(self, context: Context) -> None:
        """Draw the trails, and the pose of a drag."""
        trails, drag = self.trails, self.drag
        for bone, path in self.paths().items():
            weights = np.zeros(len(path))
            if drag is not None and bone == drag.bone:
                weights = trails.draggable(bone).weights(trails.row_of(drag), trails.reach_of(drag))[trails.shown]
            draw_lines(context, trail_lines(path, weights))
        for lines in self._ghost:
            draw_lines(context, lines)

    def draw_texts(self, context: Context) -> None:
        """Draw a mark on the point under the mouse, with its frame."""
        if self.point is None:
            return
        bone, row = self.point
        frame = f"{bone}, frame {self.trails.frames[row]:g}"
        text = frame if self.drag is None else f"{frame}, reach {self.drag.reach}"
        at = draw_text_beside(context, self._paths[bone][row], text, (*CHOSEN, STRONG))
        if at is None:
            return
        corners = np.array(at) + widget_height(context) / 4 * np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 0)])
        edges = np.stack((corners[:-1], corners[1:]), axis=1).reshape(-1, 2)
        draw_lines(context, lines_of([(edges, (*CHOSEN, STRONG))]))
