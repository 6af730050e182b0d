# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels that direct the motion: Direct, and in it Keep Part and Path."""

from bpy.types import Context, Panel

from ...requests.direction_values import given_action, why_no_path, why_not_kept
from ..common.drawing import draw_sentence, draw_switch
from ..common.sidebar import CharacterPanel, DirectSubPanel


class GENMM_PT_direct(CharacterPanel, Panel):
    bl_label = "Direct"
    bl_order = 2
    help_page = "direct"

    def draw(self, _context: Context) -> None:
        """Draw nothing: each direction has a panel of its own inside this one."""


class GENMM_PT_path(DirectSubPanel, Panel):
    bl_label = "Path"
    bl_order = 3
    bl_options = set()  # open, once Direct is
    help_page = "path"

    def draw_header(self, context: Context) -> None:
        """Draw the switch of the path."""
        _, settings = self.shown(context)
        draw_switch(self.layout, settings, "use_path", usable=settings.path_curve is not None)

    def draw(self, context: Context) -> None:
        """Draw the curve to follow, and the values for following it."""
        _, settings = self.shown(context)
        self.layout.prop(settings, "path_curve", text="Curve")
        if settings.path_curve is None:
            self.layout.label(text="Choose a curve to follow", icon="INFO")
            return
        reason = why_no_path(settings)
        if reason:
            draw_sentence(self.layout, reason, "ERROR")
            return
        column = self.layout.column()
        column.active = settings.use_path
        column.prop(settings, "path_speed")
        column.prop(settings, "path_along")


class GENMM_PT_given_part(DirectSubPanel, Panel):
    bl_label = "Keep Part"
    bl_order = 2
    help_page = "keep_part"

    def draw_header(self, context: Context) -> None:
        """Draw the switch of the kept part."""
        _, settings = self.shown(context)
        draw_switch(self.layout, settings, "use_completion", usable=bool(settings.completion_part))

    def draw(self, context: Context) -> None:
        """Draw the action to keep, and the bones that keep it."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop_search(settings, "completion_part", settings, "part_list", icon="GROUP_BONE")
        layout.prop(settings, "completion_action")
        if not settings.part_list:
            layout.operator("genmm.make_parts", text="Make Upper and Lower Body").kind = "UPPER_LOWER"
        if not settings.completion_part:
            layout.label(text="Choose the part to keep", icon="INFO")
            return
        reason = why_not_kept(settings, character)
        given = given_action(settings, character)
        if reason:
            layout.label(text=reason, icon="ERROR", translate=False)
        elif given is not None:
            layout.label(text=f"As long as {given[0].name}", icon="INFO", translate=False)
