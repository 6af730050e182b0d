# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of the sidebar's panels: their place, the condition to show them, and the help in their headers."""

from bpy.types import Context, Object

from ...state.properties import GENMM_PG_character, readable_settings
from ...state.selection import character_or_reason
from ..help.operators import draw_help
from .blender_bases import PanelBase
from .draw_handlers import redraw
from .drawing import in_columns

with_table: set[int] = set()
"""Addresses of the sidebars that show the table of bone names."""


def begin_layout(context: Context) -> None:
    """Forget whether the sidebar shows the table: Blender tells only by drawing the open panels, which comes next."""
    if context.region is not None and context.region.as_pointer() in with_table:
        with_table.remove(context.region.as_pointer())
        redraw(context, regions=("WINDOW",))


class SidebarPanel(PanelBase):
    """Mixin with the place of all panels and the help button in their headers."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "GenMM"
    help_page = ""

    def draw_header_preset(self, _context: Context) -> None:
        """Draw the button that shows the panel's help."""
        draw_help(self.layout, self.help_page)


class CharacterPanel(SidebarPanel):
    """Mixin for a panel that is shown when a character is selected."""

    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is a character."""
        return character_or_reason(context)[0] is not None

    def shown(self, context: Context) -> tuple[Object, GENMM_PG_character]:
        """Return the character and its settings, which exist where `poll` returned True.

        The layout is set to Blender's usual columns.
        """
        in_columns(self.layout)
        character, _ = character_or_reason(context)
        assert character is not None
        return character, readable_settings(character, context.scene)


class GenerateSubPanel(CharacterPanel):
    """Mixin for a panel inside New Motion."""

    bl_parent_id = "GENMM_PT_generate"


class DirectSubPanel(CharacterPanel):
    """Mixin for a panel inside Direct."""

    bl_parent_id = "GENMM_PT_direct"
