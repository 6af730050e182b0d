# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on a stretch of a result: regenerate, swap or lock it, and regenerate all but the locked ones."""

from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Object, Operator

from ...core import InputError, counted
from ...generation.sources import played_result
from ...generation.stretches.in_place import RegeneratedStretch, regenerate_stretch, regenerate_unlocked, swap_stretch
from ...generation.stretches.locks import is_locked, lock, locked_ranges, unlock
from ...state.properties import scene_properties
from ...state.registration import registration_of
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.refusals import reports_refusal

NONE_CHOSEN = "No stretch is chosen: drag over the ribbon in the Dope Sheet"


class ResultOperator(CharacterOperator):
    """Base of operators on the result that the character plays."""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no result; "" where it plays one."""
        return "" if played_result(character) else f"{character.name} plays nothing that was generated"

    def done(self, context: Context, character: Object) -> str:
        """Act, and return a sentence on what was done. Raises InputError."""
        raise NotImplementedError

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Act, and report what was done."""
        character = character_of(context)
        if character is None:
            return {"CANCELLED"}
        said = self.done(context, character)
        context.view_layer.update()
        self.report({"INFO"}, said)
        return {"FINISHED"}


class ResultStretchOperator(ResultOperator):
    """Base of operators on a given stretch, or else on the one chosen on the ribbon."""

    def stretch(self, context: Context, first: int, last: int) -> tuple[int, int]:
        """Return the first and last scene frame, given or chosen. Raises InputError where no stretch is."""
        if last < first:
            chosen = scene_properties(context.scene)
            first, last = chosen.stretch_first, chosen.stretch_last
        if last < first:
            raise InputError(f"{NONE_CHOSEN}.")
        return first, last

    def said(self, made: RegeneratedStretch) -> str:
        """Report the notes on what was made, and return a sentence on it."""
        for note in made.notes:
            self.report({"WARNING"}, note)
        shown = f"alternative {made.number} of {made.count}" if made.number else "the original motion"
        return f"Frames {made.first:g} to {made.last:g} show {shown}."


class GENMM_OT_regenerate_stretch(ResultStretchOperator, Operator):
    bl_idname = "genmm.regenerate_stretch"
    bl_label = "Regenerate Stretch"
    bl_description = "Regenerate the chosen stretch, different from all it has shown so far; the rest stays as it is"

    first: IntProperty(name="First Frame", description="First frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="Last frame of the stretch", default=-1, options={"SKIP_SAVE"})

    def done(self, context: Context, character: Object) -> str:
        """Regenerate the stretch."""
        self.first, self.last = self.stretch(context, self.first, self.last)
        return self.said(regenerate_stretch(character, context.scene, self.first, self.last))


class GENMM_OT_swap_stretch(ResultStretchOperator, Operator):
    bl_idname = "genmm.swap_stretch"
    bl_label = "Swap Stretch"
    bl_description = "Show the next or previous alternative of the chosen stretch; its original frames are among them"

    first: IntProperty(name="First Frame", description="First frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="Last frame of the stretch", default=-1, options={"SKIP_SAVE"})
    direction: EnumProperty(
        name="Direction",
        description="The alternative to show",
        items=(("NEXT", "Next", "The next alternative"), ("PREVIOUS", "Previous", "The previous alternative")),
        options={"SKIP_SAVE"},
    )

    def done(self, context: Context, character: Object) -> str:
        """Show the alternative."""
        step = 1 if self.direction == "NEXT" else -1
        self.first, self.last = self.stretch(context, self.first, self.last)
        return self.said(swap_stretch(character, context.scene, self.first, self.last, step))


class GENMM_OT_lock_stretch(ResultStretchOperator, Operator):
    bl_idname = "genmm.lock_stretch"
    bl_label = "Lock Stretch"
    bl_description = "Keep the chosen stretch as it is when others are regenerated, or unlock it if it is locked"

    first: IntProperty(name="First Frame", description="First frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="Last frame of the stretch", default=-1, options={"SKIP_SAVE"})

    def done(self, context: Context, character: Object) -> str:
        """Lock or unlock the stretch."""
        self.first, self.last = first, last = self.stretch(context, self.first, self.last)
        played = played_result(character)
        assert played is not None
        start, offset = round(played.sources.frame_start), round(played.offset)
        one, other = max(first - offset, start), min(last - offset, start + played.sources.frames - 1)
        if one > other:
            raise InputError("The stretch lies outside the motion; choose frames of the motion.")
        if played.action.library is not None:
            raise InputError(f'Action "{played.action.name}" is linked; make it local to change it.')
        was_locked = is_locked(played.action, one, other)
        (unlock if was_locked else lock)(played.action, one, other)
        return f"Frames {one + offset} to {other + offset} are {'unlocked' if was_locked else 'locked'}."


class GENMM_OT_regenerate_unlocked(ResultOperator, Operator):
    bl_idname = "genmm.regenerate_unlocked"
    bl_label = "Regenerate Unlocked Stretches"
    bl_description = "Regenerate all of the result in place except the locked stretches"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no result with a locked stretch; else ""."""
        played = played_result(character)
        if played is None:
            return super().why_not(context, character)
        return "" if locked_ranges(played.action) else "No stretch of the result is locked"

    def done(self, context: Context, character: Object) -> str:
        """Regenerate one stretch after another."""
        made = regenerate_unlocked(character, context.scene)
        for note in dict.fromkeys(note for one in made for note in one.notes):
            self.report({"WARNING"}, note)
        return f"All but the locked frames regenerated, in {counted(len(made), 'piece')}."


CLASSES = (
    GENMM_OT_regenerate_stretch,
    GENMM_OT_swap_stretch,
    GENMM_OT_lock_stretch,
    GENMM_OT_regenerate_unlocked,
)
register, unregister = registration_of(CLASSES)
