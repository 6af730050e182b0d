# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of places that a search found, in the sidebar and in a dialog."""

from bpy.types import Context, UILayout, UIList

from ...state.exploring_properties import GENMM_PG_found_place, exploring
from ..common.drawing import draw_closing
from ..common.drawn_rows import DrawnRows


class GENMM_UL_found_places(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_found_place, index: int) -> None:
        """Draw one place: its clip, frames and distance, and outside the sidebar also its tags and a button."""
        narrow = _is_narrow(context)
        row = layout.split(factor=0.5 if narrow else 0.35)
        row.label(text=item.name, translate=False)
        row = row.split(factor=0.6 if narrow else 0.2)
        row.label(text=f"{item.first + 1}-{item.first + item.frames}", translate=False)
        if narrow:
            row.label(text=f"{100 * item.distance:.1f} %", translate=False)
            return
        row = row.split(factor=0.2)
        row.label(text=f"{100 * item.distance:.1f} %", translate=False)
        row = row.row()
        row.label(text=item.tags, translate=False)
        row.operator("genmm.use_found_place", text="", icon="ACTION", emboss=False).number = index


def _is_narrow(context: Context) -> bool:
    """Return whether the sidebar is drawn rather than the dialog."""
    return context.region is not None and context.region.type == "UI"


def draw_places(layout: UILayout, context: Context) -> None:
    """Draw the searched frames, the list, and the tags of the selected place."""
    kept = exploring(context)
    row = layout.row()
    chosen_by = "" if _is_narrow(context) else f", {kept.chosen_by}"
    row.label(text=f"Like frames {kept.first} to {kept.last}{chosen_by}", translate=False)
    row.prop(kept, "show_place", text="", icon="HIDE_OFF" if kept.show_place else "HIDE_ON")
    draw_closing(row, "places")
    layout.template_list("GENMM_UL_found_places", "", kept, "places", kept, "active_place")
    if 0 <= kept.active_place < len(kept.places) and kept.places[kept.active_place].tags:
        layout.label(text=kept.places[kept.active_place].tags, icon="BOOKMARKS", translate=False)
