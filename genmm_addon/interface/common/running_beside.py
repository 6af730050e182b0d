# SPDX-License-Identifier: GPL-3.0-or-later
"""Run of an operator while the window stays responsive: computed in a thread, then written between redraws."""

import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, cast

import bpy
from bpy.types import Context, Event, Scene

from ...core import Cancelled, InputError, computing
from ...generation.generation import Generation
from ...generation.job import INSTANT_SECONDS
from .blender_bases import Outcome
from .character_operator import MODES, GeneratingOperator
from .progress_display import WRITING, cursor_progress, hide_progress, show_progress, watching_timer
from .user_input import is_undo, over_own_sidebar


class RunningBeside(GeneratingOperator):
    """Mixin for an operator that makes motion in a thread, placed before `bpy.types.Operator`.

    A result must not be edited or undone while it is half written: during the steps of writing, the window is drawn
    but accepts only Esc and clicks in the sidebar's own tab.
    """

    # Cast and not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    _generation = cast("Generation[Any] | None", None)
    _steps = cast("Generator[float, None, None] | None", None)
    _timer = cast(Any, None)
    _scene = ""
    _frame = 0.0

    def begun(self, context: Context) -> Generation[Any]:
        """Return the generation that is asked for, with all that it reads. Raises InputError."""
        raise NotImplementedError

    def write(self, context: Context, generation: Generation[Any], computed: Any) -> Generator[float, None, None]:
        """Write what was computed, and yield after each step the share that is done, 0 to 1."""
        raise NotImplementedError

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Run at once if that is quick, else in a thread."""
        return self.reporting(context, self._begin, may_run_beside=not bpy.app.background)

    def execute(self, context: Context) -> Outcome:
        """Run at once, for scripts and Adjust Last Operation."""
        return self.reporting(context, self._begin, may_run_beside=False)

    def _begin(self, context: Context, *, may_run_beside: bool) -> Outcome:
        generation = self.begun(context)
        if may_run_beside:
            return self.start_beside(context, generation)
        with cursor_progress(context) as progress:
            for _ in self.write(context, generation, generation.compute(progress)):
                pass
        return {"FINISHED"}

    def written(self, context: Context, generation: Generation[Any]) -> Generator[float, None, None]:
        """Write what the thread computed, and yield after each step the share that is done, 0 to 1.

        Closing the generator early removes what was written. Raises InputError, as where the examples have changed.
        """
        raise NotImplementedError

    def modal(self, context: Context, event: Event) -> Outcome:
        """Watch the thread, then write; undo is blocked during both."""
        generation = self._generation
        if generation is None:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            generation.ask_to_stop()
            return {"RUNNING_MODAL"}
        if is_undo(context, event):
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if self._steps is None or over_own_sidebar(context, event) else {"RUNNING_MODAL"}
        if self._steps is None:
            waits_for = self._waits_for(context) if generation.done and not generation.stopping else ""
            show_progress(context, generation.fraction, waits_for)
            if waits_for or not generation.done:
                return {"PASS_THROUGH"}
        return self.reporting(context, self._write_some)

    def cancel(self, context: Context) -> None:
        """Remove what is half written; Blender calls this when it quits or loads another file."""
        self._end_beside(context)

    def reporting(self, context: Context, action: Callable[..., Outcome], **options: Any) -> Outcome:
        """Call an action, and report the errors that it can raise."""
        try:
            with computing():
                return action(context, **options)
        except InputError as error:
            self.report({"ERROR"}, str(error))
        except Cancelled:
            self.report({"INFO"}, "Stopped; nothing was changed.")
        return {"CANCELLED"}

    def start_beside(self, context: Context, generation: Generation[Any]) -> Outcome:
        """Start the thread, and begin to watch it unless it ends soon."""
        self._generation, self._scene = generation, context.scene.name_full
        self._frame = context.scene.frame_current_final
        generation.start()
        self._timer = watching_timer(context)
        if generation.done_within(INSTANT_SECONDS) and not self._waits_for(context):
            outcome = self._write_some(context)
            if outcome != {"RUNNING_MODAL"}:
                return outcome
        context.window_manager.modal_handler_add(self)
        show_progress(context, 0.0)
        return {"RUNNING_MODAL"}

    @contextmanager
    def at_first_frame(self, scene: Scene) -> Iterator[None]:
        """Show the frame of the press, at which animated grounds and objects are read again, and then the present."""
        present = scene.frame_current_final
        if present == self._frame:
            yield
            return
        try:
            _go_to(scene, self._frame)
            yield
        finally:
            _go_to(scene, present)

    def _waits_for(self, context: Context) -> str:
        """Return what the user has to do before the result can be written; "" for nothing."""
        # Blender crashes where data are added while its thread for rendering reads them.
        if bpy.app.is_job_running("RENDER"):
            return "The motion is ready: it is written when the render has ended"
        if context.scene.name_full != self._scene:
            return f"The motion is ready: go back to the scene {self._scene} to receive it"
        return "" if context.mode in MODES else "The motion is ready: leave this mode to receive it"

    def _write_some(self, context: Context) -> Outcome:
        """Write for an instant; the run ends with the last step, or with the first that fails."""
        generation = self._generation
        assert generation is not None
        try:
            generation.result()
            if self._steps is None:
                self._steps = self.written(context, generation)
            finished = self._do_steps(context, self._steps)
        except BaseException:
            self._end_beside(context)
            raise
        if not finished:
            return {"RUNNING_MODAL"}
        self._end_beside(context)
        return {"FINISHED"}

    def _do_steps(self, context: Context, steps: Generator[float, None, None]) -> bool:
        until = time.perf_counter() + INSTANT_SECONDS
        for fraction in steps:
            if time.perf_counter() > until:
                assert self._generation is not None
                self._generation.written = fraction
                show_progress(context, fraction, doing=WRITING)
                return False
        return True

    def _end_beside(self, context: Context) -> None:
        steps, self._steps = self._steps, None
        generation, self._generation = self._generation, None
        try:
            if steps is not None:
                steps.close()
        finally:
            if generation is not None:
                generation.end()
                context.window_manager.event_timer_remove(self._timer)
                hide_progress(context)


def _go_to(scene: Scene, frame: float) -> None:
    full_frame = math.floor(frame)
    scene.frame_set(full_frame, subframe=frame - full_frame)
