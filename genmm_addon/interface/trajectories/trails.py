# SPDX-License-Identifier: GPL-3.0-or-later
"""The trails of bones in the viewport, and the operator that drags them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import numpy as np
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator
from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Vector

from ...control_rigs.controls import check_followed
from ...control_rigs.drag_in_action import Drag, Trails, find_trails, write_drag
from ...core import Array, InputError
from ...editing.filling.ranges import RangeChoice, chosen_range
from ...editing.naturalizing import NaturalRequest, make_natural
from ...requests.edit_examples import stretch_task
from ...state.selection import selected_bones
from ..common.blender_bases import Outcome, reports_refusal
from ..common.draw_handlers import redraw
from ..common.drawing import in_columns
from ..common.framing import mouse_in, points_on_screen, viewport_of
from ..common.line_drawing import ColoredLines, draw_lines, in_world, joined, lines_of
from ..common.motion_ghosts import motion_lines
from ..common.progress_display import busy, show_status
from ..common.screen_units import widget_height
from ..common.user_input import NAVIGATING, cancels, confirms, is_undo
from ..common.viewport_drawing import ViewportDrawing, draw_text_beside
from ..timeline.stretch_operator import ActionOperator, edited_action, on_layer
from .lines import CHOSEN, PLAIN, STRONG, UNNAMED

WHEEL = {"WHEELUPMOUSE": 1, "WHEELDOWNMOUSE": -1, "PAGE_UP": 1, "PAGE_DOWN": -1}
"""Input that makes the reach of a drag longer or shorter."""


def trail_lines(path: Array, weights: Array) -> ColoredLines:
    """Return the lines through a path `(T, 3)`; weights: `(T,)` of a drag, 1 at its frame, 0 beyond its reach."""
    colors = np.array((*UNNAMED, PLAIN)) + weights[:, None] * np.subtract((*CHOSEN, STRONG), (*UNNAMED, PLAIN))
    return ColoredLines(joined(path).astype(np.float32), joined(colors).astype(np.float32))


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
        corners = np.array(at) + widget_height(context) / 4 * np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
        draw_lines(context, lines_of([(joined(corners, closed=True), (*CHOSEN, STRONG))]))


class GENMM_OT_drag_trail(ActionOperator, Operator):
    bl_idname = "genmm.drag_trail"
    bl_label = "Drag Motion Trail"
    bl_description = (
        "Show the trails of the selected bones; drag a point of one, and the motion around its frame follows, with "
        "planted feet in place. The wheel sets the number of frames that follow"
    )

    bone: StringProperty(name="Bone", description="The bone that is dragged", options={"SKIP_SAVE"})
    frame: IntProperty(name="Frame", description="The frame at which the bone is dragged", options={"SKIP_SAVE"})
    offset: FloatVectorProperty(
        name="Offset",
        description="The movement of the bone at this frame, in the world",
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    reach: IntProperty(
        name="Reach",
        description="The number of frames before and after it that follow, less and less",
        default=12,
        min=1,
        soft_max=250,
    )
    natural: BoolProperty(
        name="Make Natural", description="Make the frames that followed move like the examples afterwards"
    )
    first: IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    last: IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    # Cast and not annotated, as in the bases.
    _shown = cast("ShownTrails | None", None)
    _view = cast(Any, None)
    _grabbed = cast("Vector | None", None)

    def draw(self, _context: Context) -> None:
        """Draw the values of Adjust Last Operation."""
        layout = in_columns(self.layout)
        for name in ("frame", "offset", "reach", "natural"):
            layout.prop(self, name)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Draw the trails, and wait for one to be dragged."""
        return self._show(context)

    @reports_refusal
    def _show(self, context: Context) -> Outcome:
        viewport = viewport_of(context, or_largest=True)
        if viewport is None:
            raise InputError("Trails are shown in a 3D viewport; open one in this window.")
        self._view = viewport[1:]
        with on_layer(context, adds=False), busy(context):
            edited = edited_action(context)
            if edited is None:
                return {"CANCELLED"}
            self.first, self.last = _shown_range(context, *edited)
            self._shown = ShownTrails(self._trails(context, *edited, selected_bones(edited[0])))
        self.remember_edited(context)
        self._say(context)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Follow the mouse until a point was dragged, or the operator is canceled."""
        shown = self._shown
        if shown is None:
            return {"CANCELLED"}
        if cancels(event) or self.has_lost_edited(context):
            self._end(context)
            return {"CANCELLED"}
        if self._grabbed is None:
            return self._hover(context, event, shown)
        is_released = event.type == "LEFTMOUSE" and event.value == "RELEASE"
        if (is_released or confirms(event)) and shown.drag is not None:
            return self._confirm(context, shown.drag)
        if is_released or confirms(event):
            self._grabbed = None
        elif event.type == "MOUSEMOVE":
            self._drag(context, event, shown)
        elif event.type in WHEEL and event.value == "PRESS":
            step = WHEEL[event.type] * max(1, self.reach // 8)
            self.reach = min(max(self.reach + step, 1), shown.trails.longest)
            if shown.drag is not None:
                shown.show(replace(shown.drag, reach=self.reach))
        self._say(context)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Stop drawing; Blender calls this when it quits or loads another file."""
        self._end(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Write the motion that follows the drag, and report its frames."""
        if self.first >= self.last:
            self.first, self.last = _shown_range(context, character, action, slot)
        with busy(context):
            trails = self._trails(context, character, action, slot, [self.bone])
            drag = Drag(self.bone, float(self.frame), self.offset[:], self.reach)
            first, last = write_drag(trails, drag)
            if self.natural and last > first:
                task = stretch_task(character, context.scene, action, slot, [(first, last)])
                for note in make_natural(task, NaturalRequest(first, last)).notes:
                    self.report({"WARNING"}, note)
        self.report({"INFO"}, f'Frames {first:g} to {last:g} follow "{self.bone}".')

    def _trails(self, context: Context, character: Object, action: Action, slot: str, bones: list[str]) -> Trails:
        shown = float(self.first), float(self.last)
        return find_trails(character, context.scene, action, slot, bones, shown)

    def _hover(self, context: Context, event: Event, shown: ShownTrails) -> Outcome:
        if event.type in NAVIGATING:
            return {"PASS_THROUGH"}
        if confirms(event):
            self._end(context)
            return {"CANCELLED"}
        if event.type not in {"MOUSEMOVE", "LEFTMOUSE"} or is_undo(context, event):
            return {"RUNNING_MODAL"}
        near = self._near(context, event, shown)
        if near != shown.point:
            shown.point = near
            self._say(context)
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and near is not None:
            return self._grab(context, event, shown, near)
        return {"RUNNING_MODAL"}

    def _grab(self, context: Context, event: Event, shown: ShownTrails, point: tuple[str, int]) -> Outcome:
        bone, row = point
        try:
            check_followed(shown.trails.edited, [(bone, shown.trails.frames[row : row + 1])])
        except InputError as error:
            self._end(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._grabbed = self._under(event, shown)
        self.bone, self.frame = bone, round(shown.trails.frames[row])
        self._say(context)
        return {"RUNNING_MODAL"}

    def _near(self, context: Context, event: Event, shown: ShownTrails) -> tuple[str, int] | None:
        """Return the bone and the row of the trail under the mouse."""
        on_screen = {bone: points_on_screen(path, *self._view) for bone, path in shown.paths().items()}
        near = nearest_point(on_screen, mouse_in(self._view[0], event), widget_height(context))
        return None if near is None else (near[0], near[1] + shown.trails.shown.start)

    def _under(self, event: Event, shown: ShownTrails) -> Vector:
        """Return the place under the mouse in the plane of the view through the point that is dragged."""
        bone, row = shown.point or ("", 0)
        start = Vector(shown.trails.paths[bone][row].tolist())
        region, data = self._view
        return region_2d_to_location_3d(region, data, mouse_in(region, event), start)

    def _drag(self, context: Context, event: Event, shown: ShownTrails) -> None:
        if self._grabbed is None:
            return
        offset = self._under(event, shown) - self._grabbed
        shown.show(Drag(self.bone, float(self.frame), (offset.x, offset.y, offset.z), self.reach))
        self._say(context)

    def _confirm(self, context: Context, drag: Drag) -> Outcome:
        self.offset = drag.offset
        self._end(context)
        return self.execute(context)

    def _say(self, context: Context) -> None:
        show_status(
            context,
            "Drag a point of a trail.    Enter or Esc: done"
            if self._grabbed is None
            else f'"{self.bone}" at frame {self.frame}, reach {self.reach} frames.    Wheel: reach    '
            "Release or Enter: keep    Esc: cancel",
        )
        redraw(context)

    def _end(self, context: Context) -> None:
        shown, self._shown, self._grabbed = self._shown, None, None
        if shown is not None:
            shown.end()
            show_status(context, None)
            redraw(context)


def _shown_range(context: Context, character: Object, action: Action, slot: str) -> tuple[int, int]:
    """Return the frames whose trails are shown: the selected keys, or the preview range, or all that plays."""
    scene = context.scene
    for choice in (RangeChoice.SELECTED, RangeChoice.PREVIEW):
        with suppress(InputError):
            first, last = chosen_range(character, action, slot, scene, choice, (0.0, 0.0))
            return round(first), round(last)
    return scene.frame_start, scene.frame_end
