# SPDX-License-Identifier: GPL-3.0-or-later
"""The places found and the clusters of a library, drawn in panels and dialogs."""

from collections.abc import Sequence
from contextlib import suppress

import bpy
from bpy.types import AnyType, Context, UILayout, UIList

from ...core import InputError, counted
from ...libraries.choosing import loaded_library
from ...requests.library_values import library_files
from ...state.exploring_properties import (
    GENMM_PG_cluster,
    GENMM_PG_clusters,
    GENMM_PG_found_place,
    active_cluster,
    exploring,
    listed_clusters,
)
from ...state.properties import GENMM_PG_character
from ..common.drawing import draw_closing
from ..common.drawn_rows import DrawnRows
from ..common.screen_units import widget_height
from .pictures import draw_strip, small_icon, strip_icons


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


class GENMM_UL_clusters(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_cluster, _index: int) -> None:
        """Draw one cluster: a triangle that expands it, a typical pose, its name, and its number of clips."""
        row = layout.row(align=True)
        if item.depth:
            row.separator(factor=item.depth)
        if item.has_inside:
            opened = item.expanded
            row.prop(item, "expanded", text="", icon="DOWNARROW_HLT" if opened else "RIGHTARROW", emboss=False)
        else:
            row.label(text="", icon="BLANK1")
        row.label(
            text=item.name, icon_value=small_icon(listed_clusters(context).fingerprint, item.typical), translate=False
        )
        count = row.row()
        count.alignment = "RIGHT"
        if item.choice:
            count.label(text="", icon="BOOKMARKS")
        count.label(text=f"{item.clips:,}", translate=False)

    def filter_items(self, _context: Context, data: AnyType, property: str) -> tuple[list[int], list[int]]:  # type: ignore[override]  # the stub names no types
        """Return the visibility of each row: those inside expanded clusters, or all that match the filter's name."""
        rows = getattr(data, property)
        if self.filter_name:
            named = bpy.types.UI_UL_list.filter_items_by_name
            return named(self.filter_name, self.bitflag_filter_item, rows, "name"), []
        hidden = hidden_rows([(row.depth, row.expanded) for row in rows])
        return [0 if is_hidden else self.bitflag_filter_item for is_hidden in hidden], []


def draw_clusters(context: Context, layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw the tree of the library that was opened last, if it is one of the character's, and the selected cluster."""
    kept, row = listed_clusters(context), active_cluster(context)
    if not kept.rows or kept.file not in library_files(settings):
        return
    head = layout.row()
    head.label(text=bpy.path.basename(kept.file), icon="OUTLINER", translate=False)
    draw_closing(head, "clusters")
    layout.template_list("GENMM_UL_clusters", "", kept, "rows", kept, "active")
    if row is not None:
        _draw_cluster(context, layout, kept, row)


def _draw_cluster(context: Context, layout: UILayout, kept: GENMM_PG_clusters, row: GENMM_PG_cluster) -> None:
    """Draw the poses of the typical clip, and the operators on the cluster."""
    strip = layout.row(align=True)
    icons = show_strip(kept.file, kept.fingerprint, row.typical)
    # Together the poses are as wide as the sidebar without its tabs.
    room = context.region.width / widget_height(context) - 1 if context.region is not None else len(icons)
    for icon in icons:
        strip.template_icon(icon_value=icon, scale=room / len(icons))
    layout.label(text=f"{counted(row.clips, 'clip')}, {row.minutes:.1f} minutes", translate=False)
    layout.label(text=row.typical_name, icon="ANIM_DATA", translate=False)
    layout.operator("genmm.rename_cluster", icon="BOOKMARKS")
    layout.operator("genmm.choose_cluster", icon="FORWARD")
    layout.operator("genmm.use_typical_clip", icon="ACTION")


def hidden_rows(rows: Sequence[tuple[int, bool]]) -> list[bool]:
    """Return for each row whether it lies inside a collapsed one. rows: depth, and whether the row is expanded."""
    hidden, closed = list[bool](), -1
    for depth, expanded in rows:
        inside = closed >= 0 and depth > closed
        hidden.append(inside)
        if not inside:
            closed = -1 if expanded else depth
    return hidden


def show_strip(file: str, fingerprint: str, clip: int) -> list[int]:
    """Return the icons of a clip's poses, drawn on first use; none where the library is not in memory, or damaged."""
    icons = strip_icons(fingerprint, clip)
    if not icons:
        library = loaded_library(file)
        if library is not None and library.fingerprint == fingerprint:
            with suppress(InputError):
                draw_strip(library, clip)
            icons = strip_icons(fingerprint, clip)
    return icons
