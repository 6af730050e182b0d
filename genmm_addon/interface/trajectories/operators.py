# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose Trajectory: trajectories through a range in the viewport, each with a ghost; one of them fills the range."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import bpy
from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.scene_time import scene_rate
from ...core import Float64, InputError
from ...editing.filling.filling import FillRequest
from ...editing.filling.record import keep_record
from ...editing.filling.trajectories import FoundTrajectory, find_trajectories, take_trajectory
from ...libraries.choosing import LibraryChoice
from ...state.edit_properties import FillingProperties
from ...state.properties import scene_properties
from ..common.blender_bases import Outcome, report_done, reports_refusal
from ..common.draw_handlers import redraw
from ..common.drawing import in_columns
from ..common.framing import mouse_in, points_on_screen, viewport_of
from ..common.line_drawing import draw_lines
from ..common.motion_ghosts import placed_by_keys
from ..common.progress_display import busy, show_status
from ..common.screen_units import widget_height
from ..common.user_input import NAVIGATING, cancels, confirms, is_undo
from ..common.viewport_drawing import ViewportDrawing, draw_text_beside
from ..timeline.fill_operators import range_task
from ..timeline.library_first import LibraryFirst, other_library
from ..timeline.stretch_operator import ActionOperator, edited_or_refused, frames_of, on_layer, play_all
from .lines import STRONG, color_of, ghost_lines, label_of, nearest_line, trajectory_lines

NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
STEPS = {"RIGHT_ARROW": 1, "UP_ARROW": 1, "TAB": 1, "LEFT_ARROW": -1, "DOWN_ARROW": -1}
RANGE = ("range_choice", "first_frame", "last_frame", "moves_following")
"""Values taken from the panel: those of the range, since the duration is the trajectory's own."""
NAMES = (
    ("NUMBER", "Number", "The trajectory with a number in the list"),
    ("USUAL", "Usual", "The trajectory of most places in the examples"),
    ("FASTEST", "Fastest", "The trajectory that takes the least time"),
    ("WIDEST", "Widest", "The trajectory that leads farthest from the straight line"),
)


