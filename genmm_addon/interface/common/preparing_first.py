# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparation before an operator acts: in a thread where it takes long, with progress, and canceled by Esc."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import bpy
from bpy.types import Context, Event

from ...core import Cancelled, InputError, Progress, computing
from ...generation.job import INSTANT_SECONDS, Job
from .blender_bases import OperatorBase, Outcome, reports_refusal
from .progress_display import hide_progress, show_progress, watching_timer
from .user_input import LOOKING

LONG_FRAMES = 30_000
"""Fewest frames of clips that are prepared in a thread: these take some 0.4 s."""
PREPARING = "Making the library ready, once"


@dataclass(frozen=True, eq=False)
class Preparation:
    """The work before an operator can act: `make` runs in a thread, on arrays only; `keep` then stores what it made.

    frames: number of frames of clips to prepare. doing: the text beside the progress. then: the step that follows,
    in place of `when_ready`.
    """

    frames: int
    make: Callable[[Progress], Any]
    keep: Callable[[Any], None]
    doing: str = PREPARING
    then: Callable[[Context], Outcome] | None = None


class PreparingFirst(OperatorBase):
    """Mixin for an operator that prepares something first, placed before `bpy.types.Operator`.

    Meanwhile the window accepts only Esc and input that turns the view, so that nothing the operator uses can change.
    In a script, the call waits.
    """

    # Cast and not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    _preparation = cast("Preparation | None", None)
    _preparing = cast("Job[Any] | None", None)
    _preparing_timer = cast(Any, None)
    _percent = 0
    _is_modal = False
    _is_watched = False

    @property
    def has_waited(self) -> bool:
        """Return whether something had to be prepared first."""
        return self._preparing_timer is not None

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation that is needed first, or None. Raises InputError."""
        raise NotImplementedError

    def when_ready(self, context: Context) -> Outcome:
        """Act, now that everything is prepared."""
        return self.execute(context)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Act at once, or as soon as everything is prepared."""
        return self.once_ready(context)

    @reports_refusal
    def once_ready(self, context: Context) -> Outcome:
        """Act at once where no long preparation is needed; else begin with the preparation."""
        with computing():
            preparation = self.to_prepare(context)
        if preparation is None or preparation.frames < LONG_FRAMES or bpy.app.background or context.window is None:
            return self.when_ready(context)
        return self._work_in_thread(context, preparation)

    def work_beside(self, context: Context, preparation: Preparation) -> Outcome:
        """Do work of any length, in a thread unless it is quick; then the preparation's `then` follows."""
        return self._work_in_thread(context, preparation, INSTANT_SECONDS)

    def _work_in_thread(self, context: Context, preparation: Preparation, quick: float = 0.0) -> Outcome:
        """Start the thread, and watch it unless it ends within `quick` seconds."""
        self._preparation, self._preparing, self._percent = preparation, Job(preparation.make), 0
        self._preparing.start()
        if quick and self._preparing.done_within(quick):
            return self._ready(context)
        manager = context.window_manager
        self._preparing_timer = watching_timer(context)
        manager.progress_begin(0, 100)
        self._is_watched = True
        if not self._is_modal:
            manager.modal_handler_add(self)
            self._is_modal = True
        show_progress(context, 0.0, doing=preparation.doing)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Watch the thread; then act."""
        job, preparation = self._preparing, self._preparation
        if job is None or preparation is None:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            job.ask_to_stop()
            return {"RUNNING_MODAL"}
        if not event.type.startswith("TIMER"):
            return {"PASS_THROUGH"} if event.type in LOOKING else {"RUNNING_MODAL"}
        if not job.done:
            # Drawing slows the thread down, so the window is drawn only when the percentage changes.
            if round(100 * job.fraction) != self._percent:
                self._percent = round(100 * job.fraction)
                show_progress(context, job.fraction, doing=preparation.doing)
                context.window_manager.progress_update(100 * job.fraction)
            return {"PASS_THROUGH"}
        return self._ready(context)

    @reports_refusal
    def _ready(self, context: Context) -> Outcome:
        """Store what the thread made, and continue with the next step."""
        job, preparation = self._preparing, self._preparation
        assert job is not None and preparation is not None
        try:
            preparation.keep(job.result())
        except Cancelled:
            self.report({"INFO"}, "Stopped; nothing was changed.")
            return {"CANCELLED"}
        finally:
            self._end_preparing(context)
        if not type(self).poll(context):
            raise InputError("The character can no longer be changed or is not selected; select it again.")
        return (preparation.then or self.when_ready)(context)

    def cancel(self, context: Context) -> None:
        """Stop the thread; Blender calls this when it quits or loads another file."""
        self._end_preparing(context)

    def _end_preparing(self, context: Context) -> None:
        job, self._preparing, self._preparation = self._preparing, None, None
        if job is not None:
            job.stop()
        if self._is_watched:
            self._is_watched = False
            context.window_manager.event_timer_remove(self._preparing_timer)
            context.window_manager.progress_end()
            hide_progress(context)
