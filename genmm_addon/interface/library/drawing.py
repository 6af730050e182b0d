# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of libraries and clips in the sidebar, and the clips of a result."""

from bpy.types import UILayout

from ...core import InputError
from ...generation.sources import Sources
from ...requests.library_values import chosen_text
from ...state.properties import GENMM_PG_character
from ..common.choice_operator import draw_choice
from ..common.drawing import MOST_ROWS, draw_file, draw_sentence


def draw_library_choice(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw the libraries, each with a button for its clusters, and the tags and words that choose clips."""
    column = layout.column(align=True)
    for number, item in enumerate(settings.library_files):
        row = column.row(align=True)
        draw_file(row.column(align=True), item, "path", text="")
        row.operator("genmm.show_clusters", text="", icon="OUTLINER").number = number
        draw_choice(row, "genmm.remove_row", "library_files", text="", icon="REMOVE").number = number
    column.operator("genmm.add_library", icon="ADD")
    if not settings.library_files:
        return
    choice = layout.column()
    choice.use_property_split, choice.use_property_decorate = True, False
    choice.prop(settings, "library_search", icon="VIEWZOOM")
    choice.prop(settings, "library_tags", icon="BOOKMARKS")
    choice.prop(settings, "library_frames")
    draw_chosen_clips(layout, settings)


def draw_chosen_clips(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw how many clips the libraries' tags and words choose, or the reason why there are none."""
    if not settings.library_files:
        draw_sentence(layout, "Add a library in the panel Library", "INFO")
        return
    try:
        summary = chosen_text(settings)
    except InputError as error:
        draw_sentence(layout, str(error), "ERROR")
        return
    if summary:
        layout.label(text=summary, icon="ANIM_DATA", translate=False)
    else:
        layout.operator("genmm.count_clips", icon="ANIM_DATA")


def draw_clips(layout: UILayout, sources: Sources) -> None:
    """Draw the clips that a result was made from, those shown longest first, each with a button that opens it."""
    lengths: dict[str, float] = {}
    for part in sources.parts:
        for _, length, which, *_ in part.stretches:
            name = sources.examples[int(which)].name
            lengths[name] = lengths.get(name, 0.0) + length
    longest = sorted(lengths, key=lambda name: -lengths[name])
    column = layout.column(align=True)
    column.label(text=f"Clips ({len(longest)})", translate=False)
    for name in longest[:MOST_ROWS]:
        column.operator("genmm.open_clip", text=f"{name} ({lengths[name]:.0f})", translate=False).clip = name
    if longest[MOST_ROWS:]:
        column.label(text=f"and {len(longest) - MOST_ROWS} more", translate=False)
