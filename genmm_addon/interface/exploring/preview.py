# SPDX-License-Identifier: GPL-3.0-or-later
"""The clip or place shown over the character: the one selected last plays once, then a place stays where it is."""

import time
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object

from ...core import InputError
from ...libraries.exploring.laying import LaidPlace
from ...requests.search_values import library_files
from ...state.exploring_properties import active_cluster, exploring, last_selection, listed_clusters
from ...state.properties import readable_settings
from ..common.known_while import KnownWhile
from ..common.line_drawing import ColoredLines, in_world
from ..common.motion_ghosts import motion_lines
from ..timeline.unchanged_keys import shown_fingerprint
from .found import lay_active, why_outdated
from .typical_clips import lay_typical

COLOR = (0.45, 0.95, 0.35)

_begun = KnownWhile[float]()
"""The time at which the row selected last began to play."""
_typical = KnownWhile[tuple[str, LaidPlace | None]]()
"""The character of the cluster selected last, and its typical clip there; None where it has no counterpart."""


@dataclass(frozen=True, eq=False)
class ShownClip:
    """A clip or place over the character at a frame of the scene. plays: it moves by itself."""

    laid: LaidPlace
    frame: float
    plays: bool


def shown_clip(context: Context, character: Object) -> ShownClip | None:
    """Return what is shown over a character: a row plays once after it is selected, and a place then stays.

    None for nothing.
    """
    place, selection = _place(context, character), last_selection()
    played = _clip(context, character, selection) if selection[0] == "clusters" else place
    if played is not None:
        # The time begins after the clip was placed, which may take a moment.
        begun = _begun.value("", selection, time.monotonic)
        frame = (time.monotonic() - begun) * played.motion.frames_per_second
        if frame < played.motion.frames:
            return ShownClip(played, played.first + frame, plays=True)
    return None if place is None else ShownClip(place, context.scene.frame_current_final, plays=False)


def place_lines(laid: LaidPlace, armature: Object, frame: float) -> ColoredLines:
    """Return the lines of a place in the world; before and after it, those of its first or last pose."""
    lines = motion_lines(laid.motion, armature, frame - laid.first, laid.moved, COLOR)
    return in_world(lines, np.array(armature.matrix_world, np.float64))


def _place(context: Context, character: Object) -> LaidPlace | None:
    """Return the selected place; None where it is hidden, is of another character, or no longer fits the keys."""
    kept = exploring(context)
    if not kept.places or not kept.show_place or character.name_full != kept.character:
        return None
    if why_outdated(kept, shown_fingerprint):
        return None
    try:
        return lay_active(context, character)
    except InputError:
        return None  # the button reports the reason


def _clip(context: Context, character: Object, selection: object) -> LaidPlace | None:
    """Return the typical clip of the cluster that was selected; None for a character without its library."""
    row = active_cluster(context)
    if row is None or listed_clusters(context).file not in library_files(readable_settings(character, context.scene)):
        return None

    def lay() -> tuple[str, LaidPlace | None]:
        try:
            return character.name_full, lay_typical(context, character, row)
        except InputError:
            return character.name_full, None  # the button reports the reason

    name, laid = _typical.value("", selection, lay)
    return laid if name == character.name_full else None
