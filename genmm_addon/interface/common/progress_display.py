# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress shown in the status bar, in the sidebar and at the mouse cursor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Context

from ...core import Progress

COMPUTING = "Generating motion"
WRITING = "Writing"


def show_progress(context: Context, fraction: float, waits_for: str = "", doing: str = COMPUTING) -> None:
    """Show the progress, or what the user has to do first, in the status bar and the sidebar."""
    text = waits_for or f"{doing}: {fraction:.0%}"
    context.workspace.status_text_set(f"{text}    |    Esc to cancel")
    _redraw_sidebars(context)


def hide_progress(context: Context) -> None:
    """Clear the status bar, which does not exist while Blender quits or loads a file."""
    if context.workspace is not None:
        context.workspace.status_text_set(None)
    _redraw_sidebars(context)


@contextmanager
def cursor_progress(context: Context, *, shown: bool) -> Iterator[Progress | None]:
    """Show progress at the mouse cursor, for work that the window waits for."""
    if not shown or bpy.app.background:
        yield None
        return
    manager = context.window_manager
    manager.progress_begin(0, 100)
    try:
        yield _updating(manager.progress_update)
    finally:
        manager.progress_end()


def _updating(update: Callable[[float], None]) -> Progress:
    def progress(fraction: float) -> None:
        update(100 * fraction)

    return progress


def _redraw_sidebars(context: Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
