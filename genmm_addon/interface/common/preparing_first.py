# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparation before an operator acts: in a thread where it takes long, with progress, and ended by Esc."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import bpy
from bpy.types import Context, Event

from ...core import Cancelled, InputError, Progress
from ...core.memory import memory_errors_told
from ...generation.job import Job
from .blender_bases import OperatorBase, Outcome
from .progress_display import hide_progress, show_progress
from .refusals import reports_refusal

TICK_SECONDS = 0.1
"""Time from one look at the thread to the next."""
LONG_FRAMES = 30_000
"""So many frames of clips are made ready in some 0.4 s; fewer are not worth a thread."""
QUICK_SECONDS = 0.2
"""Work that is done sooner needs no progress: the window waits for it."""
PREPARING = "Making the library ready, once"
LOOKING = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN", "TRACKPADZOOM",
}  # fmt: skip
"""Input that changes nothing that the press stands for."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """The work that has to be done before an operator can act: `make`, in a thread, on arrays alone; then `keep`.

    frames: of the clips that are made ready. doing: what is said of it. then: what follows, where that is not
    `when_ready`.
    """

    frames: int
    make: Callable[[Progress], Any]
    keep: Callable[[Any], None]
    doing: str = PREPARING
    then: Callable[[Context], Outcome] | None = None


class PreparingFirst(OperatorBase):
    """Half of an operator that has something made ready first; comes before `bpy.types.Operator` among the bases.

    Until then the window takes no other input than Esc and what turns the view, so that the press means what it meant
    when it was pressed. Called by a script, the operator waits.
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
        """Return whether something had to be made ready first."""
        return self._preparing_timer is not None

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return what has to be made ready first; None where nothing has. Raises InputError."""
        raise NotImplementedError

    def when_ready(self, context: Context) -> Outcome:
        """Act; all is ready."""
        return self.execute(context)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Act, at once or as soon as all is ready."""
        return self.once_ready(context)

    @reports_refusal
    def once_ready(self, context: Context) -> Outcome:
        """Act at once where nothing long has to be made ready first, else begin with that."""
        with memory_errors_told():
            preparation = self.to_prepare(context)
        if preparation is None or preparation.frames < LONG_FRAMES or bpy.app.background or context.window is None:
            return self.when_ready(context)
        return self._work_in_thread(context, preparation)

    def work_beside(self, context: Context, preparation: Preparation) -> Outcome:
        """Do work of any length, the window waiting only for what is quick; then what the preparation says follows."""
        return self._work_in_thread(context, preparation, QUICK_SECONDS)

    def _work_in_thread(self, context: Context, preparation: Preparation, quick: float = 0.0) -> Outcome:
        """Start the thread, and watch it from now on unless it is quick."""
        self._preparation, self._preparing, self._percent = preparation, Job(preparation.make), 0
        self._preparing.start()
        if quick and self._preparing.done_within(quick):
            return self._ready(context)
        manager = context.window_manager
        self._preparing_timer = manager.event_timer_add(TICK_SECONDS, window=context.window)
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
            # Drawing takes from the thread's time: only what is new is drawn.
            if round(100 * job.fraction) != self._percent:
                self._percent = round(100 * job.fraction)
                show_progress(context, job.fraction, doing=preparation.doing)
                context.window_manager.progress_update(100 * job.fraction)
            return {"PASS_THROUGH"}
        return self._ready(context)

    def _ready(self, context: Context) -> Outcome:
        """Take what the thread made, and go on with what follows."""
        job, preparation = self._preparing, self._preparation
        assert job is not None and preparation is not None
        try:
            preparation.keep(job.result())
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except Cancelled:
            self.report({"INFO"}, "Stopped; nothing was changed.")
            return {"CANCELLED"}
        finally:
            self._end_preparing(context)
        if not type(self).poll(context):
            self.report({"ERROR"}, "What was to be changed is no longer there; select it again.")
            return {"CANCELLED"}
        return (preparation.then or self.when_ready)(context)

    def cancel(self, context: Context) -> None:
        """End the thread: Blender calls this when it quits or loads another file."""
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
