# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of the offered trajectories in the viewports, with a ghost of the character along the chosen one."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpy.types import Context, Object

from ...core import Float64
from ...editing.filling.trajectories import FoundTrajectory
from ..common.line_drawing import draw_lines
from ..common.motion_ghosts import placed_by_keys
from ..common.viewport_drawing import ViewportDrawing, draw_text_beside
from ..common.viewport_points import points_on_screen
from .lines import STRONG, color_of, ghost_lines, label_of, trajectory_lines


class OfferedTrajectories(ViewportDrawing):
    """The trajectories being drawn, and the chosen one, along which a ghost of the character moves."""

    def __init__(self, trajectories: Sequence[FoundTrajectory], character: Object) -> None:
        first = trajectories[0]
        moved = placed_by_keys(first.motion, first.moved, first.to_world, character)
        self.trajectories = tuple(replace(trajectory, moved=moved) for trajectory in trajectories)
        self.character, self.chosen = character, 0
        self._began = time.monotonic()
        super().__init__()

    def choose(self, number: int) -> None:
        """Choose a trajectory by its number from 0; its ghost begins at the first pose."""
        if number != self.chosen:
            self.chosen, self._began = number, time.monotonic()

    @property
    def frame(self) -> int:
        """Return the frame of the chosen motion, from 0, that its ghost shows now; after the last comes the first."""
        motion = self.trajectories[self.chosen].motion
        return int((time.monotonic() - self._began) * motion.frames_per_second) % motion.frames

    def draw_lines(self, context: Context) -> None:
        """Draw the trajectories, and the ghost."""
        draw_lines(context, trajectory_lines(self.trajectories, self.chosen))
        draw_lines(context, ghost_lines(self.trajectories[self.chosen], self.character, self.frame))

    def draw_texts(self, context: Context) -> None:
        """Draw what is known of each trajectory beside it."""
        for number, trajectory in enumerate(self.trajectories):
            # Labels stand at different shares of their lines, so that those of close lines do not overlap.
            share = (number + 1) / (len(self.trajectories) + 1)
            at = trajectory.points[round(share * (len(trajectory.points) - 1))]
            color = color_of(trajectory, chosen=number == self.chosen)[:3]
            draw_text_beside(context, at, label_of(number, trajectory), (*color, STRONG))


def on_screen(trajectories: Sequence[FoundTrajectory], region: Any, data: Any) -> list[Float64]:
    """Return the points `(T, 2)` of each trajectory in a region, in pixels; nan where they are not visible."""
    return [points_on_screen(trajectory.points, region, data) for trajectory in trajectories]
