# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of examples: add, remove and move its rows."""

from collections.abc import Iterable

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.fitting import fitting_actions
from ...animation.pins.action import is_own
from ...core import MOST_LISTED, InputError, counted
from ...generation.recipe import PROPERTY as RECIPE
from ...requests.choices import add_example, chosen_examples, keep_examples, why_no_example
from ...state.pins_editing import own_assignment
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from .remarks import leave_out_stray_keys, remarks_on, stray_keys_of


def _unlisted_actions(character: Object, settings: GENMM_PG_character) -> list[Action]:
    left_out = {settings.pins_action, *(item.action for item in settings.examples)}
    return [action for action in fitting_actions(character) if action not in left_out and not is_own(action)]


# Blender does not copy the texts of a computed enumeration: they are kept alive here while a menu shows them.
_shown: list[tuple[str, str, str]] = []


def _addable(_operator: Operator, context: Context | None) -> Iterable[tuple[str, str, str]]:
    character = character_or_reason(context)[0] if context is not None else None
    if character is None:
        return []
    actions = _unlisted_actions(character, readable_settings(character, context.scene))
    _shown[:] = [(action.name_full, action.name_full, "") for action in actions]
    return _shown


class GENMM_OT_add_example(CharacterOperator, Operator):
    bl_idname = "genmm.add_example"
    bl_label = "Add Example"
    bl_description = "Choose another action of this character to learn from"
    bl_property = "choice"

    choice: EnumProperty(
        name="Action", description="The action to add", items=_addable, options={"SKIP_SAVE", "HIDDEN"}
    )
    action: StringProperty(
        name="Action",
        description="The name of the action to add; empty means the one that the character plays",
        options={"SKIP_SAVE"},
    )
    played: BoolProperty(
        name="Played",
        description="Add the action that the character plays, without asking",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        return "" if bpy.data.actions else "The file has no action; give the character one, or import one"

    def invoke(self, context: Context, _event: Event) -> Outcome:
        if self.played:
            return self.execute(context)
        if not _addable(self, context):
            self.report({"INFO"}, "The list already has every action that fits the character.")
            return {"CANCELLED"}
        context.window_manager.invoke_search_popup(self)
        return {"INTERFACE"}

    def act(self, context: Context, character: Object) -> None:
        action = self._action(character)
        add_example(character, ensure_settings(character, context.scene), action, context.scene)

    def _action(self, character: Object) -> Action:
        name = self.action
        if not name and self.properties.is_property_set("choice"):
            name = self.choice
        if not name:
            active = own_assignment(character)
            if active is None:
                raise InputError(f"{character.name} plays no action; choose one.")
            return active[0]
        for action in bpy.data.actions:
            if action.name_full == name:
                return action
        raise InputError(f'Action "{name}" was not found; choose another.')


class GENMM_OT_add_fitting_examples(CharacterOperator, Operator):
    bl_idname = "genmm.add_fitting_examples"
    bl_label = "Learn from All Actions That Fit"
    bl_description = "Learn from every action in the file that moves this character's bones, except generated ones"

    def act(self, context: Context, character: Object) -> Outcome:
        settings = ensure_settings(character, context.scene)
        fitting = [action for action in _unlisted_actions(character, settings) if action.get(RECIPE) is None]
        left_out = {
            action: reason for action in fitting if (reason := why_no_example(character, action, context.scene))
        }
        added = [action for action in fitting if action not in left_out]
        remarks = [f"Left out: {reason}" for reason in list(left_out.values())[:MOST_LISTED]]
        if len(left_out) > MOST_LISTED:
            remarks.append(f"{len(left_out) - MOST_LISTED} more are left out.")
        if not added:
            self.report({"INFO"}, " ".join(["No other action fits.", *remarks]))
            return {"CANCELLED"}
        # The played action comes first, since it was the example so far.
        active = own_assignment(character)
        added.sort(key=lambda action: active is None or action != active[0])
        before = {item.action for item in settings.examples}
        for action in added:
            if action not in {item.action for item in settings.examples}:
                add_example(character, settings, action, context.scene)
        # The examples of a result that is played come with it; an action may have several rows.
        summary = f"{counted(len({item.action for item in settings.examples} - before), 'action')} added."
        self.report({"INFO"}, " ".join([summary, *remarks]))
        return {"FINISHED"}


class GENMM_OT_leave_out_stray_keys(CharacterOperator, Operator):
    bl_idname = "genmm.leave_out_stray_keys"
    bl_label = "Leave Out Stray Keys"
    bl_description = "Learn only from the frames that hold nearly all keys, without the few keys far away from them"

    def act(self, context: Context, character: Object) -> Outcome:
        """Set the range of the rows; an empty list first gets the played action."""
        scene, rows = context.scene, readable_settings(character, context.scene).examples
        played = [] if len(rows) else [choice.spec for choice in chosen_examples(character, ())]
        # Of what NLA strips, drivers or constraints play, no action is known.
        stray = [remarks_on(character, spec, scene).stray for spec in played if spec.action is not None]
        stray += [stray_keys_of(character, row, scene) for row in rows]
        if not any(stray):
            self.report({"INFO"}, "No example has stray keys.")
            return {"CANCELLED"}
        settings = ensure_settings(character, scene)
        if played:
            keep_examples(character, settings, played, scene)
        strays = leave_out_stray_keys(character, settings.examples, scene)
        self.report({"INFO"}, f"Learning from {strays[0].range}: it has {strays[0].where}.")
        return {"FINISHED"}


class GENMM_OT_keep_character_settings(CharacterOperator, Operator):
    bl_idname = "genmm.keep_character_settings"
    bl_label = "Change Settings"
    bl_description = "Store settings for this linked character in the scene, since it cannot store them itself"

    def act(self, context: Context, character: Object) -> None:
        ensure_settings(character, context.scene)
