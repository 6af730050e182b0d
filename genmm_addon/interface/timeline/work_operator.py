# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on the active action whose work may take long: it runs in a thread, and Esc cancels it."""

from typing import Any

import bpy
from bpy.types import Action, Context, Event, Object

from ...animation.stretches.fingerprints import fingerprint
from ...animation.stretches.linked import why_no_new_action
from ...core import InputError, computing
from ...editing.edit_task import EditTask
from ...editing.transforming.work import Work
from ...libraries.indexed_examples import ExampleChoice, keep_examples, library_to_prepare
from ..common.blender_bases import Outcome, reports_refusal
from ..common.preparing_first import Preparation, PreparingFirst
from ..common.progress_display import busy
from .stretch_operator import ActionOperator, edited_action, goes_on_layer


class WorkOperator(PreparingFirst, ActionOperator):
    """Mixin that prepares the library of the examples and then works, both with progress; subclasses define the work.

    Calls by scripts, by Adjust Last Operation and without a window wait for the end.
    """

    doing = "Working"
    """Text in the status bar during the work."""

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel."""
        raise NotImplementedError

    def examples(self, context: Context, character: Object, action: Action) -> ExampleChoice | None:
        """Return the examples to use, or None. Raises InputError."""
        raise NotImplementedError

    def work(self, context: Context, task: EditTask) -> Work[Any, Any]:
        """Return the work, with everything it needs read from Blender. Raises InputError."""
        raise NotImplementedError

    def finish(self, context: Context, character: Object, action: Action, done: Any) -> None:
        """Report what was done."""
        raise NotImplementedError

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the values from the panel, and work."""
        self.take_panels(context)
        return self.once_ready(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Work while the window waits."""
        choice = self.examples(context, character, action)
        with busy(context):
            done = self.work(context, EditTask(character, context.scene, action, slot, choice)).done()
        self.finish(context, character, action, done)

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation of the library's clips for this character; None where done. Raises InputError."""
        edited = edited_action(context)
        choice = None if edited is None else self.examples(context, edited[0], edited[1])
        if edited is None or choice is None:
            return None
        waiting = library_to_prepare(edited[0], context.scene, choice)
        return None if waiting is None else Preparation(waiting.clips.frames, waiting.prepared, keep_examples)

    @reports_refusal
    def when_ready(self, context: Context) -> Outcome:
        """Work in a thread."""
        edited = edited_action(context)
        # An edit on a layer is read and written in one go.
        layered = edited is not None and goes_on_layer(context, edited[0], adds=self.adds_layer)
        if edited is None or layered or bpy.app.background or context.window is None:
            return self.execute(context)
        with computing(), busy(context):
            choice = self.examples(context, edited[0], edited[1])
            work = self.work(context, EditTask(edited[0], context.scene, *edited[1:], choice))
        computed: list[Any] = []
        read = fingerprint(*edited[1:])
        return self.work_beside(
            context,
            Preparation(
                0,
                work.compute,
                computed.append,
                self.doing,
                lambda now: self._write(now, work, computed[0], edited, read),
            ),
        )

    def _write(
        self, context: Context, work: Work[Any, Any], computed: Any, edited: tuple[Object, Action, str], read: str
    ) -> Outcome:
        """Write what was made, unless the character plays another action by now, or its keys differ from those read."""
        if edited_action(context) != edited:
            raise InputError("The character now plays another action; select the first one again.")
        if fingerprint(*edited[1:]) != read:
            raise InputError(f'The keys of "{edited[1].name}" changed meanwhile; press {self.bl_label} again.')
        with computing():
            done = work.write(computed)
        self.finish(context, edited[0], edited[1], done)
        return {"FINISHED"}


class NewActionOperator(WorkOperator):
    """Base of operators that make a new action from the active one, which is not changed and may be linked."""

    adds_layer = False

    @classmethod
    def why_not_action(cls, character: Object) -> str:
        """Return a sentence where the character plays no action, or cannot be given another one; else ""."""
        return why_no_new_action(character)
