# SPDX-License-Identifier: GPL-3.0-or-later
"""The GenMM menu in the headers of dope sheet, timeline, NLA editor and 3D viewport.

Features add their entries with `registration_in_menu`, or with `append`, as to Blender's own menus.
"""

from collections.abc import Callable, Sequence

import bpy
from bpy.types import Context, Menu, SpaceDopeSheetEditor, SpaceView3D

from ...state.registration import Steps, registration_of

PLACES = ("DOPESHEET_MT_editor_menus", "TIME_MT_editor_menus", "NLA_MT_editor_menus", "VIEW3D_MT_editor_menus")
"""The headers' menus; the timeline has its own up to Blender 4.5, and shares the dope sheet's since 5.0."""
DOPE_SHEET_MODES = ("DOPESHEET", "ACTION", "TIMELINE")
VIEWPORT_MODES = ("OBJECT", "POSE")


class GENMM_MT_timeline(Menu):
    bl_idname = "GENMM_MT_timeline"
    bl_label = "GenMM"
    bl_description = "New motion in the action that the character plays"

    def draw(self, _context: Context) -> None:
        """Draw nothing: features append the entries."""


def _draw_in_header(menu: Menu, context: Context) -> None:
    space = context.space_data
    if isinstance(space, SpaceDopeSheetEditor) and space.mode not in DOPE_SHEET_MODES:
        return
    if isinstance(space, SpaceView3D) and context.mode not in VIEWPORT_MODES:
        return
    menu.layout.menu(GENMM_MT_timeline.bl_idname)


_register_classes, _unregister_classes = registration_of((GENMM_MT_timeline,))


def register() -> None:
    """Add the menu to the headers that this Blender has."""
    _register_classes()
    for name in PLACES:
        if hasattr(bpy.types, name):
            getattr(bpy.types, name).append(_draw_in_header)


def unregister() -> None:
    """Remove the menu from the headers."""
    for name in PLACES:
        if hasattr(bpy.types, name):
            getattr(bpy.types, name).remove(_draw_in_header)
    _unregister_classes()


def registration_in_menu(classes: Sequence[type], draw: Callable[[Menu, Context], None]) -> Steps:
    """Return the functions that register classes with their entries in our menu, and that remove both."""
    register_classes, unregister_classes = registration_of(classes)

    def register_with_entries() -> None:
        register_classes()
        GENMM_MT_timeline.append(draw)

    def unregister_with_entries() -> None:
        GENMM_MT_timeline.remove(draw)
        unregister_classes()

    return register_with_entries, unregister_with_entries
