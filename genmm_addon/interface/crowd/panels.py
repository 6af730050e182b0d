# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for crowds."""

from bpy.types import Context, Panel

from ...generation.generation import running
from ...state.properties import scene_properties
from ..common.drawing import draw_progress
from ..common.sidebar import CharacterPanel


class GENMM_PT_crowd(CharacterPanel, Panel):
    bl_label = "Crowd"
    bl_order = 8
    help_page = "crowd"

    def draw(self, context: Context) -> None:
        """Draw the crowd's values and the button."""
        self.shown(context)
        layout, crowd = self.layout, scene_properties(context.scene).crowd
        layout.prop(crowd, "layout_kind")
        ready = True
        if crowd.layout_kind in ("CURVE", "SURFACE"):
            name, kind = ("curve", "CURVE") if crowd.layout_kind == "CURVE" else ("surface", "MESH")
            layout.prop(crowd, name)
            target = getattr(crowd, name)
            ready = target is not None and target.type == kind
            if target is not None and not ready:
                layout.label(text=f"{target.name} is not a {kind.lower()}", icon="ERROR", translate=False)
        if crowd.layout_kind != "OBJECTS":
            layout.prop(crowd, "agents")
        layout.prop(crowd, "clips")
        generation = running()
        if generation is not None:
            draw_progress(layout, generation)
            return
        row = layout.row()
        row.enabled = ready
        row.operator("genmm.make_crowd", icon="COMMUNITY")
