# SPDX-License-Identifier: GPL-3.0-or-later
"""The tip for the first minutes, which is shown until it is dismissed; the extension's preferences remember that."""

from typing import Any, Literal

import bpy
from bpy.props import BoolProperty
from bpy.types import AddonPreferences, UILayout

EXTENSION = (__package__ or "").removesuffix(".interface.help")
TIP: tuple[tuple[str, Literal["PLAY", "KEYFRAME_HLT", "VIEWZOOM"]], ...] = (
    ("Generate makes new motion", "PLAY"),
    ("Edit This Action fills gaps", "KEYFRAME_HLT"),
    ("F3 finds all features by name", "VIEWZOOM"),
)
"""The three most used ways in, each with an icon: texts that a sidebar as wide as at first does not cut off."""


class GENMM_AP_preferences(AddonPreferences):
    bl_idname = EXTENSION

    show_tip: BoolProperty(
        name="Show First Steps", description="Show the first steps in the panel New Motion", default=True
    )

    def draw(self, _context: Any) -> None:
        """Draw the switch that shows the tip again."""
        self.layout.prop(self, "show_tip")


def preferences() -> Any:
    """Return the extension's preferences; None where it runs as a Python module."""
    extension: Any = bpy.context.preferences.addons.get(EXTENSION)
    return None if extension is None else extension.preferences


def draw_tip(layout: UILayout) -> None:
    """Draw the tip with a button that dismisses it."""
    kept = preferences()
    if kept is None or not kept.show_tip:
        return
    row = layout.box().row()
    lines = row.column(align=True)
    for text, icon in TIP:
        lines.label(text=text, icon=icon)
    row.prop(kept, "show_tip", text="", icon="X", emboss=False, invert_checkbox=True)
