# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer: a modal tool in the viewport."""

import time
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Context, Event, Object, Operator, Scene
from bpy_extras import view3d_utils

from ...animation.scene_time import scene_rate
from ...character.local_view import show_in_local_view
from ...core import Float64, InputError, Wish, counted
from ...libraries.indexed_examples import keep_examples
from ...requests.edit_examples import steering_examples
from ...state.properties import scene_properties
from ...state.selection import settings_character
from ...state.steering_properties import SteeringProperties
from ...steering.performance import Performed, write_performance
from ...steering.proxy import make_proxy, pose_proxy, read_pose
from ...steering.session import PACES, Session, library_to_make_ready, ready_to_steer
from ..common.blender_bases import Outcome, reports_refusal
from ..common.character_operator import GeneratingOperator
from ..common.framing import mouse_in, viewport_of
from ..common.preparing_first import Preparation, PreparingFirst
from ..common.progress_display import busy, show_status
from ..common.user_input import LOOKING, cancels, confirms, is_undo
from . import ending
from .steering_keys import DIRECTIONS, HELP, digit_of, direction_of_keys, world_direction

TICK_SECONDS = 1 / 60
"""Interval of the timer, in seconds; a redraw takes longer in most scenes."""
VELOCITY_SECONDS = 0.2
"""Time over which the velocity of a followed object is measured, in seconds."""


