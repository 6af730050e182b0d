# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress shown in the status bar, in the sidebar and at the mouse cursor."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import Context

from ...core import Progress
from ...generation.job import INSTANT_SECONDS
from .draw_handlers import redraw

COMPUTING = "Generating motion"
WRITING = "Writing"


def show_status(context: Context, text: str | None) -> None:
    """Show a text in the status bar, or None for Blender's own; there is no bar while Blender quits or loads a file."""
    if context.workspace is not None:
        context.workspace.status_text_set(text)


def show_progress(context: Context, fraction: float, waits_for: str = "", doing: str = COMPUTING) -> None:
    """Show the progress, or what the user has to do first, in the status bar and the sidebar."""
    text = waits_for or f"{doing}: {fraction:.0%}"
    show_status(context, f"{text}    |    Esc to cancel")
    redraw(context, regions=("UI",))


def hide_progress(context: Context) -> None:
    """Clear the status bar."""
    show_status(context, None)
    redraw(context, regions=("UI",))


def watching_timer(context: Context) -> Any:
    """Return a new timer of the context's window, for an operator that watches a thread."""
    return context.window_manager.event_timer_add(INSTANT_SECONDS, window=context.window)


@contextmanager
def cursor_progress(context: Context) -> Iterator[Progress | None]:
    """Show progress at the mouse cursor, for work that the window waits for."""
    if bpy.app.background:
        yield None
        return
    manager, begun, is_shown = context.window_manager, time.perf_counter(), False

    def progress(fraction: float) -> None:
        nonlocal is_shown
        if not is_shown and time.perf_counter() - begun > INSTANT_SECONDS:
            manager.progress_begin(0, 100)
            is_shown = True
        if is_shown:
            manager.progress_update(100 * fraction)

    try:
        yield progress
    finally:
        if is_shown:
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
