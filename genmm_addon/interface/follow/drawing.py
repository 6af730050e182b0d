# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals in timeline and dope sheet: a faint curve over the frames of the next motion, and ticks at beats."""

from typing import Any

import bpy
import numpy as np
from bpy.types import Depsgraph, Scene

from ...animation.signals.beat_markers import marked_beats
from ...animation.signals.follows import FOLLOWS, PlottedSignal
from ...core import Float64
from ...state.properties import readable_settings
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.line_drawing import FRAME_NUMBERS, draw_lines, frames_on_screen, joined, lines_of
from .shown import known, known_signals, outdate, soon, span_of

CURVE = (1.0, 1.0, 1.0, 0.35)
BEAT = (1.0, 0.75, 0.2, 0.5)
SOURCES = ("Action", "Curve", "GreasePencil", "GreasePencilv3")
"""Types of the data-blocks in which signals are edited; Blender 4.3 to 4.5 has two types of Grease Pencil."""

Points = Float64


def curve_on_screen(values: Points, begin: float, unit: float, height: float) -> Points:
    """Return a curve as lines between pairs of points `(2 (F - 1), 2)`, in pixels.

    begin, unit: the place of the first frame, and the width of a frame. height: that the value 1 has.

    >>> curve_on_screen(np.array([0.0, 1.0, 0.5]), 10.0, 2.0, 100.0).tolist()
    [[10.0, 0.0], [12.0, 100.0], [12.0, 100.0], [14.0, 50.0]]
    """
    return joined(np.stack((begin + np.arange(len(values)) * unit, values * height), axis=1))


def ticks_on_screen(beats: Points, begin: float, unit: float, height: float) -> Points:
    """Return an upright line for each beat, as pairs of points `(2 B, 2)` in pixels."""
    across = np.repeat(begin + beats * unit, 2)
    return np.stack((across, np.tile((0.0, height), len(beats))), axis=1)


def draw_follow() -> None:
    """Draw the followed signals; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region, character, scene = context.region, character_of(context), context.scene
    if region is None or character is None:
        return
    settings = readable_settings(character, scene)
    if not settings.follows:
        return
    signals = known_signals(character, settings, scene)
    if signals is None:
        soon.ask()
        return
    start, frames = span_of(character, settings, scene)
    zero, unit = frames_on_screen(region)
    begin = zero + start * unit
    height = region.height - FRAME_NUMBERS * context.preferences.system.ui_scale
    marked, pieces = marked_beats(scene, start, frames), []
    for row, signal in zip(FOLLOWS.readable(settings.follows), signals, strict=True):
        if isinstance(signal, PlottedSignal):
            pieces.append((curve_on_screen(signal.values, begin, unit, height), CURVE))
            if row.driven == "BEATS":
                # Markers that were moved or added count at once.
                beats = marked if len(marked) else signal.beats
                pieces.append((ticks_on_screen(beats, begin, unit, height), BEAT))
    draw_lines(context, lines_of(pieces), context.preferences.system.ui_scale)


def _forget(*_: Any) -> None:
    known.clear()


def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    if known:
        outdate(update.id.original for update in depsgraph.updates if type(update.id).__name__ in SOURCES)


DRAWING = Drawing(bpy.types.SpaceDopeSheetEditor, draw_follow, "POST_PIXEL")
HANDLERS = {"depsgraph_update_post": _on_update, "undo_post": _forget, "redo_post": _forget, "load_post": _forget}


def unregister() -> None:
    """Forget the signals."""
    soon.stop()
    _forget()
