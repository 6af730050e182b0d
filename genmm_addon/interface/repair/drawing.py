# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the panel Repair and Adjust Last Operation share."""

from typing import Any

from bpy.types import UILayout

from ..common.drawing import draw_frames
from ..transform.drawing import draw_example_names


def draw_repair(layout: UILayout, asked: Any, *, expand: bool = False) -> None:
    """Draw the values of a repair, without rows that have no effect; asked: RepairProperties."""
    layout.prop(asked, "what", expand=expand)
    column = layout.column()
    column.prop(asked, "kinds")
    draw_frames(column, asked, "frames_choice")
    column.prop(asked, "bones_choice")
    column.prop(asked, "source")
    if asked.source == "NONE":
        column.label(text="Examples leave less noise than filters", icon="INFO")
    draw_example_names(column, asked)
    column.prop(asked, "strength")