class GENMM_OT_choose_trajectory(FillingProperties, LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.choose_trajectory"
    bl_label = "Choose Trajectory"
    bl_description = (
        "Show the trajectories over the ground that the examples offer between the two poses of the range; "
        "the character's ghost moves along the one under the mouse, and a click fills the range with its motion"
    )

    named: EnumProperty(name="Trajectory", description="The trajectory to take", items=NAMES, default="NUMBER")
    number: IntProperty(name="Number", description="The number of the trajectory in the list, from 1", default=1, min=1)
    library: other_library()

    # Cast and not annotated, as in the bases.
    _offered = cast("OfferedTrajectories | None", None)
    _view = cast(Any, None)
    _timer = cast(Any, None)

    def draw(self, _context: Context) -> None:
        """Draw the values of Adjust Last Operation."""
        layout = in_columns(self.layout)
        for name in (*RANGE[:1], *(RANGE[1:3] if self.range_choice == "FRAMES" else ()), *RANGE[3:]):
            layout.prop(self, name)
        layout.prop(self, "named")
        if self.named == "NUMBER":
            layout.prop(self, "number")

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the range from the panel, and offer the trajectories."""
        self.take_panel(scene_properties(context.scene).filling, RANGE)
        return self.once_ready(context)

    @reports_refusal
    def when_ready(self, context: Context) -> Outcome:
        """Draw the trajectories, and wait for a choice."""
        viewport = viewport_of(context, or_largest=True)
        if viewport is None:
            raise InputError("Trajectories are shown in a 3D viewport; open one in this window.")
        self._view = viewport[1:]
        request, library = self._asked(context)
        task = range_task(context, request, library)
        with busy(context):
            trajectories = find_trajectories(task, request)
        # The range stays at these frames, whatever is selected later.
        self.range_choice = "FRAMES"
        self.first_frame, self.last_frame = round(request.first), round(request.last)
        self._offered = OfferedTrajectories(trajectories, task.character)
        self._timer = context.window_manager.event_timer_add(1.0 / scene_rate(context.scene), window=context.window)
        self.remember_edited(context)
        self._say(context)
        if not self.has_waited:
            context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Follow mouse and keys until a trajectory is chosen or the choice is canceled."""
        offered = self._offered
        if offered is None:
            return super().modal(context, event)
        if self.has_lost_edited(context):
            self._end(context)
            return {"CANCELLED"}
        if event.type == "TIMER":
            redraw(context, regions=("WINDOW",))
            return {"PASS_THROUGH"}
        if event.type in NAVIGATING or (event.type == "MOUSEMOVE" and not self._follow(context, event)):
            return {"PASS_THROUGH"}
        if event.value != "PRESS" or is_undo(context, event):
            return {"RUNNING_MODAL"}
        if cancels(event):
            self._end(context)
            return {"CANCELLED"}
        if confirms(event) or (event.type == "LEFTMOUSE" and self._is_on_line(event)):
            self.named, self.number = "NUMBER", offered.chosen + 1
            self._end(context)
            return self.execute(context)
        key = event.type.removeprefix("NUMPAD_")
        count = len(offered.trajectories)
        if key in NUMBERS[:count] or key in {str(index + 1) for index in range(count)}:
            offered.choose(NUMBERS.index(key) if key in NUMBERS else int(key) - 1)
        elif event.type in STEPS:
            offered.choose((offered.chosen + STEPS[event.type]) % count)
        self._say(context)
        return {"RUNNING_MODAL"}

    @reports_refusal
    def execute(self, context: Context) -> None:
        """Fill the range with a trajectory, and report which."""
        with on_layer(context):
            request, library = self._asked(context)
            task = range_task(context, request, library)
            asked = self.number if self.named == "NUMBER" else str(self.named).lower()
            with busy(context):
                filled = take_trajectory(task, request, asked)
            alternatives = scene_properties(context.scene).filling.alternatives
            keep_record(task.action, task.slot, filled, alternatives, library.files[0] if library else "")
            end = float(task.action.frame_range[1])
            shown = play_all(context, task.character, end) if request.moves_following else ""
            if shown:
                self.report({"INFO"}, shown.strip())
            redraw(context, "DOPESHEET_EDITOR")
            where = f"Frames {filled.first:g} to {filled.last:g}"
            report_done(self, filled.notes, f'{where} follow a trajectory from "{filled.source}".')

    def cancel(self, context: Context) -> None:
        """Stop drawing; Blender calls this when it quits or loads another file."""
        super().cancel(context)
        self._end(context)

    def _asked(self, context: Context) -> tuple[FillRequest, LibraryChoice | None]:
        first, last = frames_of(self, context.scene, *edited_or_refused(context))
        return FillRequest(first, last, moves_following=self.moves_following), self.library_choice(context)

    def _follow(self, context: Context, event: Event) -> bool:
        """Choose the trajectory under the mouse; return whether the choice changed."""
        offered, near = self._offered, self._near(event)
        if offered is None or near is None or near == offered.chosen:
            return False
        offered.choose(near)
        self._say(context)
        return True

    def _is_on_line(self, event: Event) -> bool:
        near = self._near(event)
        if near is not None and self._offered is not None:
            self._offered.choose(near)
        return near is not None

    def _near(self, event: Event) -> int | None:
        region, data = self._view
        offered, within = self._offered, widget_height(bpy.context)
        if offered is None:
            return None
        return nearest_line(on_screen(offered.trajectories, region, data), mouse_in(region, event), within)

    def _say(self, context: Context) -> None:
        offered = self._offered
        if offered is None:
            return
        chosen = offered.trajectories[offered.chosen]
        words = f" ({chosen.trajectory.said})" if chosen.trajectory.said else ""
        show_status(
            context,
            f'Trajectory {offered.chosen + 1} of {len(offered.trajectories)}{words}, from "{chosen.source}"    |    '
            "Click a line or press Enter to use it; numbers and arrows choose    |    Esc to leave",
        )
        redraw(context)

    def _end(self, context: Context) -> None:
        offered, self._offered = self._offered, None
        if offered is not None:
            offered.end()
            context.window_manager.event_timer_remove(self._timer)
            show_status(context, None)
            redraw(context)


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
