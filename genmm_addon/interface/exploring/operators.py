# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Similar: places of the character's libraries like some of its frames, and actions made of them."""

from functools import partial

import bpy
from bpy.props import BoolProperty, IntProperty
from bpy.types import Context, Event, Object, Operator

from ...core import InputError, computing, counted
from ...libraries.choosing import library_in
from ...libraries.exploring.indexes import keep_indexes, make_indexes, without_index
from ...requests.library_values import search_choice, why_not_search
from ...requests.played_examples import plays_something
from ...state.exploring_properties import exploring
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.preparing_first import Preparation, PreparingFirst
from ..common.progress_display import busy
from ..timeline.unchanged_keys import shown_fingerprint
from . import found
from .drawing import draw_places
from .making import make_action

WIDTH = 520
"""Width of the dialog with the list, in pixels at an interface scale of 1."""


class GENMM_OT_find_similar(PreparingFirst, CharacterOperator, Operator):
    bl_idname = "genmm.find_similar"
    bl_label = "Find Similar"
    bl_description = (
        "Search the character's libraries for places like the frames of the selected keys; without any, like the "
        "preview range or the motion around the playhead"
    )
    bl_options = {"REGISTER"}

    count: IntProperty(name="Places", description="Maximum number of places to list", default=12, min=1, max=200)
    in_panel: BoolProperty(name="List in Panel", default=False, options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no library or no motion; else ""."""
        if not plays_something(character):
            return f"{character.name} plays nothing; give it an action"
        return why_not_search(readable_settings(character, context.scene))

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation of libraries without an index; None where all have one. Raises InputError."""
        character, _ = character_or_reason(context)
        if character is None:
            return None
        files = search_choice(readable_settings(character, context.scene)).files
        waiting = without_index([library_in(file) for file in files])
        frames = sum(library.frames for library in waiting)
        return Preparation(frames, partial(make_indexes, waiting), keep_indexes) if waiting else None

    def when_ready(self, context: Context) -> Outcome:
        """Search; unless called by the panel, which has the list, show the places in a dialog."""
        outcome = self.execute(context)
        if outcome == {"FINISHED"} and not self.in_panel:
            bpy.ops.genmm.use_found_place("INVOKE_DEFAULT", choose=True)  # type: ignore[attr-defined]  # registered below
        return outcome

    def act(self, context: Context, character: Object) -> None:
        """Search, and report the frames searched for, and libraries that could not be searched."""
        try:
            with busy(context), computing():
                stretch, asked, refused = found.search(context, character, self.count)
        except InputError:
            found.forget(context)
            raise
        frames = f"frames {stretch.first} to {stretch.last} ({asked.chosen_by})"
        places = counted(len(exploring(context).places), "place")
        # In one report, since the status bar shows only the last.
        self.report({"WARNING" if refused else "INFO"}, " ".join([f"{places} like {frames}.", *refused]))


class GENMM_OT_use_found_place(CharacterOperator, Operator):
    bl_idname = "genmm.use_found_place"
    bl_label = "Make Action"
    bl_description = (
        "Give the character a new action with the selected place, which begins where and when the searched frames "
        "begin; its present action stays in the file"
    )

    number: IntProperty(
        name="Number", description="The place in the list, from 0; -1 means the selected one", default=-1,
        options={"SKIP_SAVE", "HIDDEN"},
    )  # fmt: skip
    choose: BoolProperty(name="Choose", default=False, options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the last search was not for this character; else ""."""
        kept = exploring(context)
        if not kept.places:
            return "Search first, with Find Similar"
        if kept.character != character.name_full:
            return f"Searched for {kept.character}; search again"
        return found.why_outdated(kept, shown_fingerprint)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Show the list in a dialog where `choose` is set, else act at once."""
        if self.choose:
            return context.window_manager.invoke_props_dialog(
                self, width=WIDTH, title="Similar Places", confirm_text="Make Action"
            )
        return self.execute(context)

    def draw(self, context: Context) -> None:
        """Draw the list in the dialog."""
        if self.choose:
            draw_places(self.layout, context)

    def act(self, context: Context, character: Object) -> None:
        """Make the action, and have the character play it."""
        kept = exploring(context)
        reason = found.why_outdated(kept)
        if reason:
            raise InputError(f"{reason}.")
        if self.number >= 0:
            kept.active_place = min(self.number, len(kept.places) - 1)
        laid = found.lay_active(context, character)
        if laid is None:
            raise InputError("No place is selected in the list; select one.")
        summary = make_action(character, laid)
        self.report({"INFO"}, summary)
