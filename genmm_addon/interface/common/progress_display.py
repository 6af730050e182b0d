# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress shown in the status bar, in the sidebar and at the mouse cursor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Context

from ...core import Progress
from .draw_handlers import redraw

TICK_SECONDS = 0.1
"""Interval of checking a thread, in seconds."""
COMPUTING = "Generating motion"
WRITING = "Writing"


def show_progress(context: Context, fraction: float, waits_for: str = "", doing: str = COMPUTING) -> None:
    """Show the progress, or what the user has to do first, in the status bar and the sidebar."""
    text = waits_for or f"{doing}: {fraction:.0%}"
    context.workspace.status_text_set(f"{text}    |    Esc to cancel")
    redraw(context, regions=("UI",))


def hide_progress(context: Context) -> None:
    """Clear the status bar, which does not exist while Blender quits or loads a file."""
    if context.workspace is not None:
        context.workspace.status_text_set(None)
    redraw(context, regions=("UI",))


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


@contextmanager
def busy(context: Context) -> Iterator[None]:
    """Show the waiting cursor, for work that takes some seconds where a library is prepared first."""
    if context.window is not None:
        context.window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        if context.window is not None:
            context.window.cursor_modal_restore()


def _updating(update: Callable[[float], None]) -> Progress:
    def progress(fraction: float) -> None:
        update(100 * fraction)

    return progress
