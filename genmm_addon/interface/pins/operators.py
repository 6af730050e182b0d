# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that pin poses, and that change, show and remove pins."""

from collections.abc import Callable
from typing import Any, cast

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.pins.action import Pinned, is_own, new_pins, pin_current_pose, pin_from_action, remove_pins, set_place
from ...animation.reading.evaluation import LAST_FRAME
from ...core import InputError, counted
from ...editing.filling.continuing import MOST_FRAMES
from ...generation.recipe import character_behind
from ...requests.library_values import learns_from_library
from ...state.pins_editing import begin_editing, is_editing, leave_editing, own_assignment, why_not_edit
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.selection import selected_bones
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.draw_handlers import redraw
from ..common.drawing import in_columns
from ..examples.learned import Learned, learned_from
from .shown import ShownPin, shown_pins

BONES = (
    ("ALL", "All", "Every bone that the examples animate"),
    ("SELECTED", "Selected", "Only the selected bones; the others stay free"),
)
NO_PINS = "There are no pins yet; pin a pose"


class PinningOperator(CharacterOperator):
    """Base of the operators that pin: the bones to pin, and whether to pin the location."""

    bones: EnumProperty(name="Bones", description="The bones to pin", items=BONES)
    place: BoolProperty(
        name="Location",
        description="Hold the location and facing of the character too, not only the pose",
        default=False,
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where undo would not work in this mode; "" where it works."""
        return "" if context.mode in ("OBJECT", "POSE") else "Go to Object Mode or Pose Mode first"

    def pin(self, context: Context, character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
        """Key poses in the pins, and return a sentence about them. Raises InputError."""
        raise NotImplementedError

    def act(self, context: Context, character: Object) -> None:
        """Key poses in the character's pins or new ones, and report them."""
        settings = ensure_settings(character, context.scene)
        learned = learned_from(character, settings, context.scene)
        pinned = Pinned(self._joints(character, learned), learned.root, self.place)
        done = self._keyed(character, settings, lambda pins: self.pin(context, character, pins, pinned, learned))
        settings.use_pins = True
        self.report({"INFO"}, done)

    def _keyed(self, character: Object, settings: GENMM_PG_character, pin: Callable[[Action], str]) -> str:
        """Write keys into the existing pins, or into new ones, which are removed where pinning fails."""
        if settings.pins_action is not None:
            return pin(settings.pins_action)
        pins = new_pins(character)
        try:
            done = pin(pins)
        except InputError:
            bpy.data.actions.remove(pins)
            raise
        settings.pins_action = pins
        return done

    def _joints(self, character: Object, learned: Learned) -> frozenset[str]:
        if self.bones == "ALL":
            return learned.animated.joints
        chosen = frozenset(selected_bones(character))
        if not chosen:
            raise InputError("No bone is selected; select some in Pose Mode, or pin all bones.")
        return chosen


class GENMM_OT_pin_pose(PinningOperator, Operator):
    bl_idname = "genmm.pin_pose"
    bl_label = "Pin Pose"
    bl_description = "Make the next motion pass through the character's present pose at the current frame"

    def pin(self, context: Context, character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
        """Key the pose that the character has now."""
        frame = context.scene.frame_current
        pin_current_pose(character, pins, frame, pinned, learned.animated)
        return f"Pinned at frame {frame}: {_counted(pinned)}."


class ActionPinningOperator(PinningOperator):
    """Base of the operators that pin poses of an action."""

    # Cast and not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    shown = cast("tuple[str, ...]", ())

    action: StringProperty(
        name="Action", description="The action to take poses from; empty means the one that the character plays"
    )

    def draw(self, context: Context) -> None:
        """Draw the rows of the dialog and of Adjust Last Operation."""
        layout = in_columns(self.layout)
        layout.prop_search(self, "action", bpy.data, "actions")
        for name in self.shown:
            layout.prop(self, name)
        layout.prop(self, "bones")
        layout.prop(self, "place")

    def source(self, character: Object) -> tuple[Action, str]:
        """Return the action to read and its slot. Raises InputError without one."""
        if self.action:
            for action in bpy.data.actions:
                if action.name_full == self.action:
                    return action, ""
            raise InputError(f'Action "{self.action}" was not found; choose another.')
        played = own_assignment(character)
        if played is None:
            raise InputError(f"{character.name} plays no action; choose one to take poses from.")
        return played


class GENMM_OT_pin_from_action(ActionPinningOperator, Operator):
    bl_idname = "genmm.pin_from_action"
    bl_label = "Pin From Action"
    bl_description = "Pin a pose from another frame, or from another action, at the current frame"
    shown = ("frame",)

    frame: FloatProperty(name="Frame", description="The frame of the action to take the pose from", step=100)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the action and the frame."""
        if not self.properties.is_property_set("frame"):
            self.frame = context.scene.frame_current
        return set(context.window_manager.invoke_props_dialog(self))

    def pin(self, context: Context, character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
        """Key the pose of the action's frame."""
        target = context.scene.frame_current
        source, at = self.source(character), np.array([self.frame], np.float64)
        pin_from_action(character, pins, source, at, target, pinned, learned.animated)
        return f'Pinned at frame {target}: frame {self.frame:g} of "{source[0].name}", {_counted(pinned)}.'


class GENMM_OT_pin_range(ActionPinningOperator, Operator):
    bl_idname = "genmm.pin_range"
    bl_label = "Pin Range"
    bl_description = "Pin every frame of a range, so that the next motion plays it exactly"
    shown = ("start", "end", "shift")

    start: IntProperty(
        name="Start", description="The first frame to pin", default=1, soft_min=0, min=-LAST_FRAME, max=LAST_FRAME
    )
    end: IntProperty(name="End", description="The last frame to pin", default=10, min=-LAST_FRAME, max=LAST_FRAME)
    shift: IntProperty(
        name="Shift",
        description="Number of frames by which the poses are pinned later",
        min=-LAST_FRAME,
        max=LAST_FRAME,
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the frames."""
        if not self.properties.is_property_set("start"):
            self.start, self.end = context.scene.frame_current, context.scene.frame_current + 9
        return set(context.window_manager.invoke_props_dialog(self))

    def pin(self, _context: Context, character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
        """Key the poses of the range."""
        if not self.start <= self.end < self.start + MOST_FRAMES:
            raise InputError(f"The range must end after its start, and within {MOST_FRAMES:,} frames of it.")
        at = np.arange(self.start, self.end + 1, dtype=np.float64)
        source, first, last = self.source(character), self.start + self.shift, self.end + self.shift
        pin_from_action(character, pins, source, at, first, pinned, learned.animated)
        return f"Pinned from frame {first} to {last}: {_counted(pinned)}."


class GENMM_OT_pin_blocking(CharacterOperator, Operator):
    bl_idname = "genmm.pin_blocking"
    bl_label = "Use Keys as Pins"
    bl_description = "Use the keys of the action that the character plays as its pins"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action to use; "" where it plays one."""
        if is_editing(character):
            return "The pins are being edited; leave Edit Pins first"
        return "" if own_assignment(character) is not None else f"{character.name} plays no action"

    def act(self, context: Context, character: Object) -> None:
        """Set the pins to the action itself rather than a copy, so that moving its keys moves the pins."""
        settings = ensure_settings(character, context.scene)
        action: Any = own_assignment(character)[0]
        settings.pins_action, settings.use_pins = action, True
        self.report({"INFO"}, f'The keys of "{action.name}" are the pins now.')
        if not learns_from_library(settings) and not any(
            item.enabled and item.action not in (None, action) for item in settings.examples
        ):
            self.report({"WARNING"}, "Add actions to the examples; until then, the blocking itself is learned from.")


def _counted(pinned: Pinned) -> str:
    count = len(pinned.all_joints)
    bones = counted(count, "bone")
    return f"{bones} and the place" if pinned.place else bones


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
    joints = None if operator.bones == "ALL" else frozenset(selected_bones(character))
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
        redraw(context, regions={"HEADER"})
