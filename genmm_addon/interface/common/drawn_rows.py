# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the lists in panels, which draws a row of a collection."""

from typing import Any

from bpy.types import Context, UILayout

from .blender_bases import ListBase


class DrawnRows(ListBase):
    """Mixin placed before `bpy.types.UIList`; a subclass draws one row."""

    def draw_row(self, context: Context, layout: UILayout, item: Any, index: int) -> None:
        """Draw the item with a number."""
        raise NotImplementedError

    def draw_item(  # type: ignore[override]  # the last argument may be left out
        self,
        context: Context,
        layout: UILayout,
        _data: object,
        item: Any,
        _icon: int,
        _active_data: object,
        _active_property: str,
        index: int = 0,
    ) -> None:
        """Draw a row; Blender calls this."""
        layout.use_property_split = False
        self.draw_row(context, layout, item, index)
