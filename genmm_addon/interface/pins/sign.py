# SPDX-License-Identifier: GPL-3.0-or-later
"""The sign that pins are being edited: a line of text in each viewport, and Finish Pins in its header."""

from collections.abc import Sequence

import blf
import bpy
from bpy.types import Context, Header, Object, Operator

from ...core import InputError, listed
from ...state.pins_editing import edited_characters, leave_editing
from ...state.registration import Drawing
from ..common.blender_bases import Outcome
from ..common.draw_handlers import redraw
from ..common.screen_units import draw_shadowed, set_text, widget_height

COLOR = (1.0, 0.75, 0.25, 1.0)


class GENMM_OT_finish_pins(Operator):
    bl_idname = "genmm.finish_pins"
    bl_label = "Finish"
    bl_description = "Finish editing pins, and give every character its own action back"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return whether any pins are being edited."""
        is_needed = bool(edited_characters())
        if not is_needed:
            cls.poll_message_set("No pins are being edited")
        return is_needed

    def execute(self, context: Context) -> Outcome:
        """Give the characters their own actions back."""
        for character in edited_characters():
            try:
                leave_editing(character)
            except InputError as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        redraw(context, regions={"HEADER"})
        return {"FINISHED"}


def sign_text(characters: Sequence[Object]) -> str:
    """Return the viewport's text while the pins of these characters are edited; "" for none."""
    if not characters:
        return ""
    names = listed([character.name for character in characters], "")
    return f"Editing the pins of {names}: press Finish Pins in the header when done"


def draw_sign() -> None:
    """Draw the text; Blender calls this after drawing a viewport."""
    text = sign_text(edited_characters())
    if not text:
        return
    context = bpy.context
    set_text(context, COLOR)
    width, _ = blf.dimensions(0, text)
    draw_shadowed(text, max((context.region.width - width) / 2, 0.0), widget_height(context))


def _draw_finish(header: Header, _context: Context) -> None:
    if edited_characters():
        row = header.layout.row()
        row.alert = True
        row.operator("genmm.finish_pins", text="Finish Pins", icon="CHECKMARK")


ENTRIES = {"VIEW3D_HT_header": _draw_finish}
DRAWING = Drawing(bpy.types.SpaceView3D, draw_sign, "POST_PIXEL")
