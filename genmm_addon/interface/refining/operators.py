# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the keys of an action: coarse keys, natural motion, and motion warping."""

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.layers.edit_layer import why_on_layer
from ...control_rigs.warp_in_action import warp_in_action
from ...core import InputError, counted
from ...editing.coarse_keys import CoarseSpacing, go_back_to_coarse, make_coarse, make_full
from ...editing.coarse_record import coarse_of, coarse_record
from ...editing.naturalizing import NaturalRequest, make_natural
from ...requests.edit_examples import stretch_task
from ...state.edit_properties import RANGES
from ...state.properties import GENMM_PG_character, readable_settings, scene_properties
from ..common.blender_bases import Outcome, report_done
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..common.drawing import draw_frames, in_columns
from ..common.progress_display import busy
from ..timeline.library_first import LibraryFirst, other_library
from ..timeline.stretch_operator import ActionOperator, edited_action, frames_of, show_frames

SPACINGS = (
    ("EVEN", "Even", "Keys at even intervals"),
    ("POSES", "Poses That Matter", "As many keys as at even intervals, at the most important poses"),
)


class GENMM_OT_coarse_keys(ActionOperator, Operator):
    bl_idname = "genmm.coarse_keys"
    bl_label = "Coarse Keys"
    bl_description = (
        "Give the character a copy of its action with a few keys to edit by hand; the action is kept, and "
        "Restore Full Motion brings its detail back"
    )

    spacing: EnumProperty(name="Keys", description="The frames that keep keys", items=SPACINGS, default="EVEN")
    seconds: FloatProperty(
        name="Interval",
        description="Seconds from one key to the next, on average",
        default=1.0,
        min=0.05,
        soft_min=0.2,
        soft_max=5.0,
        max=1000.0,
        precision=2,
    )

    adds_layer = False

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action, or coarse keys already."""
        reason = super().why_not(context, character) or why_on_layer(character)
        edited = None if reason else edited_action(context)
        if edited is not None and coarse_record(edited[1]) is not None:
            return "The action already has coarse keys; press Restore Full Motion"
        return reason

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Make the copy, and report its number of poses."""
        coarse = make_coarse(character, context.scene, CoarseSpacing(self.spacing), self.seconds)
        record = coarse_record(coarse)
        count = 0 if record is None else len(record.frames)
        self.report({"INFO"}, f'"{coarse.name}" has {counted(count, "pose")}; "{action.name}" is kept.')


def _why_not_full(context: Context, character: Object) -> str:
    """Return a sentence where the character plays no coarse keys."""
    reason, edited = ActionOperator.why_not(context, character) or why_on_layer(character), edited_action(context)
    return reason or ("Press Coarse Keys first" if edited is None or coarse_record(edited[1]) is None else "")


def _why_not_coarse(context: Context, character: Object) -> str:
    """Return a sentence where the character plays no full motion made from coarse keys."""
    reason, edited = ActionOperator.why_not(context, character) or why_on_layer(character), edited_action(context)
    return reason or ("Press Restore Full Motion first" if edited is None or coarse_of(edited[1]) is None else "")


