# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for mixing: examples of other characters and the examples of a part."""

from typing import Any

from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...animation.actions import assigned
from ...animation.reading.other_characters import check_fits, match_of
from ...animation.reading.usual_pose import seen_moments
from ...animation.rig import read_skeleton
from ...core import InputError
from ...requests.choices import add_example_of, add_played_example
from ...requests.direction_values import bone_names_of
from ...state.pins_editing import own_assignment
from ...state.properties import GENMM_PG_character, ensure_settings
from ..common.character_operator import CharacterOperator
from ..parts.operators import active_part, why_no_part
from .other_skeletons import other_characters


class GENMM_OT_add_other_character(CharacterOperator, Operator):
    bl_idname = "genmm.add_other_character"
    bl_label = "Add from Other Character"
    bl_description = "Learn from what the other selected characters play; the active object is this character"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence unless another character is selected that plays an action."""
        others = other_characters(context, character)
        if not others:
            return f"Select another character first, and {character.name} after it with Shift"
        if not any(own_assignment(other) for other in others):
            return f"{others[0].name} plays no action; give it one"
        return ""

    def act(self, context: Context, character: Object) -> None:
        """Append a row for each other character; an empty list first gets the character's own action."""
        settings = ensure_settings(character, context.scene)
        added = []
        for other in other_characters(context, character):
            active = own_assignment(other)
            if active is None:
                continue
            _check_fits(other, character, settings)
            if not settings.examples and assigned(character) is not None:
                add_played_example(character, settings, context.scene)
            add_example_of(other, settings, active, context.scene)
            added.append(other.name)
        self.report({"INFO"}, f"Learning from {', '.join(added)} as well.")


def _check_fits(other: Object, character: Object, settings: GENMM_PG_character) -> None:
    skeletons = read_skeleton(other), read_skeleton(character)
    seen, own_seen = (
        seen_moments(armature, skeleton, own_assignment(armature))
        for armature, skeleton in zip((other, character), skeletons, strict=True)
    )
    match = match_of(*skeletons, bone_names_of(settings), seen, own_seen)
    check_fits(match, other.name, character.name)


class GENMM_OT_toggle_part_example(CharacterOperator, Operator):
    bl_idname = "genmm.toggle_part_example"
    bl_label = "Draw from This Example"
    bl_description = "Choose whether the part draws from this example"
    why_not = staticmethod(why_no_part)

    number: IntProperty(
        name="Example", description="The row of the list of examples", default=0, min=0, options={"SKIP_SAVE"}
    )

    def act(self, context: Context, character: Object) -> None:
        """Exclude the example, or include it again."""
        settings = ensure_settings(character, context.scene)
        part: Any = active_part(settings)
        if self.number >= len(settings.examples):
            raise InputError(f"Example {self.number + 1} is not in the list; choose another.")
        part.use_examples = True
        excluded = {row.number for row in part.excluded} ^ {self.number}
        part.excluded.clear()
        for number in sorted(excluded):
            part.excluded.add().number = number
