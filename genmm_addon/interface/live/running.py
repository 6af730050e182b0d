# SPDX-License-Identifier: GPL-3.0-or-later
"""The running session of Live: advanced by a timer, and informed of undo, loading, renders and changed data."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import bpy
from bpy.types import Depsgraph, Object, Operator, Scene, Window

from ...core import InputError
from ...generation.generation import running as running_generation
from ...generation.job import INSTANT_SECONDS
from ...state.pins_editing import is_editing
from ...state.properties import keeps_own_settings, readable_settings
from ..common.character_operator import MODES
from ..common.draw_handlers import redraw
from .session import LiveSession

LISTENER = "GENMM_OT_hear_input"
"""The class of the operator that notices whether input is free."""

_sessions: list[LiveSession] = []
_said: list[str] = []
"""The sentence on why the last session ended without the user, if it did."""


def session() -> LiveSession | None:
    """Return the running session; None while Live is off."""
    return _sessions[0] if _sessions else None


def ended_because() -> str:
    """Return why Live ended without the user; "" where it did not."""
    return _said[0] if _said else ""


def begin(character: Object, scene: Scene) -> LiveSession:
    """Switch Live on for a character, and off for any other."""
    end()
    _sessions.append(LiveSession(character, scene))
    if not bpy.app.background:
        bpy.app.timers.register(_tick)
    return _sessions[0]


def end(because: str = "") -> None:
    """Switch Live off, and discard a motion that was not kept."""
    while _sessions:
        _sessions.pop().end()
    _said[:] = [because] if because else []
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    redraw(bpy.context)


def why_not_keep() -> str:
    """Return what has to happen before the shown motion can be written; "" for nothing."""
    live = session()
    located = None if live is None else live.found()
    if live is None or located is None:
        return "Live is off"
    window = _window(live)
    if window is None and not bpy.app.background:
        return f"Go back to the scene {live.scene} to keep the motion"
    if window is not None and any(map(_drags, window.modal_operators)):
        return "The motion is kept when you let go"
    with overridden(live):
        if bpy.context.mode not in MODES:
            return "Leave this mode to keep the motion"
    character, scene = located
    replaces = readable_settings(character, scene).output != "NEW_CHARACTER"
    if replaces and keeps_own_settings(character) and is_editing(character):
        return "Leave Edit Pins to keep the motion"
    return ""


def overridden(live: LiveSession) -> AbstractContextManager[Any]:
    """Return an override with a window that shows the scene, since timers have no window."""
    window = _window(live)
    if window is None:
        return nullcontext()
    area = next((area for area in window.screen.areas if area.type == "VIEW_3D"), None)
    if area is None:
        return bpy.context.temp_override(window=window)
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def look(keep: Callable[[], None], now: float) -> float:
    """Advance the session, and return the seconds until the next check. Raises InputError without the character."""
    live = session()
    if live is None or running_generation() is not None or bpy.app.is_job_running("RENDER"):
        return INSTANT_SECONDS
    before = live.shown, live.problem, live.waits_for
    wait = live.tick(now, why_not_keep, keep)
    after = live.shown, live.problem, live.waits_for
    if before != after:
        redraw(bpy.context, regions=("WINDOW", "UI") if before[1:] != after[1:] else ("WINDOW",))
    return wait


def _tick() -> float | None:
    """Advance the session on a timer; return None to end it."""
    live = session()
    if live is None:
        return None
    try:
        wait = look(_keep_with_undo, time.perf_counter())
        _hear_input(live)
        return wait
    except InputError as error:
        end(because=str(error))
        return None
    except BaseException:
        end(because="Live ended with an error; see the console for details.")
        raise


def _keep_with_undo() -> None:
    """Keep the motion through the operator, which makes one step of undo."""
    live = session()
    if live is not None:
        with overridden(live):
            bpy.ops.genmm.keep_live("EXEC_DEFAULT", True)  # type: ignore[attr-defined]  # registered by us


def _hear_input(live: LiveSession) -> None:
    """Start the listening operator unless it runs."""
    with overridden(live):
        hear: Any = bpy.ops.genmm.hear_input  # type: ignore[attr-defined]  # registered by us
        if hear.poll():
            hear("INVOKE_DEFAULT")


def _drags(modal: Operator) -> bool:
    """Return whether a modal operator changes something, unlike those that other extensions keep running to listen."""
    name = modal.bl_idname
    if name == LISTENER:
        return False
    return name.startswith("GENMM") or bpy.types.Operator.bl_rna_get_subclass_py(name) is None


def _window(live: LiveSession) -> Window | None:
    windows = bpy.context.window_manager.windows
    return next((window for window in windows if window.scene.name_full == live.scene), None)


def _before_undo(*_: Any) -> None:
    live = session()
    if live is not None:
        live.start_over()


def _before_loading(*_: Any) -> None:
    end()


def _data_changed(_scene: Scene, depsgraph: Depsgraph) -> None:
    live = session()
    if live is None or not live.directing:
        return
    for update in depsgraph.updates:
        block = update.id.original
        if (block.id_type, block.name_full) in live.directing:
            live.direction_changed()
            return


HANDLERS = {
    "undo_pre": _before_undo,
    "redo_pre": _before_undo,
    "undo_post": _before_undo,
    "redo_post": _before_undo,
    "load_pre": _before_loading,
    "depsgraph_update_post": _data_changed,
}


def unregister() -> None:
    """Switch Live off."""
    end()