class GENMM_OT_steer(PreparingFirst, SteeringProperties, GeneratingOperator, Operator):
    bl_idname = "genmm.steer"
    bl_label = "Steer"
    bl_description = (
        "Steer the character through its examples with keys, the mouse or an object; the performance becomes a new "
        "action"
    )
    bl_options = {"UNDO"}  # nothing to adjust afterwards: the keys that steered are gone

    _session = cast("Session | None", None)
    _proxy = ""
    _character = ""
    _timer = cast(Any, None)
    _pressed = cast("set[str]", None)
    _goal = cast("Float64 | None", None)
    _followed = cast("list[tuple[float, Float64]]", None)
    _count_until = 0.0
    _frame = 1
    _made = cast("Performed | None", None)
    _problem = ""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why steering cannot begin; "" where it can."""
        if ending.is_running():
            return "A character is already being steered; end that with Enter or Esc"
        return super().why_not(context, character)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Prepare the examples and begin."""
        self.take_panel(scene_properties(context.scene).steering, SteeringProperties.__annotations__)
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "A character is steered in a 3D viewport; press Steer there.")
            return {"CANCELLED"}
        return self.once_ready(context)

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation of a library that is not ready for steering; else None. Raises InputError."""
        character = settings_character(context)
        assert character is not None
        choice = steering_examples(character, context.scene)
        waiting = library_to_make_ready(character, context.scene, choice)
        return None if waiting is None else Preparation(*waiting, keep_examples)

    @reports_refusal
    def when_ready(self, context: Context) -> Outcome:
        """Begin the session."""
        character = settings_character(context)
        assert character is not None
        choice = steering_examples(character, context.scene)
        with busy(context):
            steering = ready_to_steer(character, context.scene, choice, self.responsiveness)
        self._session = Session.at(steering, read_pose(character, steering.examples.reading.motions[0]))
        proxy = make_proxy(character, context.scene)
        show_in_local_view(context, [proxy])
        pose_proxy(proxy, self._session.state.given)
        self._proxy, self._character = proxy.name, character.name
        self._pressed, self._goal, self._followed = set(), None, []
        self._frame = context.scene.frame_current
        self._count_until = time.perf_counter() + self.count_in
        self._made, self._problem = None, ""
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        if not self.has_waited:
            context.window_manager.modal_handler_add(self)
        scene = context.scene.name
        ending.begin(lambda keep: self._ended(scene, keep))
        self._say(context)
        return {"RUNNING_MODAL"}

    def execute(self, _context: Context) -> Outcome:
        """Refuse: a script has no keys to steer with."""
        self.report({"ERROR"}, "Steer needs a window; core.Controller steers a character without one.")
        return {"CANCELLED"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Advance the session by the steps that are due, and handle keys and mouse."""
        if self._preparing is not None:
            return super().modal(context, event)
        session = self._session
        if not ending.is_running() or session is None:
            return self._over(context)
        if confirms(event) or cancels(event):
            ending.end(keep=confirms(event))
            return self._over(context)
        if event.type == "WINDOW_DEACTIVATE":
            # A key released in another window sends no event here.
            self._pressed.clear()
            return {"RUNNING_MODAL"}
        if event.type == "TIMER":
            return self._tick(context, session)
        if is_undo(context, event):
            return {"RUNNING_MODAL"}
        if event.type not in LOOKING:
            self._take(context, session, event)
        return {"PASS_THROUGH"} if event.type in LOOKING else {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Discard the session; Blender calls this when it quits or loads another file."""
        super().cancel(context)
        ending.end(keep=False)
        self._over(context)

    def _ended(self, scene: str, keep: bool) -> None:
        """Remove the proxy, and make the performance an action if it is kept."""
        session, self._session = self._session, None
        proxy = _object(self._proxy)
        if proxy is not None:
            bpy.data.objects.remove(proxy)
        character = _object(self._character)
        played_scene: Scene | None = bpy.data.scenes.get(scene)
        if self.plays_scene and played_scene is not None and played_scene.frame_current != self._frame:
            played_scene.frame_set(self._frame)
        if not keep or session is None:
            return
        if character is None:
            self._problem = f'"{self._character}" no longer exists; nothing was kept.'
            return
        try:
            self._made = write_performance(character, session, self._frame)
        except InputError as error:
            self._problem = str(error)

    def _over(self, context: Context) -> Outcome:
        """Restore the window, and report the action that was made."""
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        show_status(context, None)
        performance = self._made
        if performance is None:
            self.report({"WARNING" if self._problem else "INFO"}, self._problem or "Nothing was kept.")
            return {"CANCELLED"}
        kept = f' Action "{performance.before}" is kept in the file.' if performance.before else ""
        self.report(
            {"INFO"}, f'{counted(performance.frames, "frame")} performed, in action "{performance.action.name}".{kept}'
        )
        return {"FINISHED"}

    def _tick(self, context: Context, session: Session) -> Outcome:
        now, proxy = time.perf_counter(), _object(self._proxy)
        if proxy is None or _object(self._character) is None:
            ending.end(keep=True)
            return self._over(context)
        if now < self._count_until:
            session.start_clock(self._count_until)
            self._say(context, f"{int(self._count_until - now) + 1} ...")
            return {"RUNNING_MODAL"}
        if not session.frames and not session.paused:
            session.start_clock(session.begun or now)
        try:
            steps = session.advance(now, lambda: self._wish(context, session))
        except InputError as error:
            self._problem = str(error)
            ending.end(keep=True)
            return self._over(context)
        if steps:
            pose_proxy(proxy, session.frames[-1])
            if self.plays_scene:
                context.scene.frame_set(self._frame + len(session.frames))
            self._say(context)
        if session.full:
            ending.end(keep=True)
            return self._over(context)
        return {"RUNNING_MODAL"}

    def _take(self, context: Context, session: Session, event: Event) -> None:
        """Handle an event of a key or the mouse."""
        digit = digit_of(event.type)
        if event.type in DIRECTIONS:
            (self._pressed.add if event.value == "PRESS" else self._pressed.discard)(event.type)
            self._goal = None if event.value == "PRESS" else self._goal
        elif event.type == "SPACE" and event.value == "PRESS":
            session.paused = not session.paused
        elif digit is not None and event.value == "PRESS" and event.shift:
            session.pace = digit - 1 if 1 <= digit <= len(PACES) else session.pace
        elif digit is not None and event.value == "PRESS":
            session.choose_style(digit)
        elif event.type == "LEFTMOUSE" and event.value == "PRESS":
            self._goal = self._under_mouse(context, session, event)
        self._say(context)

    def _wish(self, context: Context, session: Session) -> Wish:
        """Return the wish of the keys, or else of the mouse, or else of the followed object."""
        direction = direction_of_keys(self._pressed)
        viewport = viewport_of(context)
        if direction.any() and viewport is not None:
            view = np.array(viewport[2].view_matrix.inverted(), np.float64)[:3, :3]
            return Wish(velocity=session.speed * session.steering.direction(world_direction(direction, view)))
        if self._goal is not None:
            return session.toward(self._goal)
        target = _object(self.target)
        if target is None:
            return Wish(velocity=np.zeros(3))
        depsgraph = context.evaluated_depsgraph_get()
        place = session.steering.place(np.array(target.evaluated_get(depsgraph).matrix_world.translation))
        at = len(session.frames) / session.rate
        self._followed = [sample for sample in self._followed if at - sample[0] <= VELOCITY_SECONDS]
        self._followed.append((at, place))
        before, start = self._followed[0]
        velocity = (place - start) / (at - before) if at > before else np.zeros(3)
        return session.along(place, velocity)

    def _under_mouse(self, context: Context, session: Session, event: Event) -> "Float64 | None":
        """Return the point on the ground under the mouse, in the character's space; None above the horizon."""
        viewport = viewport_of(context)
        if viewport is None:
            return self._goal
        _, region, data = viewport
        mouse = mouse_in(region, event)
        start = np.array(view3d_utils.region_2d_to_origin_3d(region, data, mouse))
        ray = np.array(view3d_utils.region_2d_to_vector_3d(region, data, mouse))
        ground = float(session.steering.space.translation.z)
        along = (ground - start[2]) / ray[2] if abs(ray[2]) > 1e-6 else -1.0
        return session.steering.place(start + along * ray) if along > 0 else self._goal

    def _say(self, context: Context, first: str = "") -> None:
        """Show time, style, pace and the keys in the status bar."""
        session = self._session
        if session is None:
            return
        seconds = len(session.frames) / scene_rate(context.scene)
        state = first or ("Paused" if session.paused else f"{seconds:.1f} s")
        style = session.steering.styles[session.style].said
        show_status(context, f"Steer: {state}, {style}, {PACES[session.pace]}    |    {HELP}")


def _object(name: str) -> Object | None:
    """Return the object with a name, since undo invalidates references."""
    item: Object | None = bpy.data.objects.get(name)
    return item
