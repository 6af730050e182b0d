# SPDX-License-Identifier: GPL-3.0-or-later
"""Build Library: a build in the background, watched by a timer."""

import bpy
from bpy.types import Context, Operator

from ...core import InputError
from ...generation.job import INSTANT_SECONDS
from ...libraries.build_process import (
    ASSETS,
    FOLDER,
    BuildOrder,
    current_build,
    is_building,
    read_on,
    start_build,
)
from ...state.library_properties import GENMM_PG_library_build
from ...state.properties import scene_properties
from ..common.blender_bases import Outcome
from ..common.draw_handlers import redraw

READ_FOR, READ_EVERY = 0.05, 0.02
"""Time of reading actions of this file in one go, and the pause between that leaves Blender responsive, in seconds."""


class GENMM_OT_build_library(Operator):
    bl_idname = "genmm.build_library"
    bl_label = "Build Library"
    bl_description = "Build a library in the background; an existing one is brought up to date"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether no build is running, and source and file are chosen."""
        reason = _why_not(scene_properties(context.scene).library_build)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: Context) -> Outcome:
        """Start the build; without a window, wait for its end."""
        asked = scene_properties(context.scene).library_build
        try:
            build = start_build(
                BuildOrder(
                    folder=asked.folder,
                    file=asked.file,
                    pattern=asked.pattern,
                    mirrored=asked.mirrored,
                    prune=asked.prune,
                    source=asked.source,
                    asset_library=asked.asset_library,
                )
            )
        except (InputError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not bpy.app.background:
            bpy.app.timers.register(_look, first_interval=INSTANT_SECONDS, persistent=True)
            return {"FINISHED"}
        while read_on(READ_FOR):
            pass
        if build.thread is not None:
            build.thread.join()
        for problem in build.problems:
            self.report({"WARNING" if build.clips is not None else "ERROR"}, problem)
        for note in build.notes:
            self.report({"INFO"}, note)
        return {"FINISHED"} if build.clips is not None else {"CANCELLED"}


class GENMM_OT_stop_library_build(Operator):
    bl_idname = "genmm.stop_library_build"
    bl_label = "Stop Building"
    bl_description = "Stop the build; an existing library stays unchanged"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return whether a build is running."""
        if not is_building():
            cls.poll_message_set("No library is being built")
        return is_building()

    def execute(self, _context: Context) -> Outcome:
        """Ask the process to end."""
        build = current_build()
        if build is not None:
            build.stop()
        return {"FINISHED"}


def _why_not(asked: GENMM_PG_library_build) -> str:
    """Return a sentence on why no build can start; else ""."""
    if is_building():
        return "A library is being built; wait for it, or stop it"
    if asked.source == FOLDER and not asked.folder:
        return "Choose a folder to build from"
    if asked.source == ASSETS and not asked.asset_library:
        return "Choose an asset library to build from"
    return "" if asked.file else "Choose a file for the library"


def _look() -> float | None:
    """Read some actions of this file and redraw the sidebars; return None, which ends the timer, after the build."""
    more = read_on(READ_FOR)
    redraw(bpy.context, regions=("UI",))
    return (READ_EVERY if more else INSTANT_SECONDS) if is_building() else None


def unregister() -> None:
    """Stop looking at a build."""
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
