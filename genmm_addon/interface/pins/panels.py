# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of pins: the buttons that pin, the list of pins, and the switch for editing them."""

from bpy.types import Context, Object, Panel, UILayout

from ...state.pins_editing import is_editing
from ...state.properties import readable_settings
from ...state.selection import character_of
from ..common.choice_operator import draw_choice
from ..common.drawing import MOST_ROWS, draw_sentence, draw_switch
from ..common.sidebar import DirectSubPanel
from .shown import ShownPin, shown_pins, warnings_on


class GENMM_PT_pins(DirectSubPanel, Panel):
    bl_label = "Pins"
    bl_order = 1
    bl_options = set()  # open, once Direct is
    help_page = "pins"

    def draw_header(self, context: Context) -> None:
        """Draw the switch of the pins."""
        settings = readable_settings(character_of(context), context.scene)
        draw_switch(self.layout, settings, "use_pins", usable=settings.pins_action is not None)

    def draw(self, context: Context) -> None:
        """Draw the buttons that pin, and the pins."""
        character, settings = self.shown(context)
        layout, scene = self.layout, context.scene
        _draw_pinning(layout, context.mode == "POSE")
        pins = shown_pins(character, settings, scene)
        column = layout.column()
        column.active = settings.use_pins
        _draw_rows(column, pins, scene.frame_current)
        for warning in warnings_on(pins, settings, scene.frame_start):
            draw_sentence(layout, warning, "ERROR")
        row = layout.row()
        row.enabled = not is_editing(character)
        row.prop(settings, "pins_action", text="Action")
        _draw_editing(layout, character)


def _draw_pinning(layout: UILayout, may_select: bool) -> None:
    column = layout.column(align=True)
    _draw_button(column, "Pin Pose", "ALL", place=False)
    _draw_button(column, "Pin Pose and Location", "ALL", place=True)
    if may_select:
        _draw_button(column, "Pin Selected", "SELECTED", place=False)
        _draw_button(column, "Pin Selected and Location", "SELECTED", place=True)
    column.operator("genmm.pin_blocking")


def _draw_button(layout: UILayout, text: str, bones: str, *, place: bool) -> None:
    button = layout.operator("genmm.pin_pose", text=text, icon="PINNED" if place else "UNPINNED")
    button.bones, button.place = bones, place


def _draw_rows(layout: UILayout, pins: tuple[ShownPin, ...], current: int) -> None:
    if not pins:
        layout.label(text="Nothing is pinned yet", icon="INFO")
        return
    box = layout.box().column(align=True)
    for pin in _rows_around(pins, current):
        row = box.row(align=True)
        bones = "1 bone" if pin.bones == 1 else f"{pin.bones} bones"
        text = f"{pin.frame}   {bones}{' and location' if pin.place else ''}"
        button = draw_choice(row, "genmm.go_to_frame", "pins", text=text, depress=pin.frame == current, translate=False)
        button.frame = pin.frame
        row.operator("genmm.free_pin", text="", icon="PINNED" if pin.place else "UNPINNED").frame = pin.frame
        draw_choice(row, "genmm.remove_row", "pins", text="", icon="X").frame = pin.frame
    if len(pins) > MOST_ROWS:
        box.label(text=f"and {len(pins) - MOST_ROWS} more", translate=False)


def _rows_around(pins: tuple[ShownPin, ...], current: int) -> tuple[ShownPin, ...]:
    """Return at most MOST_ROWS pins, from about the current frame on."""
    before = sum(pin.frame < current for pin in pins)
    first = max(0, min(before - MOST_ROWS // 2, len(pins) - MOST_ROWS))
    return pins[first : first + MOST_ROWS]


def _draw_editing(layout: UILayout, character: Object) -> None:
    editing = is_editing(character)
    layout.operator("genmm.edit_pins", depress=editing, icon="ACTION")
    if editing:
        layout.label(text="The Dope Sheet edits the pins", icon="INFO")
