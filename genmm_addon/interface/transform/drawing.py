# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the panel Change and Adjust Last Operation share."""

from typing import Any

import bpy
from bpy.types import UILayout

from ..common.drawing import draw_file


def draw_examples(layout: UILayout, asked: Any, *, expand: bool = False) -> None:
    """Draw the source of the other motion, and the rows that apply to it; asked: TransformProperties."""
    layout.prop(asked, "source", expand=expand)
    draw_example_names(layout, asked)


def draw_example_names(layout: UILayout, asked: Any) -> None:
    """Draw the other action, or the library and its tags, as the source of `asked` says."""
    if asked.source == "ACTION":
        layout.prop_search(asked, "other_action", bpy.data, "actions")
    elif asked.source == "LIBRARY":
        draw_file(layout, asked, "library")
        layout.prop(asked, "tags")
