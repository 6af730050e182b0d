# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that change the active action by work that may take long: beside the window, ended by Esc."""

from typing import Any

import bpy
from bpy.types import Action, Context, Event, Object

from ...animation.stretches.linked import why_no_new_action
from ...core import InputError
from ...core.memory import memory_errors_told
from ...filling.examples import ExampleChoice, keep_examples, library_to_prepare
from ...transforming.work import Work
from ..common.blender_bases import Outcome
from ..common.preparing_first import Preparation, PreparingFirst
from ..common.refusals import reports_refusal
from .fill_operators import busy
from .stretch_operator import StretchOperator, edited_action


class WorkOperator(PreparingFirst, StretchOperator):
    """Has the library of its examples made ready, then works, both with progress; subclasses say by what.

    Called by a script without INVOKE_DEFAULT, by Adjust Last Operation, and in the background it waits.
    """

    doing = "Working"
    """Words for the status bar while it works."""

    def take_panels(self, context: Context) -> None:
        """Take what the panel says."""
        raise NotImplementedError

    def examples(self, context: Context, character: Object, action: Action) -> ExampleChoice | None:
        """Return the examples that are asked for; None is none. Raises InputError."""
        raise NotImplementedError

    def work(
        self, context: Context, character: Object, action: Action, slot: str, choice: ExampleChoice | None
    ) -> Work[Any, Any]:
        """Return the work, everything read. Raises InputError."""
        raise NotImplementedError

    def finish(self, context: Context, character: Object, action: Action, done: Any) -> Outcome:
        """Say what was done."""
        raise NotImplementedError

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Take what the panel says, and work."""
        self.take_panels(context)
        return self.once_ready(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Work, the window waiting."""
        choice = self.examples(context, character, action)
        with busy(context):
            done = self.work(context, character, action, slot, choice).done()
        return self.finish(context, character, action, done)

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the library's clips where they are not ready on this character. Raises InputError."""
        edited = edited_action(context)
        choice = None if edited is None else self.examples(context, edited[0], edited[1])
        if edited is None or choice is None:
            return None
        waiting = library_to_prepare(edited[0], context.scene, choice)
        return None if waiting is None else Preparation(waiting.clips.frames, waiting.prepared, keep_examples)

    @reports_refusal
    def when_ready(self, context: Context) -> Outcome:
        """Work beside the window."""
        edited = edited_action(context)
        if edited is None or bpy.app.background or context.window is None:
            return self.execute(context)
        with memory_errors_told(), busy(context):
            work = self.work(context, *edited, self.examples(context, edited[0], edited[1]))
        made: list[Any] = []
        return self.work_beside(
            context,
            Preparation(0, work.compute, made.append, self.doing, lambda now: self._write(now, work, made[0], edited)),
        )

    def _write(self, context: Context, work: Work[Any, Any], made: Any, edited: tuple[Object, Action, str]) -> Outcome:
        """Write what was made, unless another action plays now."""
        if edited_action(context) != edited:
            self.report({"ERROR"}, "The character no longer plays the action that was to be changed; select it again.")
            return {"CANCELLED"}
        try:
            with memory_errors_told():
                done = work.write(made)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.finish(context, edited[0], edited[1], done)


class NewActionOperator(WorkOperator):
    """Makes a new action out of the active one, which may be linked: it is not changed."""

    @classmethod
    def why_not_action(cls, character: Object) -> str:
        """Return a sentence where the character plays no action, or cannot be given another one, else nothing."""
        return why_no_new_action(character)
