# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that build libraries, and choose those to learn from."""

import bpy
from bpy.props import StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.actions import assign, assigned
from ...core import InputError, counted
from ...generation.job import INSTANT_SECONDS
from ...generation.recipe import Recipe, recipe_of, request_from_recipe
from ...generation.results import select_alone
from ...generation.sources import played_result
from ...libraries.build_process import ASSETS, FOLDER, BuildOrder, current_build, is_building, read_on, start_build
from ...libraries.choosing import library_in
from ...libraries.opening import clip_as_action, first_pose
from ...requests.library_values import spec_to_find
from ...state.library_properties import GENMM_PG_library_build
from ...state.pins_editing import leave_editing
from ...state.properties import ensure_settings, readable_settings, scene_properties
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator, ResultOperator
from ..common.draw_handlers import redraw

READ_FOR, READ_EVERY = 0.05, 0.02
"""Time of reading actions of this file in one go, and the pause between that leaves Blender responsive, in seconds."""
CLIP, SLOT = "genmm_clip", "genmm_clip_slot"
"""Properties of an action made of a clip: the fingerprint of its library, and its slot."""


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


class GENMM_OT_add_library(CharacterOperator, Operator):
    bl_idname = "genmm.add_library"
    bl_label = "Add Library"
    bl_description = "Choose the file of another library to learn from"

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default="*.npz", options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the file, unless it is given."""
        if self.filepath:
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: Context, character: Object) -> None:
        """Load the library, and add it to the list."""
        library = library_in(self.filepath)
        settings = ensure_settings(character, context.scene)
        settings.learn_from = "LIBRARY"
        path = bpy.path.abspath(self.filepath)
        if path not in [bpy.path.abspath(item.path) for item in settings.library_files]:
            settings.library_files.add().path = self.filepath
        self.report({"INFO"}, f"{counted(len(library.clips), 'clip')}, {library.seconds / 60:,.1f} minutes.")


class GENMM_OT_count_clips(CharacterOperator, Operator):
    bl_idname = "genmm.count_clips"
    bl_label = "Count Clips"
    bl_description = "Load the libraries, and show how many clips are chosen"
    bl_options = {"REGISTER"}

    def act(self, context: Context, character: Object) -> None:
        """Load the libraries; the panel then shows the number of clips."""
        for item in readable_settings(character, context.scene).library_files:
            library_in(item.path)


class GENMM_OT_open_clip(ResultOperator, Operator):
    bl_idname = "genmm.open_clip"
    bl_label = "Open Clip"
    bl_description = "Give the source character an action with a clip that this result was made from"

    clip: StringProperty(name="Clip", description="The clip's name in the list of clips")

    def act(self, context: Context, _character: Object) -> None:
        """Make the action, and have the source play it."""
        source = request_from_recipe(recipe_of_clips(context)).armature
        kept = open_clip(context, source, self.clip)
        if kept:
            self.report({"INFO"}, f'Action "{kept}" is kept in the file.')


def recipe_of_clips(context: Context) -> Recipe:
    """Return the recipe of the played result. Raises InputError where that was not made from a library."""
    played = played_result(character_of(context))
    recipe = None if played is None else recipe_of(played.action)
    if recipe is None or recipe.library is None:
        raise InputError("The motion was not made from a library, or its recipe is lost; generate it again.")
    return recipe


def open_clip(context: Context, source: Object, name: str) -> str:
    """Select the source, and have it play a clip of the result that is played now.

    Returns the name of the action that it played before, which is kept. Raises InputError.
    """
    recipe = recipe_of_clips(context)
    assert recipe.library is not None
    if source.library is not None:
        raise InputError(f'"{source.name}" is linked and cannot be changed; open the clip in the file it comes from.')
    existing: Action | None = bpy.data.actions.get(name)
    if existing is not None and existing.get(CLIP) == recipe.library.fingerprints[0]:
        action, slot = existing, existing.get(SLOT, "")
    else:
        # Recorded clips may be anywhere, even out of view: the clip is moved to where the source stands.
        pose = first_pose(source, spec_to_find(source), context.scene)
        written = clip_as_action(source, recipe.library, name, recipe.bone_names, context.scene, pose)
        action, slot = written.action, written.slot
        action[CLIP], action[SLOT] = recipe.library.fingerprints[0], slot
        action.use_fake_user = True
    select_alone(context, source)
    return play_kept(source, action, slot)


def play_kept(source: Object, action: Action, slot: str) -> str:
    """Have a character play an action. Returns the name of the action that it played before, which is kept, if another.

    Raises InputError where the character cannot be changed.
    """
    leave_editing(source)
    before = assigned(source)
    if before is not None and before[0] == action:
        return ""
    if source.library is not None:
        raise InputError(f'"{source.name}" is linked and cannot be changed; show its action in the file it comes from.')
    if before is not None and before[0].library is None:
        before[0].use_fake_user = True
    assign(source, action, slot)
    return "" if before is None else str(before[0].name)
