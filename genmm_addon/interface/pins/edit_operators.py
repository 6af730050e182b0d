# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on pins: go to one, toggle its location, remove one or all, and edit them in the Dope Sheet."""

from typing import Any

from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...animation.pins.action import is_own, remove_pins, set_place
from ...core import InputError
from ...generation.recipe import character_behind
from ...state.pins_editing import begin_editing, is_editing, leave_editing, why_not_edit
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..examples.learned import learned_from
from .operators import selected_bones
from .shown import ShownPin, shown_pins

NO_PINS = "There are no pins yet; pin a pose"


def why_no_pins(context: Context, character: Object) -> str:
    """Return a sentence where the character has no pins; "" where it has."""
    return "" if readable_settings(character, context.scene).pins_action is not None else NO_PINS


def pin_of(operator: Any, context: Context, character: Object) -> ShownPin:
    """Return the pin at the operator's frame if that is set, else at the current one. Raises InputError without one."""
    frame = operator.frame if operator.properties.is_property_set("frame") else context.scene.frame_current
    for pin in shown_pins(character, readable_settings(character, context.scene), context.scene):
        if pin.frame == frame:
            return pin
    raise InputError(f"Nothing is pinned at frame {frame}; go to a pin of the list.")


def remove_pin(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> Outcome | None:
    """Delete the keys of the pin at the frame, those of all bones or of the selected ones."""
    joints = None if operator.bones == "ALL" else selected_bones(character)
    pin = pin_of(operator, context, character)
    if not remove_pins(character, settings.pins_action, {pin.frame}, joints):
        operator.report({"INFO"}, "The selected bones are not pinned at this frame.")
        return {"CANCELLED"}
    return None


def clear_pins(_operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Unlink the pins, and give the character its own action back if they are being edited."""
    leave_editing(character_behind(character))
    pins, settings.pins_action = settings.pins_action, None
    if is_own(pins) and pins.library is None:
        # The action is removed when the file is saved, unless something else uses it.
        pins.use_fake_user = False


class GENMM_OT_free_pin(CharacterOperator, Operator):
    bl_idname = "genmm.free_pin"
    bl_label = "Toggle Location"
    bl_description = "Switch this pin between holding its pose and location and holding only its pose"
    why_not = staticmethod(why_no_pins)

    frame: IntProperty(
        name="Frame", description="The frame of the pin; if not set, the current frame", options={"SKIP_SAVE"}
    )

    def act(self, context: Context, character: Object) -> None:
        """Change the type of the root's location keys."""
        settings = ensure_settings(character, context.scene)
        pin, root = pin_of(self, context, character), learned_from(character, settings, context.scene).root
        set_place(character, settings.pins_action, pin.frame, root, not pin.place)


class GENMM_OT_edit_pins(CharacterOperator, Operator):
    bl_idname = "genmm.edit_pins"
    bl_label = "Edit Pins"
    bl_description = "Show the pins in the Dope Sheet for editing; press again to give the character its action back"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why the pins cannot be edited; "" where they can."""
        source = character_behind(character)
        if source != character and not is_editing(character):
            return f"{character.name} is a result; select {source.name} to edit its pins"
        return why_not_edit(character)

    def act(self, context: Context, character: Object) -> None:
        """Begin editing, or leave it."""
        if is_editing(character):
            leave_editing(character)
        else:
            begin_editing(character)
