# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected place drawn in the viewport; it is not saved in the file."""

import bpy

from ...core import InputError
from ...state.exploring_properties import exploring
from ...state.selection import character_of
from ..common.draw_handlers import drawing_registration, shows_overlays
from ..common.line_drawing import draw_lines
from ..timeline.unchanged_keys import shown_fingerprint
from .found import lay_active, why_outdated
from .preview import place_lines


def draw_place() -> None:
    """Draw the selected place; Blender calls this after drawing a viewport."""
    context = bpy.context
    kept = exploring(context)
    if not kept.places or not kept.show_place:
        return
    if not shows_overlays(context):
        return
    character = character_of(context)
    if character is None or character.pose is None or character.name_full != kept.character:
        return
    if why_outdated(kept, shown_fingerprint):
        return
    try:
        laid = lay_active(context, character)
    except InputError:
        return  # the button reports the reason
    if laid is None:
        return
    draw_lines(context, place_lines(laid, character, context.scene.frame_current_final))


register, unregister = drawing_registration(bpy.types.SpaceView3D, draw_place, "POST_VIEW")
