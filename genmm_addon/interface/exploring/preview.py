# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected clip, place or variation drawn in the viewport; it is not saved in the file."""

import time
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Context, Object

from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...core import InputError
from ...libraries.exploring.finding import LaidPlace
from ...requests.library_values import library_files
from ...state.exploring_properties import Selection, active_cluster, exploring, last_selection, listed_clusters
from ...state.properties import readable_settings
from ..common.draw_handlers import redraw
from ..common.known_while import KnownWhile
from ..common.line_drawing import ColoredLines, in_world
from ..common.motion_ghosts import motion_lines
from ..common.viewport_drawing import lines_around
from ..results.laid_variation import lay_variation
from ..timeline.unchanged_keys import shown_fingerprint
from .found import lay_active, why_outdated
from .typical_clips import lay_typical

COLOR = (0.45, 0.95, 0.35)

_begun = KnownWhile[float]()
"""The time at which the row selected last began to play."""
_laid = KnownWhile[tuple[str, LaidPlace | None]]()
"""The character of the cluster or variation selected last, and its motion there; None where it cannot be shown."""


@dataclass(frozen=True, eq=False)
class ShownClip:
    """A motion over a character at a frame of the scene. plays: it moves by itself.

    Holds a data-block: use it at once, never across operators.
    """

    armature: Object
    laid: LaidPlace
    frame: float
    plays: bool


def shown_clip(context: Context, character: Object) -> ShownClip | None:
    """Return what is shown for the selected character: a row plays once after it is selected, and a place then stays.

    A variation plays over the character that it was made from, in step with the scene where that plays. None for
    nothing.
    """
    place, selection = _place(context, character), last_selection()
    armature, played = character, place
    if selection.rows == "clusters":
        played = _clip(context, character, selection)
    elif selection.rows == "variations":
        armature, played = _variation(context, character, selection)
    if played is not None:
        # The time begins after the clip was placed, which may take a moment.
        begun = _begun.value("", selection, time.monotonic)
        frame = (time.monotonic() - begun) * played.motion.frames_per_second
        if frame < played.motion.frames:
            in_step = selection.rows == "variations" and context.screen.is_animation_playing
            at = context.scene.frame_current_final if in_step else played.first + frame
            return ShownClip(armature, played, at, plays=True)
    return None if place is None else ShownClip(character, place, context.scene.frame_current_final, plays=False)


def place_lines(laid: LaidPlace, armature: Object, frame: float) -> ColoredLines:
    """Return the lines of a place in the world; before and after it, those of its first or last pose."""
    lines = motion_lines(laid.motion, armature, frame - laid.first, laid.moved, COLOR)
    to_world = roots_to_world(armature, laid.motion.skeleton.names[0] == OBJECT_JOINT)
    return in_world(lines, np.array(to_world, np.float64))


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


def _variation(context: Context, character: Object, selection: Selection) -> tuple[Object, LaidPlace | None]:
    """Return the selected variation, and the character that it was made from; None where it cannot be shown."""

    def lay() -> tuple[str, LaidPlace | None]:
        try:
            return lay_variation(character, context.scene, selection.number)
        except InputError:
            return "", None  # the button reports the reason

    name, laid = _laid.value("", selection, lay)
    armature = next((thing for thing in context.scene.objects if thing.name_full == name), None)
    return (character, None) if armature is None else (armature, laid)


def _clip(context: Context, character: Object, selection: Selection) -> LaidPlace | None:
    """Return the typical clip of the cluster that was selected; None for a character without its library."""
    row = active_cluster(context)
    if row is None or listed_clusters(context).file not in library_files(readable_settings(character, context.scene)):
        return None

    def lay() -> tuple[str, LaidPlace | None]:
        try:
            return character.name_full, lay_typical(context, character, row)
        except InputError:
            return character.name_full, None  # the button reports the reason

    name, laid = _laid.value("", selection, lay)
    return laid if name == character.name_full else None


def preview_lines(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of what is shown over a character, which is drawn again at the next frame if it plays."""
    shown = shown_clip(context, character)
    if shown is None:
        return None
    if shown.plays and not bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.register(_draw_again, first_interval=1.0 / shown.laid.motion.frames_per_second)
    return place_lines(shown.laid, shown.armature, shown.frame)


def _draw_again() -> None:
    redraw(bpy.context, regions=("WINDOW",))


DRAWING = lines_around(preview_lines)


def unregister() -> None:
    """Remove the timer."""
    if bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.unregister(_draw_again)
