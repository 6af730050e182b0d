# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of Live: the newest wish is made beside the window, shown, and kept once nothing moves any more.

Nothing of it is in the file until it is kept: what is shown is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass

import bpy
from bpy.types import Object, Scene

from ...core import Cancelled, InputError, Progress, Synthesis
from ...generation.generate import compute
from ...generation.job import Job
from ...libraries.kept_preparation import forget_preparation
from .asking import Asked, Blocks, ask, text_of

STILL_SECONDS = 0.3
"""A motion is kept when nothing has changed for so long and other input came since, as none does in a drag."""
DRAG_SECONDS = 0.5
"""Changes that are no farther apart belong to one drag."""
WATCHING_SECONDS = 1 / 30
"""Time from one look at the panel to the next ..."""
COMPUTING_SECONDS = 1 / 200
"""... from one look at the thread to the next ..."""
PROBLEM_SECONDS = 0.2
"""... and from one to the next where nothing can be made."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A motion that was made, and the wish that it was made for."""

    asked: Asked
    synthesis: Synthesis


class LiveSession:
    """Live is on for a character of a scene, both by name: references of an earlier moment are worthless after undo.

    shown: what is drawn, until it is kept. problem: a sentence on why nothing is made, waits_for: on why it is not
    kept yet, note: on what was kept last; mostly none. batches: those that were kept, of which the last is replaced.
    places: where they stand.
    """

    def __init__(self, character: Object, scene: Scene) -> None:
        self.character, self.scene = character.name_full, scene.name_full
        self.shown: Shown | None = None
        self.problem = self.waits_for = self.note = self.places = ""
        self.batches: set[str] = set()
        self._asked: Asked | None = None
        self._text: str | None = None
        self._moved = False
        self._next: Asked | None = None
        self._at_work: tuple[Asked, Job[list[Synthesis]]] | None = None
        self._changed = self._free = 0.0
        self._anew = True

    @property
    def directing(self) -> Blocks:
        """The data-blocks that direct the motion."""
        return self._asked.directing if self._asked is not None else frozenset()

    @property
    def busy(self) -> bool:
        """Return whether a motion is being made, or is to be."""
        return self._at_work is not None or self._next is not None

    @property
    def pending(self) -> bool:
        """Return whether a motion is made or shown that is not kept yet."""
        return self.busy or self.shown is not None

    def input_is_free(self, now: float) -> None:
        """Take note that no field of the window was being dragged at this second of the clock."""
        self._free = now

    def found(self) -> tuple[Object, Scene] | None:
        """Return the character and its scene; None where one of them is gone."""
        scene: Scene | None = bpy.data.scenes.get(self.scene)
        character: Object | None = None if scene is None else scene.objects.get(self.character)
        return None if scene is None or character is None else (character, scene)

    def direction_changed(self) -> None:
        """Take note that a data-block that directs the motion is another one."""
        self._moved = True

    def look_anew(self) -> None:
        """Take the panel as the next look finds it for what is there already, and make nothing until it changes."""
        self.drop()
        self._anew = True

    def drop(self) -> None:
        """Show and make nothing more of what was asked for so far."""
        work, self._at_work = self._at_work, None
        if work is not None:
            work[1].stop()
        self.shown, self._next, self._asked = None, None, None
        self._moved = False
        self.waits_for = ""

    def end(self) -> None:
        """Stop what is at work, and give the memory back."""
        self.drop()
        forget_preparation()

    def tick(self, now: float, why_not_keep: Callable[[], str], keep: Callable[[], None]) -> float:
        """Look at the panel and at the thread, and return the seconds until the next look.

        now: of any clock. why_not_keep: what has to be waited for before anything is written, "" for nothing. keep:
        writes what is shown. Raises InputError where the character is gone.
        """
        there = self.found()
        if there is None:
            raise InputError(f'"{self.character}" is no longer in its scene; Live is off.')
        self._receive()
        self._look(*there, now)
        self._start()
        if self.busy:
            return COMPUTING_SECONDS
        if self.shown is not None and now - self._changed >= STILL_SECONDS and self._free > self._changed:
            self.waits_for = why_not_keep()
            if not self.waits_for:
                keep()
                self.look_anew()
        return PROBLEM_SECONDS if self.problem else WATCHING_SECONDS

    def _look(self, character: Object, scene: Scene, now: float) -> None:
        """Take note of a new wish."""
        try:
            text = text_of(character, scene)
            if self._anew:
                self._anew, self._text, self._asked = False, text, ask(character, scene)
            elif text != self._text or self._moved or (self.problem and self._asked is None):
                goes_on = now - self._changed < DRAG_SECONDS
                self._text, self._moved = text, False
                asked = ask(character, scene, self._asked, rereads=not goes_on)
                self.problem = self.note = ""
                if self._asked is None or not asked.is_like(self._asked):
                    self._asked = self._next = asked
                    self._changed = now
        except InputError as error:
            self.drop()
            self._text, self._anew = None, False
            self.problem = str(error)

    def _start(self) -> None:
        if self._at_work is None and self._next is not None:
            asked, self._next = self._next, None
            job = Job(_computing(asked))
            self._at_work = asked, job
            job.start()

    def _receive(self) -> None:
        if self._at_work is None or not self._at_work[1].done:
            return
        asked, job = self._at_work
        self._at_work = None
        try:
            self.shown = Shown(asked, job.result()[0])
        except Cancelled:
            pass
        except InputError as error:
            self.drop()
            self.problem = str(error)


def _computing(asked: Asked) -> Callable[[Progress], list[Synthesis]]:
    request, reading = asked.request, asked.reading
    return lambda progress: compute(reading, request, progress)
