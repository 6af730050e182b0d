# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the panel Repair and Adjust Last Operation have in common."""

from typing import Any

from bpy.types import UILayout

from ..transform.drawing import draw_example_names


def draw_repair(layout: UILayout, asked: Any, *, expand: bool = False) -> None:
    """Draw what is repaired and by which examples: only the rows that count; asked: RepairProperties."""
    layout.prop(asked, "what", expand=expand)
    column = layout.column()
    column.prop(asked, "kinds")
    column.prop(asked, "frames_choice")
    if asked.frames_choice == "FRAMES":
        frames = column.column(align=True)
        frames.prop(asked, "first_frame")
        frames.prop(asked, "last_frame")
    column.prop(asked, "bones_choice")
    column.prop(asked, "source")
    draw_example_names(column, asked)
    column.prop(asked, "strength")
