# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals over the frames of the next motion, read once for the timeline and the panel."""

from collections.abc import Hashable
from typing import NamedTuple

from bpy.types import Object, Scene

from ...animation.scene_time import scene_rate
from ...animation.signals.follows import FOLLOWS, FollowedSignal, PlottedSignal, plotted
from ...core import InputError
from ...requests.length import shown_length
from ...state.properties import GENMM_PG_character
from ..common.known_while import KnownWhile


class NextFrames(NamedTuple):
    """The frames of the next motion: the first scene frame, and how many."""

    start: float
    frames: int


Signals = tuple[PlottedSignal | str, ...]
"""Each row's signal, or a sentence on why it cannot be followed."""

known = KnownWhile[Signals]()


def span_of(character: Object, settings: GENMM_PG_character, scene: Scene) -> NextFrames:
    """Return the frames of the next motion."""
    starts = {"PLAYHEAD": scene.frame_current, "FRAME": settings.start_frame}
    start = starts.get(settings.start_at, scene.frame_start)
    return NextFrames(float(start), shown_length(settings, character, scene))


def _mark(character: Object, settings: GENMM_PG_character, scene: Scene) -> Hashable:
    return settings.follows, span_of(character, settings, scene), scene.name_full, scene_rate(scene)


def known_signals(character: Object, settings: GENMM_PG_character, scene: Scene) -> Signals | None:
    """Return the signals that were read for these rows and frames; None if they have to be read."""
    mark, signals = known.get(character.name_full, (None, ()))
    return signals if mark == _mark(character, settings, scene) else None


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


def problems_of(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[str, ...]:
    """Return a sentence for each row that was read and cannot be followed."""
    signals = known_signals(character, settings, scene) or ()
    return tuple(signal for signal in signals if isinstance(signal, str))
