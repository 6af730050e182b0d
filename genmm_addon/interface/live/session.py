# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of Live: the newest request is computed in a thread, shown, and kept once nothing changes any more.

A shown motion is only drawn; it enters the file when it is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

import bpy
from bpy.types import Object, Scene

from ...core import Cancelled, InputError, Progress, Synthesis
from ...generation.generate import compute
from ...generation.job import INSTANT_SECONDS, Job
from ...libraries.kept_preparation import forget_preparation
from ..common.reading_soon import PAUSE_SECONDS
from .asking import Blocks, LiveRequest, ask, text_of

WATCHING_SECONDS = 1 / 30
"""Interval of checking the panel, in seconds."""
COMPUTING_SECONDS = 1 / 200
"""Interval of checking the thread, in seconds."""


@dataclass(frozen=True, eq=False)
class PreviewedMotion:
    """A motion, and the request that it was made for."""

    asked: LiveRequest
    synthesis: Synthesis


class LiveSession:
    """A session of Live for a character of a scene, both held by name, since undo invalidates references.

    shown: the motion that is drawn until it is kept. problem, waits_for, note: sentences, mostly empty, on why none is
    made, why it is not kept yet, and what was kept last. batches: the batches kept so far, of which the last is
    replaced. places: where their results stand.
    """

    def __init__(self, character: Object, scene: Scene) -> None:
        self.character, self.scene = character.name_full, scene.name_full
        self.shown: PreviewedMotion | None = None
        self.problem = self.waits_for = self.note = self.places = ""
        self.batches: set[str] = set()
        self._asked: LiveRequest | None = None
        self._text: str | None = None
        self._moved = False
        self._next: LiveRequest | None = None
        self._at_work: tuple[LiveRequest, Job[list[Synthesis]]] | None = None
        self._changed = self._free = 0.0
        self._starts_over = True

    @property
    def directing(self) -> Blocks:
        """Return the data-blocks that direct the motion."""
        return self._asked.directing if self._asked is not None else frozenset()

    @property
    def busy(self) -> bool:
        """Return whether a motion is being made or is about to be."""
        return self._at_work is not None or self._next is not None

    @property
    def pending(self) -> bool:
        """Return whether a motion is made or shown that is not kept yet."""
        return self.busy or self.shown is not None

    def input_is_free(self, now: float) -> None:
        """Note that no value was being dragged at time `now`, in seconds."""
        self._free = now

    def found(self) -> tuple[Object, Scene] | None:
        """Return the character and its scene; None where one of them is gone."""
        scene: Scene | None = bpy.data.scenes.get(self.scene)
        character: Object | None = None if scene is None else scene.objects.get(self.character)
        return None if scene is None or character is None else (character, scene)

    def direction_changed(self) -> None:
        """Note that a data-block that directs the motion has changed."""
        self._moved = True

    def start_over(self) -> None:
        """Use the panel's next state as the starting point, and make nothing until it changes."""
        self.drop()
        self._starts_over = True

    def drop(self) -> None:
        """Discard the shown motion and all requests so far."""
        work, self._at_work = self._at_work, None
        if work is not None:
            work[1].stop()
        self.shown, self._next, self._asked = None, None, None
        self._moved = False
        self.waits_for = ""

    def end(self) -> None:
        """Stop the thread, and free the memory of prepared examples."""
        self.drop()
        forget_preparation()

    def tick(self, now: float, why_not_keep: Callable[[], str], keep: Callable[[], None]) -> float:
        """Check the panel and the thread, and return the seconds until the next check.

        now: seconds of any clock. why_not_keep: returns what has to happen before the motion can be written, "" for
        nothing. keep: writes the shown motion. Raises InputError where the character is gone.
        """
        located = self.found()
        if located is None:
            raise InputError(f'"{self.character}" is no longer in its scene; Live is off.')
        self._receive()
        self._look(*located, now)
        self._start()
        if self.busy:
            return COMPUTING_SECONDS
        if self.shown is not None and now - self._changed >= PAUSE_SECONDS and self._free > self._changed:
            self.waits_for = why_not_keep()
            if not self.waits_for:
                keep()
                self.start_over()
        return INSTANT_SECONDS if self.problem else WATCHING_SECONDS

    def _look(self, character: Object, scene: Scene, now: float) -> None:
        """Check the panel for a new request."""
        try:
            text = text_of(character, scene)
            if self._starts_over:
                self._starts_over, self._text, self._asked = False, text, ask(character, scene)
            elif text != self._text or self._moved or (self.problem and self._asked is None):
                goes_on = now - self._changed < PAUSE_SECONDS
                self._text, self._moved = text, False
                asked = ask(character, scene, self._asked, rereads=not goes_on)
                self.problem = self.note = ""
                if self._asked is None or not asked.is_like(self._asked):
                    self._asked = self._next = asked
                    self._changed = now
        except InputError as error:
            self.drop()
            self._text, self._starts_over = None, False
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
            self.shown = PreviewedMotion(asked, job.result()[0])
        except Cancelled:
            pass
        except InputError as error:
            self.drop()
            self.problem = str(error)


def _computing(asked: LiveRequest) -> Callable[[Progress], list[Synthesis]]:
    request, reading = asked.request, asked.reading
    return lambda progress: compute(reading, request, progress)
