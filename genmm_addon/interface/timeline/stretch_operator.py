# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that write into the action that a character plays."""

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, cast

from bpy.types import Action, Context, Object, Scene

from ...animation.actions import assigned
from ...animation.layers.edit_layer import edited_assignment, layer_of
from ...animation.layers.editing_on_layer import edited_on_layer
from ...animation.reading.evaluation import LAST_FRAME
from ...animation.scene_time import extend_playback
from ...animation.stretches.linked import why_no_own_action
from ...core import InputError
from ...editing.filling.ranges import Range, RangeChoice, chosen_range
from ...state.properties import readable_settings, scene_properties
from ...state.selection import character_of, character_or_reason
from ..common.blender_bases import Outcome, reports_refusal
from ..common.character_operator import CharacterOperator, why_not_now


def on_layer(context: Context, *, adds: bool = True) -> AbstractContextManager[None]:
    """Return the context in which edits of the selected character go onto its layer, or a new one (see goes_on_layer).

    adds: whether a layer is added where the panel says so.
    """
    character = character_of(context)
    if character is None:
        return nullcontext()
    return edited_on_layer(character, asked=goes_on_layer(context, character, adds=adds))


def goes_on_layer(context: Context, character: Object, *, adds: bool = True) -> bool:
    """Return whether edits of a character go onto a layer: it has one, or gets one since the panel says so."""
    return layer_of(character) is not None or (adds and scene_properties(context.scene).filling.edits == "LAYER")


class RangeValues(Protocol):
    """The values of an operator on a range of frames."""

    range_choice: str
    first_frame: int
    last_frame: int


class ActionOperator(CharacterOperator):
    """Mixin for operators on the active action of the selected character, in modes where undo works.

    Subclasses implement `edit`.
    """

    adds_layer = True
    """True for an edit that goes onto a new layer where the panel says so: it changes the active action."""

    _edited = cast("tuple[Object, tuple[Action, str] | None] | None", None)

    def remember_edited(self, context: Context) -> None:
        """Remember the character and what it plays, for an operator that waits for the mouse."""
        self._edited = _playing(context)

    def has_lost_edited(self, context: Context) -> bool:
        """Return whether they were deleted or exchanged meanwhile, as in another window, and report it."""
        if self._edited == _playing(context):
            return False
        self.report({"ERROR"}, "The character or its action has changed meanwhile; nothing was done.")
        return True

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome | None:
        """Edit the action, and report what was done. Raises InputError, with nothing changed."""
        raise NotImplementedError

    @reports_refusal
    def execute(self, context: Context) -> Outcome | None:
        """Edit the active action, or report why that is impossible."""
        with on_layer(context, adds=self.adds_layer):
            edited = edited_action(context)
            return {"CANCELLED"} if edited is None else self.edit(context, *edited)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action that can be written to; else ""."""
        return why_not_now(context) or cls.why_not_action(character)

    @classmethod
    def why_not_action(cls, character: Object) -> str:
        """Return a sentence where the character's action is not suitable; else ""."""
        return why_no_own_action(character)


def frames_of(operator: RangeValues, scene: Scene, character: Object, action: Action, slot: str) -> Range:
    """Return the first and last frame that the values of an operator choose. Raises InputError without such frames."""
    frames = float(operator.first_frame), float(operator.last_frame)
    return chosen_range(character, action, slot, scene, RangeChoice(operator.range_choice), frames)


def show_frames(operator: RangeValues, first: float, last: float) -> None:
    """Have Adjust Last Operation show the frames that were used; frames that are not whole keep their choice."""
    if first == round(first) and last == round(last):
        operator.range_choice, operator.first_frame, operator.last_frame = "FRAMES", round(first), round(last)


def play_all(context: Context, character: Object, last: float) -> str:
    """Move the scene's end to a motion's last frame if Extend Playback is on; otherwise return a sentence on its end.

    The sentence is "" where the whole motion plays.
    """
    scene = context.scene
    if readable_settings(character, scene).extend_playback:
        extend_playback(scene, last)
    if scene.use_preview_range and last > scene.frame_preview_end:
        return f" The preview range ends at frame {scene.frame_preview_end}: clear it to play all of the motion."
    if last <= scene.frame_end:
        return ""
    if scene.frame_end == LAST_FRAME:
        return f" Blender plays no frame after {LAST_FRAME}."
    return f" The scene ends at frame {scene.frame_end}: press Extend Playback to play all of it."


def last_frame_played(character: Object) -> int:
    """Return the last frame of the action and the NLA strips that a character plays; 0 without any."""
    playing, data = assigned(character), character.animation_data
    ends = [] if playing is None or playing[0].use_cyclic else [float(playing[0].frame_range[1])]
    for track in data.nla_tracks if data is not None else ():
        ends += [strip.frame_end for strip in track.strips if not (track.mute or strip.mute)]
    return math.ceil(max(ends, default=0.0))


def _playing(context: Context) -> tuple[Object, tuple[Action, str] | None] | None:
    character = character_of(context)
    return None if character is None else (character, assigned(character))


def edited_action(context: Context) -> tuple[Object, Action, str] | None:
    """Return the selected character, its active action or the sum of its layer, and the slot; None without one."""
    character, _ = character_or_reason(context)
    playing = None if character is None else edited_assignment(character)
    return None if character is None or playing is None else (character, *playing)


def edited_or_refused(context: Context) -> tuple[Object, Action, str]:
    """Return the same as `edited_action`. Raises InputError without an action."""
    edited = edited_action(context)
    if edited is None:
        raise InputError("The character no longer plays an action; give it one.")
    return edited
