# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for hands and feet at places."""

from bpy.types import Context, Panel, UILayout

from ...state.registration import registration_of
from ..common.choice_operator import draw_choice
from ..common.drawing import LETTERS_BELOW, draw_sentence
from ..common.sidebar import DirectSubPanel
from .shown import ShownPlaces, short_name, shown_places


class GENMM_PT_reach(DirectSubPanel, Panel):
    bl_label = "Hands and Feet"
    bl_order = 6
    help_page = "reach"

    def draw(self, context: Context) -> None:
        """Draw the list of places, and a sentence on what is wrong with them."""
        character, settings = self.shown(context)
        layout, shown = self.layout, shown_places(character, settings)
        _draw_rows(layout, shown)
        layout.operator_context = "INVOKE_DEFAULT"
        draw_choice(layout, "genmm.add_row", "reaches", text="Add Place...", icon="ADD")
        if shown.places or settings.reaches:
            layout.prop(settings, "reaches", text="As Text")
        if shown.problem:
            draw_sentence(layout, shown.problem, "ERROR", LETTERS_BELOW)
        column = layout.column()
        column.enabled = bool(shown.places)
        column.operator("genmm.reach_in_action", text="Change Action", icon="CON_KINEMATIC")


def _draw_rows(layout: UILayout, shown: ShownPlaces) -> None:
    if not shown.places:
        layout.label(text="No bone has a place", icon="INFO")
        return
    box = layout.box().column(align=True)
    for number, place in enumerate(shown.places):
        row = box.row(align=True)
        turned = " turned" if place.turned else ""
        row.label(
            text=f"{short_name(place.bone)} at {place.object or 'a point'}{turned}", icon="EMPTY_AXIS", translate=False
        )
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.label(text=f"{place.first}\N{EN DASH}{place.last}", translate=False)
        draw_choice(row, "genmm.remove_row", "reaches", text="", icon="X").number = number


CLASSES = (GENMM_PT_reach,)
register, unregister = registration_of(CLASSES)
