# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that continue an action, connect it to another one, and blend or connect NLA strips."""

from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Object, Operator, Scene

from ...animation.scene_time import scene_rate
from ...core import InputError
from ...editing.filling.continuing import MOST_FRAMES, ContinueFrom, ContinueRequest, connect_action, continue_action
from ...editing.filling.strips import blend_strip, connect_strips, found_strip, strip_pair
from ...generation.stretches.redone import MOST_ALTERNATIVES
from ...requests.edit_examples import stretch_task, strip_examples
from ..common.blender_bases import Outcome, report_done
from ..common.character_operator import CharacterOperator
from ..common.progress_display import busy
from .library_first import LibraryFirst, other_library
from .stretch_operator import ActionOperator, edited_action, play_all

PLACES = (
    ("LAST_KEY", "Last Key", "After the last key of the action"),
    ("PLAYHEAD", "Playhead", "From the pose at the playhead; everything after it is replaced"),
    ("FIRST_KEY", "First Key", "Before the first key of the action, backwards in time"),
)


def seam_range() -> Any:
    """Return the property of the frames that a transition may replace."""
    return IntProperty(
        name="Seam Range",
        description="Number of frames on each side that the transition may replace for the best seam; -1: one second",
        default=-1,
        min=-1,
        max=10_000,
    )


def frames_of_seam(slide: int, scene: Scene) -> int:
    """Return the number of frames that a value of `seam_range` stands for."""
    return round(scene_rate(scene)) if slide < 0 else slide


class GENMM_OT_continue_action(LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.continue_action"
    bl_label = "Continue"
    bl_description = "Extend the action that the character plays, in place, with new motion made from the examples"

    start: EnumProperty(name="From", description="The pose to continue from", items=PLACES, default="LAST_KEY")
    frames: IntProperty(
        name="Length", description="Number of frames to add", default=60, min=1, soft_max=1000, max=MOST_FRAMES
    )
    number: IntProperty(
        name="Alternative", description="The number of the alternative, from 1", default=1, min=1, max=MOST_ALTERNATIVES
    )
    blend: IntProperty(
        name="Blend",
        description="Number of frames beside the pose that blend from the old motion into the new one",
        default=0,
        min=0,
        soft_max=60,
        max=1000,
    )
    library: other_library()

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Continue the action, and report the added frames."""
        library = self.library_choice(context)
        frame = float(context.scene.frame_current_final)
        request = ContinueRequest(ContinueFrom(self.start), self.frames, frame, self.number, self.blend)
        task = stretch_task(character, context.scene, action, slot, (), library)
        with busy(context):
            added = continue_action(task, request)
        shown = play_all(context, character, added.last)
        report_done(self, added.notes, f'Frames {added.first:g} to {added.last:g} added, from "{added.source}".{shown}')


class GENMM_OT_connect_action(LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.connect_action"
    bl_label = "Connect Action"
    bl_description = (
        "Follow the action that the character plays with another action, over a transition from the examples; "
        "the other action is moved to where the transition ends"
    )
    bl_property = "action"

    action: StringProperty(
        name="Action", description="The action to follow", search=lambda _, context, text: _names(context, text)
    )
    slide: seam_range()
    library: other_library()

    def when_ready(self, context: Context) -> Outcome:
        """Ask for the action that follows."""
        if not self.has_waited:
            return context.window_manager.invoke_props_dialog(self)
        # A modal operator cannot open a dialog, so it calls itself again.
        bpy.ops.genmm.connect_action(  # type: ignore[attr-defined]  # registered below
            "INVOKE_DEFAULT", action=self.action, slide=self.slide, library=self.library
        )
        return {"CANCELLED"}

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Connect the actions, and report the frames of the transition."""
        other: Action | None = bpy.data.actions.get(self.action)
        if other is None:
            raise InputError(
                f'Action "{self.action}" was not found; choose another.'
                if self.action
                else "No other action is chosen; choose one."
            )
        library = self.library_choice(context)
        slide = frames_of_seam(self.slide, context.scene)
        task = stretch_task(character, context.scene, action, slot, (), library)
        with busy(context):
            connection = connect_action(task, other, slide)
        shown = play_all(context, character, connection.end)
        sentence = (
            f'Frames {connection.first:g} to {connection.last:g} lead to "{other.name}", from "{connection.source}"'
        )
        report_done(self, connection.notes, f"{sentence}; it ends at {connection.end:g}.{shown}")


def _names(context: Context, text: str) -> list[str]:
    """Return the names of the actions that contain a text, except the one that plays."""
    edited = edited_action(context)
    playing = None if edited is None else edited[1]
    return [action.name for action in bpy.data.actions if action != playing and text.lower() in action.name.lower()]


class StripOperator(CharacterOperator):
    """Mixin for an operator on two NLA strips of the selected character."""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no strips that can be changed; "" where it has."""
        data = character.animation_data
        if character.library is not None or (data is not None and data.use_tweak_mode):
            return f"{character.name} is linked, or is editing an NLA strip; leave tweak mode first"
        strips = 0 if data is None else sum(len(track.strips) for track in data.nla_tracks)
        return "" if strips > 1 else f"{character.name} needs two NLA strips"


class GENMM_OT_blend_strip(StripOperator, Operator):
    bl_idname = "genmm.blend_strip"
    bl_label = "Blend Strip"
    bl_description = (
        "Let the active NLA strip overlap the one before it and blend in, and move its root to where that one leads; "
        "only this strip changes, since it gets a copy of its action"
    )

    strip: StringProperty(
        name="Strip", description="The name of the strip; empty means the active one", options={"SKIP_SAVE"}
    )
    blend_in: IntProperty(
        name="Blend In", description="Frames over which it blends in", default=12, min=0, soft_max=100, max=10_000
    )
    blend_out: IntProperty(
        name="Blend Out", description="Frames over which it blends out", default=0, min=0, soft_max=100, max=10_000
    )

    def act(self, context: Context, character: Object) -> None:
        """Blend the strip, and report where."""
        blend = blend_strip(character, context.scene, self.strip, self.blend_in, self.blend_out)
        shown = play_all(context, character, found_strip(character, blend.strip)[1].frame_end)
        sentence = f'"{blend.strip}" continues from "{blend.before}" at frame {blend.start:g}, as "{blend.action}"'
        self.report({"INFO"}, f"{sentence}.{shown}")


class GENMM_OT_connect_strips(LibraryFirst, StripOperator, Operator):
    bl_idname = "genmm.connect_strips"
    bl_label = "Connect Strips"
    bl_description = (
        "Connect the active NLA strip with the one before it by a strip with a transition from the examples; "
        "the active strip continues from there with a copy of its action, and later strips stay where they are"
    )

    strip: StringProperty(
        name="Strip", description="The name of the second strip; empty means the active one", options={"SKIP_SAVE"}
    )
    slide: seam_range()
    library: other_library()

    def act(self, context: Context, character: Object) -> None:
        """Connect the strips, and report the strip between them."""
        library = self.library_choice(context)
        slide = frames_of_seam(self.slide, context.scene)
        pair = strip_pair(character, self.strip)
        actions = pair.before.action, pair.strip.action
        examples = strip_examples(character, context.scene, actions, library)
        with busy(context):
            bridge = connect_strips(character, context.scene, self.strip, examples, slide)
        shown = play_all(context, character, found_strip(character, bridge.after)[1].frame_end)
        sentence = f'"{bridge.between}" leads to "{bridge.after}" from frame {bridge.first:g} to {bridge.last:g}'
        report_done(self, bridge.notes, f'{sentence}, from "{bridge.source}".{shown}')
