# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes on the screen that follow Blender's interface: its scale, the height of its widgets, and its text."""

import blf
from bpy.types import Context

WIDGET = 20
"""Height of a widget in pixels at an interface scale of 1, as in Blender's own layouts."""


def widget_height(context: Context) -> float:
    """Return the height of a widget, in pixels."""
    return WIDGET * context.preferences.system.ui_scale


def set_text(context: Context, color: tuple[float, ...]) -> None:
    """Give the text drawn next the size of the text in Blender's widgets, and a color."""
    blf.size(0, context.preferences.ui_styles[0].widget.points * context.preferences.system.ui_scale)
    blf.color(0, *color)


def draw_shadowed(text: str, x: float, y: float) -> None:
    """Draw a text at a point of the region, with a dark shadow that makes it legible in any theme."""
    blf.position(0, x, y, 0.0)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 5, 0.0, 0.0, 0.0, 1.0)
    blf.draw(0, text)
    blf.disable(0, blf.SHADOW)


def letters_per_line(context: Context, sentence: str) -> int:
    """Return the number of a sentence's letters that fit into a line of the sidebar; all of them without a sidebar."""
    least = len("...")
    if context.region is None or not sentence.strip():
        return max(len(sentence), least)
    set_text(context, (1.0, 1.0, 1.0, 1.0))
    # Beside the text are an icon, the margins of panel and box, and the tabs, each about as wide as a widget is high.
    room = context.region.width - 4 * widget_height(context)
    return max(int(len(sentence) * room / max(blf.dimensions(0, sentence)[0], 1.0)), least)
