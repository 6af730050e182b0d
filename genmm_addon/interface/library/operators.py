# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the libraries to learn from, and on the clips that a result was made from."""

import bpy
from bpy.props import StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.actions import assign, assigned
from ...core import InputError, counted
from ...generation.recipe import Recipe, recipe_of, request_from_recipe
from ...generation.results import select_alone
from ...generation.sources import played_result
from ...libraries.choosing import library_in
from ...libraries.opening import clip_as_action, first_pose
from ...requests.library_values import spec_to_find
from ...state.pins_editing import leave_editing
from ...state.properties import ensure_settings, readable_settings
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator, ResultOperator


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
    leave_editing(source)
    before = assigned(source)
    if before is not None and before[0].library is None:
        before[0].use_fake_user = True
    select_alone(context, source)
    assign(source, action, slot)
    return "" if before is None or before[0] == action else str(before[0].name)


CLIP, SLOT = "genmm_clip", "genmm_clip_slot"
"""Properties of an action made of a clip: the fingerprint of its library, and its slot."""
