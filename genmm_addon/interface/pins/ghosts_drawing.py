# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghosts in the viewport."""

import bpy
import numpy as np
from bpy.types import Context, Object

from ...animation.pins.pinned_poses import PinnedPoses, pinned_poses
from ...animation.rig import roots_to_world
from ...core import InputError
from ...state.pins_editing import own_assignment
from ...state.properties import readable_settings, scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.draw_handlers import shows_overlays
from ..common.known_while import KnownWhile
from ..common.line_drawing import ColoredLines, draw_lines, in_world
from .ghosts import plan_ghosts
from .shown import seen_pins

_known = KnownWhile[PinnedPoses]()


def ghosts_of(character: Object, context: Context) -> ColoredLines | None:
    """Return the ghosts of the character's pins in the world; None where there is nothing to show."""
    settings = readable_settings(character, context.scene)
    seen = seen_pins(character, settings, context.scene)
    if not seen.pins:
        return None
    try:
        poses = _poses_of(character, settings.pins_action, seen.mark)
    except InputError:
        return None
    places = np.array([pin.place for pin in seen.pins], bool)
    lines = plan_ghosts(poses, places, context.scene.frame_current)
    return in_world(lines, np.array(roots_to_world(character, poses.with_object), np.float64))


def _poses_of(character: Object, action: bpy.types.Action, mark: object) -> PinnedPoses:
    assignment = own_assignment(character)
    asked = (
        mark,
        None if assignment is None else (assignment[0].name_full, assignment[1], *assignment[0].frame_range[:]),
    )
    return _known.value(character.name_full, asked, lambda: pinned_poses(character, action, assignment))


def draw_ghosts() -> None:
    """Draw the ghosts; Blender calls this after drawing a viewport."""
    context = bpy.context
    if not shows_overlays(context):
        return
    if not scene_properties(context.scene).show_ghosts:
        return
    character = character_of(context)
    if character is None or character.pose is None or not readable_settings(character, context.scene).use_pins:
        return
    lines = ghosts_of(character, context)
    if lines is None or not len(lines.points):
        return
    draw_lines(context, lines)


DRAWING = Drawing(bpy.types.SpaceView3D, draw_ghosts, "POST_VIEW")


def unregister() -> None:
    """Forget the poses."""
    _known.clear()
