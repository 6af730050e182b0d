# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel Library: the choice of clips, clusters, and the search for similar motion."""

from bpy.types import Context, Panel

from ...requests.library_values import why_not_search
from ...state.exploring_properties import exploring
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.drawing import draw_sentence
from ..common.sidebar import CharacterPanel, SidebarPanel
from ..library.drawing import draw_library_choice
from ..timeline.unchanged_keys import shown_fingerprint
from .drawing import draw_clusters, draw_places
from .found import why_outdated


class GENMM_PT_library(SidebarPanel, Panel):
    bl_label = "Library"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}
    help_page = "library"

    def draw(self, context: Context) -> None:
        """Draw the character's libraries, the choice of their clips, and the clusters of the one that is open."""
        layout = self.layout
        character, reason = character_or_reason(context)
        if character is None:
            draw_sentence(layout, reason, "INFO")
            return
        layout.use_property_split = False
        settings = readable_settings(character, context.scene)
        draw_library_choice(layout, settings)
        draw_clusters(context, layout, settings)


class GENMM_PT_find_similar(CharacterPanel, Panel):
    bl_label = "Find Similar"
    bl_parent_id = "GENMM_PT_library"
    bl_order = 0
    help_page = "find_similar"

    def draw(self, context: Context) -> None:
        """Draw the button and the places found."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.use_property_split = False
        reason = why_not_search(settings)
        if reason:
            draw_sentence(layout, reason, "INFO")
        layout.operator("genmm.find_similar", icon="VIEWZOOM").in_panel = True
        kept = exploring(context)
        if not kept.places:
            return
        if kept.character != character.name_full:
            layout.label(text=f"The list is of {kept.character}", icon="INFO", translate=False)
            return
        outdated = why_outdated(kept, shown_fingerprint)
        if outdated:
            draw_sentence(layout, f"{outdated}.", "INFO")
        draw_places(layout, context)
        layout.operator("genmm.use_found_place", icon="ACTION")