def _play_full(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    """Make the full motion, and report the number of poses that it goes through."""
    with busy(context):
        full = make_full(character, context.scene)
    operator.report({"INFO"}, f'"{full.action.name}" goes through {counted(full.keys, "pose")}.')


def _play_coarse(operator: Any, _context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    coarse = go_back_to_coarse(character)
    operator.report({"INFO"}, f'"{character.name}" plays "{coarse.name}".')


PLAYED = {
    "FULL": Operation(
        "Restore Full Motion",
        "Give the character the full motion through its coarse keys: it meets the edits, plays as in the original "
        "elsewhere, and keeps planted feet in place",
        _play_full,
        _why_not_full,
    ),
    "COARSE": Operation(
        "Back to Coarse Keys",
        "Give the character back the coarse keys that its full motion was made from",
        _play_coarse,
        _why_not_coarse,
    ),
}


class GENMM_OT_switch_keys(ChoiceOperator, Operator):
    bl_idname = "genmm.switch_keys"
    bl_label = "Switch Keys"
    bl_description = "Play the full motion through coarse keys, or the coarse keys that it was made from"
    choices = PLAYED
    chosen_by = "action"
    settings_of = staticmethod(readable_settings)

    action: one_of(PLAYED, "Action", "The keys to play")


class GENMM_OT_make_natural(LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.make_natural"
    bl_label = "Make Natural"
    bl_description = (
        "Make a roughly edited range of the action move like the examples; the poses at both ends and everything "
        "outside stay as they are"
    )

    strength: FloatProperty(
        name="Strength",
        description="Similarity to the examples: 0 leaves the range unchanged, 1 moves as they do",
        default=0.7,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    range_choice: EnumProperty(name="Range", description="The frames to make natural", items=RANGES)
    first_frame: IntProperty(name="From", description="The frame of the first pose of the range", default=1)
    last_frame: IntProperty(name="To", description="The frame of the last pose of the range", default=31)
    library: other_library()

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the range from the panel."""
        self.take_panel(scene_properties(context.scene).filling, ("range_choice", "first_frame", "last_frame"))
        return self.once_ready(context)

    def draw(self, _context: Context) -> None:
        """Draw the values of Adjust Last Operation."""
        layout = in_columns(self.layout)
        layout.prop(self, "strength")
        draw_frames(layout, self, "range_choice")

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Make the range natural, and report its frames."""
        library = self.library_choice(context)
        first, last = frames_of(self, context.scene, character, action, slot)
        task = stretch_task(character, context.scene, action, slot, [(first, last)], library)
        with busy(context):
            result = make_natural(task, NaturalRequest(first, last, self.strength))
        show_frames(self, first, last)
        report_done(self, result.notes, f"Frames {result.first:g} to {result.last:g} move as the examples do.")


class GENMM_OT_warp_motion(ActionOperator, Operator):
    bl_idname = "genmm.warp_motion"
    bl_label = "Motion Warp"
    bl_description = (
        "Fit a range of the action, such as a vault or sitting down, to an object elsewhere: hands, feet and hips "
        "rest on it as they did on the object that the motion was made for; the rest stays"
    )

    original: StringProperty(name="Made For", description="The object where it stood when the motion was made")
    target: StringProperty(name="Target", description="The object to fit the motion to")
    range_choice: EnumProperty(name="Range", description="The frames to warp", items=RANGES)
    first_frame: IntProperty(name="From", description="The last frame before the warp", default=1)
    last_frame: IntProperty(name="To", description="The first frame after the warp", default=31)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the range from the panel, and ask for the objects."""
        self.take_panel(scene_properties(context.scene).filling, ("range_choice", "first_frame", "last_frame"))
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: Context) -> None:
        """Draw the objects and the range."""
        layout = in_columns(self.layout)
        layout.prop_search(self, "original", context.scene, "objects")
        layout.prop_search(self, "target", context.scene, "objects")
        draw_frames(layout, self, "range_choice")

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Warp the range, and report its frames."""
        original, target = _object(self.original, "Made For"), _object(self.target, "Target")
        frames = frames_of(self, context.scene, character, action, slot)
        with busy(context):
            warped = warp_in_action(character, context.scene, action, slot, original, target, frames)
        show_frames(self, *frames)
        joints = ", ".join(f'"{name}"' for name in warped.joints)
        where = f"Frames {warped.first:g} to {warped.last:g}"
        report_done(self, warped.notes, f'{where} fit "{target.name}" with {joints}.')


def _object(name: str, label: str) -> Object:
    """Return an object by name. Raises InputError without one."""
    chosen = bpy.data.objects.get(name) if name else None
    if chosen is None:
        missing = f'Object "{name}" was not found' if name else f"{label} has no object"
        raise InputError(f"{missing}; choose one in Adjust Last Operation or in the dialog.")
    return chosen
