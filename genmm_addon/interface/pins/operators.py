# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinning poses: the current one, one of another frame or action, a run of frames, or a whole blocked-out action."""

from collections.abc import Callable
from typing import Any, cast

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.pins.action import Pinned, new_pins, pin_current_pose, pin_from_action
from ...core import InputError
from ...generation.request import LONGEST
from ...requests.library_values import learns_from_library
from ...state.pins_editing import is_editing, own_assignment
from ...state.properties import GENMM_PG_character, ensure_settings
from ...state.registration import registration_of
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..examples.learned import Learned, learned_from

BONES = (
    ("ALL", "All", "Every bone that the examples animate"),
    ("SELECTED", "Selected", "The bones that are selected, so that the others stay free"),
)
MOST_FRAMES = 10_000


class PinningOperator(CharacterOperator):
    """Base of all ways of pinning: which bones, and whether the place is pinned."""

    bones: EnumProperty(name="Bones", description="Which bones are pinned", items=BONES)
    place: BoolProperty(
        name="Location",
        description="Hold the location and the facing of the character as well, not the pose alone",
        default=False,
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return which mode to go to where undo would not work."""
        return "" if context.mode in ("OBJECT", "POSE") else "Go to Object Mode or Pose Mode first"

    def pinning(self, context: Context, pin: Callable[[Object, Action, Pinned, Learned], str]) -> Outcome:
        """Have `pin` write keys into the character's pins, made where there are none; it returns what it did."""
        character = character_of(context)
        try:
            settings = ensure_settings(character, context.scene)
            learned = learned_from(character, settings, context.scene)
            pinned = Pinned(self._joints(character, learned), learned.root, self.place)
            done = self._keyed(character, settings, lambda pins: pin(character, pins, pinned, learned))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        settings.use_pins = True
        self.report({"INFO"}, done)
        return {"FINISHED"}

    def _keyed(self, character: Object, settings: GENMM_PG_character, pin: Callable[[Action], str]) -> str:
        """Write keys into the pins that are there, or into new ones; those are taken back where pinning fails."""
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
        chosen = selected_bones(character)
        if not chosen:
            raise InputError("No bone is selected; select some in Pose Mode, or pin all bones.")
        return chosen


class GENMM_OT_pin_pose(PinningOperator, Operator):
    bl_idname = "genmm.pin_pose"
    bl_label = "Pin Pose"
    bl_description = "Have the next motion pass through the pose that the character has now, at the current frame"

    def execute(self, context: Context) -> Outcome:
        """Key the pose in the pins."""
        frame = context.scene.frame_current

        def pin(character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
            pin_current_pose(character, pins, frame, pinned, learned.animated)
            return f"Pinned at frame {frame}: {_counted(pinned)}."

        return self.pinning(context, pin)


class ActionPinningOperator(PinningOperator):
    """Pinning from an action's keys."""

    # Cast and not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    shown = cast("tuple[str, ...]", ())

    action: StringProperty(
        name="Action", description="The action to take poses from; empty takes the one that the character plays"
    )

    def draw(self, context: Context) -> None:
        """Draw the rows of the dialog and of Adjust Last Operation."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop_search(self, "action", bpy.data, "actions")
        for name in self.shown:
            layout.prop(self, name)
        layout.prop(self, "bones")
        layout.prop(self, "place")

    def source(self, character: Object) -> tuple[Action, str]:
        """Return the action to read and its slot. Raises InputError where there is none."""
        if self.action:
            for action in bpy.data.actions:
                if action.name_full == self.action:
                    return action, ""
            raise InputError(f"There is no action {self.action!r} in the file; choose one of this file.")
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
        """Ask which action and frame."""
        if not self.properties.is_property_set("frame"):
            self.frame = context.scene.frame_current
        return set(context.window_manager.invoke_props_dialog(self))

    def execute(self, context: Context) -> Outcome:
        """Key the pose in the pins."""
        target = context.scene.frame_current

        def pin(character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
            source, at = self.source(character), np.array([self.frame], np.float64)
            pin_from_action(character, pins, source, at, target, pinned, learned.animated)
            return f'Pinned at frame {target}: frame {self.frame:g} of "{source[0].name}", {_counted(pinned)}.'

        return self.pinning(context, pin)


class GENMM_OT_pin_range(ActionPinningOperator, Operator):
    bl_idname = "genmm.pin_range"
    bl_label = "Pin Range"
    bl_description = "Pin a run of frames, each as it is, so that the next motion plays it through"
    shown = ("start", "end", "shift")

    start: IntProperty(
        name="Start", description="The first frame to pin", default=1, soft_min=0, min=-LONGEST, max=LONGEST
    )
    end: IntProperty(name="End", description="The last frame to pin", default=10, min=-LONGEST, max=LONGEST)
    shift: IntProperty(
        name="Shift", description="By how many frames later than there they are pinned", min=-LONGEST, max=LONGEST
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask which frames."""
        if not self.properties.is_property_set("start"):
            self.start, self.end = context.scene.frame_current, context.scene.frame_current + 9
        return set(context.window_manager.invoke_props_dialog(self))

    def execute(self, context: Context) -> Outcome:
        """Key the poses in the pins."""

        def pin(character: Object, pins: Action, pinned: Pinned, learned: Learned) -> str:
            if not self.start <= self.end < self.start + MOST_FRAMES:
                raise InputError(f"A range ends after its start, and within {MOST_FRAMES:,} frames of it.")
            at = np.arange(self.start, self.end + 1, dtype=np.float64)
            source, first, last = self.source(character), self.start + self.shift, self.end + self.shift
            pin_from_action(character, pins, source, at, first, pinned, learned.animated)
            return f"Pinned from frame {first} to {last}: {_counted(pinned)}."

        return self.pinning(context, pin)


class GENMM_OT_pin_blocking(CharacterOperator, Operator):
    bl_idname = "genmm.pin_blocking"
    bl_label = "Use Keys as Pins"
    bl_description = "Take the keys of the action that the character plays as the pins, as they are"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """It must play an action of its own."""
        if is_editing(character):
            return "The pins are being edited; leave Edit Pins first"
        return "" if own_assignment(character) is not None else f"{character.name} plays no action"

    def execute(self, context: Context) -> Outcome:
        """Point the pins at it; nothing is copied, so that keys which are moved there are pins which are moved."""
        character = character_of(context)
        settings = ensure_settings(character, context.scene)
        action: Any = own_assignment(character)[0]
        settings.pins_action, settings.use_pins = action, True
        self.report({"INFO"}, f'The keys of "{action.name}" are the pins now.')
        if not learns_from_library(settings) and not any(
            item.enabled and item.action not in (None, action) for item in settings.examples
        ):
            self.report({"WARNING"}, "Add the actions to learn from to the examples: now it is the blocking itself.")
        return {"FINISHED"}


def selected_bones(character: Object) -> frozenset[str]:
    """Return the names of the bones selected on the character; Blender 5 keeps that on the pose bones."""
    bones = character.pose.bones
    on_pose = "select" in bpy.types.PoseBone.bl_rna.properties
    return frozenset(bone.name for bone in bones if (bone if on_pose else bone.bone).select)


def _counted(pinned: Pinned) -> str:
    count = len(pinned.all_joints)
    bones = "1 bone" if count == 1 else f"{count} bones"
    return f"{bones} and the place" if pinned.place else bones


CLASSES = (GENMM_OT_pin_pose, GENMM_OT_pin_from_action, GENMM_OT_pin_range, GENMM_OT_pin_blocking)
register, unregister = registration_of(CLASSES)
