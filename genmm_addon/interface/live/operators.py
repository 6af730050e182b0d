# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of Live: switch it on and off, keep its motion, and listen to input."""

import time
from dataclasses import replace
from typing import Any, cast

from bpy.types import Context, Event, Operator

from ...core import InputError, computing
from ...generation.generate import compute, measured, with_body, write
from ...generation.request import Output
from ...generation.results import Result, remove_batch
from ...requests.request_values import places_of, places_text
from ...state.pins_editing import leave_editing
from ...state.properties import readable_settings
from ...state.selection import settings_character
from ..common.blender_bases import Outcome
from ..common.character_operator import GeneratingOperator
from ..common.progress_display import watching_timer
from ..generate.remembering import remember_results
from . import running
from .asking import ask
from .session import LiveSession, PreviewedMotion

HEARD_ALWAYS = {
    "TIMER",
    "TIMER0",
    "TIMER1",
    "TIMER2",
    "TIMER_JOBS",
    "TIMER_AUTOSAVE",
    "TIMER_REPORT",
    "WINDOW_DEACTIVATE",
}
"""Events that every modal operator receives, even while a value is dragged."""
LONGEST_SECONDS = 20.0
"""Time after which the listener starts again, in seconds: Blender's Auto Save waits while a modal operator runs."""


class GENMM_OT_live(GeneratingOperator, Operator):
    bl_idname = "genmm.live"
    bl_label = "Live Preview"
    bl_description = (
        "Generate again while a value of the panel, a pin, the path or a waypoint is dragged; when dragging ends, the "
        "result is kept as one step of undo, and replaces the one that Live kept before"
    )
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether Live can be switched on; it can always be switched off."""
        live, character = running.session(), settings_character(context)
        if live is not None and (character is None or live.character == character.name_full):
            return True
        return super().poll(context)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Switch Live on for the character, or off."""
        character = settings_character(context)
        live = running.session()
        if character is not None and (live is None or live.character != character.name_full):
            running.begin(character, context.scene)
            return {"FINISHED"}
        if live is not None and live.pending:
            self.report({"INFO"}, "The last motion was not kept; wait until it is kept before you leave Live.")
        running.end()
        return {"FINISHED"}

    def execute(self, _context: Context) -> Outcome:
        """Refuse: scripts do not drag values."""
        self.report({"ERROR"}, "Live needs a window; genmm.generate_motion makes one motion without it.")
        return {"CANCELLED"}


class GENMM_OT_keep_live(Operator):
    bl_idname = "genmm.keep_live"
    bl_label = "Live Preview"
    bl_description = "Keep the motion that Live shows; it replaces the one kept before"
    bl_options = {"UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return whether there is a motion to keep."""
        live = running.session()
        return live is not None and live.shown is not None

    def execute(self, context: Context) -> Outcome:
        """Write the motion."""
        live = running.session()
        if live is None or live.shown is None:
            return {"CANCELLED"}
        try:
            with computing():
                result = keep(context, live, live.shown)
        except InputError as error:
            live.problem = str(error)
            return {"CANCELLED"}
        live.note = " ".join(result.notes)
        return {"FINISHED"}


class GENMM_OT_hear_input(Operator):
    bl_idname = "genmm.hear_input"
    bl_label = "Hear Input"
    bl_description = "Notice whether a value is being dragged; all input is passed on to Blender"
    bl_options = {"INTERNAL"}

    _timer = cast(Any, None)
    _begun = 0.0

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether Live is on and no listener is running."""
        live, window = running.session(), context.window
        listens = window is not None and any(modal.bl_idname == running.LISTENER for modal in window.modal_operators)
        return live is not None and window is not None and not listens

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Begin to listen."""
        self._timer = watching_timer(context)
        self._begun = time.perf_counter()
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Note that input arrives: during a drag, operators started before it receive only timer events."""
        live, now = running.session(), time.perf_counter()
        if live is not None:
            if event.type not in HEARD_ALWAYS:
                live.input_is_free(now)
            if live.pending or now - self._begun < LONGEST_SECONDS:
                return {"PASS_THROUGH"}
        self.cancel(context)
        return {"FINISHED", "PASS_THROUGH"}

    def cancel(self, context: Context) -> None:
        """Stop listening."""
        context.window_manager.event_timer_remove(self._timer)


def keep(context: Context, session: LiveSession, shown: PreviewedMotion) -> Result:
    """Write the shown motion, and remove the one kept before; it is made again where its examples have changed.

    Raises InputError, with nothing changed, where it cannot be made.
    """
    located = session.found()
    if located is None:
        raise InputError(f'"{session.character}" is no longer in its scene; switch Live on again.')
    character, scene = located
    asked = ask(character, scene, shown.asked)
    request = replace(asked.request, frame_start=shown.asked.request.frame_start)
    syntheses = [shown.synthesis] if asked.is_like(shown.asked) else compute(asked.reading, request)
    computed = measured(with_body(asked.reading, request, scene), request, syntheses)
    if request.output is not Output.NEW_CHARACTER:
        leave_editing(character)
    before = readable_settings(character, scene).last_batch
    if before in session.batches:
        remove_batch(context, character, before)
    results = write(context, request, asked.reading, computed.syntheses, computed.measures, places_of(session.places))
    session.places = places_text(results)
    session.batches.add(results[0].batch)
    remember_results(request, results, computed.feet, scene)
    return results[0]
