# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals over the frames of the next motion, read once for the timeline and the panel."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import bpy
from bpy.types import ID, Context, Object, Scene

from ...animation.scene_time import scene_rate
from ...animation.signals.follows import FOLLOWS, FollowedSignal, PlottedSignal, plotted
from ...animation.signals.sound import heard_as
from ...core import InputError
from ...requests.length import shown_length
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.selection import character_of
from ..common.draw_handlers import redraw
from ..common.known_while import KnownWhile
from ..common.reading_soon import ReadingSoon


class NextFrames(NamedTuple):
    """The frames of the next motion: the first scene frame, and how many."""

    start: float
    frames: int


Signals = tuple[PlottedSignal | str, ...]
"""Each row's signal, or a sentence on why it cannot be followed."""


class Outdated(NamedTuple):
    """The mark of signals whose source has changed: they are shown until they are read again."""

    mark: object


known = KnownWhile[Signals]()


def span_of(character: Object, settings: GENMM_PG_character, scene: Scene) -> NextFrames:
    """Return the frames of the next motion."""
    starts = {"PLAYHEAD": scene.frame_current, "FRAME": settings.start_frame}
    start = starts.get(settings.start_at, scene.frame_start)
    return NextFrames(float(start), shown_length(settings, character, scene))


def _mark(character: Object, settings: GENMM_PG_character, scene: Scene) -> Hashable:
    heard = heard_as(scene) if any(row.signal == "SOUND" for row in FOLLOWS.readable(settings.follows)) else ()
    return settings.follows, span_of(character, settings, scene), scene.name_full, scene_rate(scene), heard


def known_signals(character: Object, settings: GENMM_PG_character, scene: Scene) -> Signals | None:
    """Return the signals that were read for these rows, frames and strips; None if they have to be read."""
    kept, signals = known.get(character.name_full, (None, ()))
    mark = _mark(character, settings, scene)
    return signals if kept in (mark, Outdated(mark)) else None


def outdate(sources: Iterable[ID]) -> None:
    """Let the signals be read again soon, since sources have changed that are not the character's own action."""
    changed = set(sources)
    for name, (mark, signals) in list(known.items()):
        data = getattr(bpy.data.objects.get(str(name)), "animation_data", None)
        if not isinstance(mark, Outdated) and changed - {data and data.action}:
            known[name] = Outdated(mark), signals
            soon.ask()


def read_signals(character: Object, settings: GENMM_PG_character, scene: Scene) -> Signals:
    """Read the signals unless they are known. This evaluates the scene and mixes sound, so drawing must not call it."""
    span = span_of(character, settings, scene)

    def read(row: FollowedSignal) -> PlottedSignal | str:
        try:
            return plotted(row, character, scene, *span)
        except InputError as error:
            return str(error)

    mark = _mark(character, settings, scene)
    return known.value(character.name_full, mark, lambda: tuple(map(read, FOLLOWS.readable(settings.follows))))


def _read(context: Context) -> None:
    """Read the signals of the shown character."""
    character = character_of(context)
    if character is not None:
        read_signals(character, readable_settings(character, context.scene), context.scene)
        redraw(context, "DOPESHEET_EDITOR")
        redraw(context)


soon = ReadingSoon(_read)


def problems_of(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[str, ...]:
    """Return a sentence for each row that cannot be followed, once it is read; the panel asks for that, too."""
    signals = known_signals(character, settings, scene)
    if signals is None and settings.follows:
        soon.ask()
    return tuple(signal for signal in signals or () if isinstance(signal, str))
