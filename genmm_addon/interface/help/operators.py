# SPDX-License-Identifier: GPL-3.0-or-later
"""Help for a panel: a page in the window, opened from the panel's header, with a link to the manual."""

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Operator, UILayout

from ...core import InputError
from .pages import manual_page, page_path, read_page

LETTERS = 72
"""Letters per line of a page."""


class GENMM_OT_show_help(Operator):
    bl_idname = "genmm.show_help"
    bl_label = "Help"
    bl_description = "Show what this panel is for and how to use it"
    bl_options = {"INTERNAL"}

    page: StringProperty(name="Page", description="The page of the help to show", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> set[str]:  # type: ignore[override]  # `common`, which has the type, is above
        """Open the page, which a click, Esc or moving the mouse away closes."""
        page = self.page
        try:
            page_path(page)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        # A popup menu is drawn once, while an operator's dialog would keep the operator running.
        context.window_manager.popup_menu(lambda popup, _context: draw_page(popup.layout, page))
        return {"FINISHED"}


class GENMM_OT_open_manual(Operator):
    bl_idname = "genmm.open_manual"
    bl_label = "Open Manual"
    bl_description = "Open the extension's manual, which is stored on this computer, in the web browser"
    bl_options = {"INTERNAL"}

    page: StringProperty(name="Page", description="The page of the help to begin with", options={"SKIP_SAVE"})

    def execute(self, _context: Context) -> set[str]:  # type: ignore[override]  # `common`, which has the type, is above
        """Open the page; it needs no network."""
        path = manual_page(self.page)
        if path is None:
            self.report({"ERROR"}, "The manual is not part of this installation; install the extension from its zip.")
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=path.as_uri())
        return {"FINISHED"}


def draw_page(layout: UILayout, name: str) -> None:
    """Draw the page of a name, or the reason why it cannot be shown."""
    try:
        page = read_page(name, LETTERS)
    except InputError as error:
        layout.label(text=str(error), icon="ERROR", translate=False)
        return
    layout.label(text=page.title, icon="HELP", translate=False)
    column = layout.column(align=True)
    for line in page.lines:
        if line.starts and not line.is_item:
            column.separator()
        if not line.is_item:
            column.label(text=line.text, translate=False)
        else:
            column.label(text=line.text, icon="DOT" if line.starts else "BLANK1", translate=False)
    column.separator()
    if manual_page(name) is not None:
        layout.operator("genmm.open_manual", icon="URL").page = name


def draw_help(layout: UILayout, page: str) -> None:
    """Draw the button that opens a page."""
    layout.operator("genmm.show_help", text="", icon="HELP", emboss=False).page = page
