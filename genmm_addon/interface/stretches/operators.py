# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator on a stretch of a result: regenerate, swap or lock it, or regenerate all but the locked ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Object, Operator

from ...animation.actions import curve_holders
from ...animation.stretches.linked import check_local
from ...core import InputError, counted
from ...generation.meshes import mesh_actions_of
from ...generation.sources import played_result
from ...generation.stretches.in_place import RegeneratedStretch, regenerate_stretch, regenerate_unlocked, swap_stretch
from ...generation.stretches.locks import is_locked, lock, locked_ranges, unlock
from ...state.properties import GENMM_PG_character, readable_settings, scene_properties
from ..common.blender_bases import report_done
from ..common.character_operator import ResultOperator
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..timeline.stretch_operator import goes_on_layer, on_layer

NONE_CHOSEN = "No stretch is chosen: drag over the ribbon in the Dope Sheet"


def _why_none_locked(context: Context, character: Object) -> str:
    """Return a sentence where the character plays no result with a locked stretch; else ""."""
    played = played_result(character)
    if played is None:
        return ResultOperator.why_not(context, character)
    return "" if locked_ranges(played.action) else "No stretch of the result is locked"


def _take_stretch(operator: Any, context: Context) -> tuple[int, int]:
    """Return the operator's first and last scene frame, or those chosen on the ribbon. Raises InputError."""
    if operator.last < operator.first:
        chosen = scene_properties(context.scene)
        operator.first, operator.last = chosen.stretch_first, chosen.stretch_last
    if operator.last < operator.first:
        raise InputError(f"{NONE_CHOSEN}.")
    return operator.first, operator.last


def _report(operator: Any, context: Context, stretch: RegeneratedStretch) -> None:
    context.view_layer.update()
    shown = f"alternative {stretch.number} of {stretch.count}" if stretch.number else "the original motion"
    report_done(operator, stretch.notes, f"Frames {stretch.first:g} to {stretch.last:g} show {shown}.")


@contextmanager
def _on_layer(context: Context, character: Object) -> Iterator[None]:
    """Have edits of the result go onto a layer, where it says so. Raises InputError where meshes are animated too."""
    played = played_result(character)
    meshes = played is not None and (mesh_actions_of(played.action) or len(curve_holders(played.action)) > 1)
    if meshes and goes_on_layer(context, character):
        raise InputError("The result animates meshes too, which a layer cannot hold; edit In Action.")
    with on_layer(context):
        yield


def _regenerate(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    first, last = _take_stretch(operator, context)
    with _on_layer(context, character):
        stretch = regenerate_stretch(character, context.scene, first, last)
    _report(operator, context, stretch)


def _swap(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    first, last = _take_stretch(operator, context)
    step = 1 if operator.direction == "NEXT" else -1
    with _on_layer(context, character):
        stretch = swap_stretch(character, context.scene, first, last, step)
    _report(operator, context, stretch)


def _lock(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    """Lock or unlock the stretch."""
    first, last = _take_stretch(operator, context)
    played = played_result(character)
    assert played is not None
    start, offset = round(played.sources.frame_start), round(played.offset)
    begin, end = max(first - offset, start), min(last - offset, start + played.sources.frames - 1)
    if begin > end:
        raise InputError("The stretch lies outside the motion; choose frames of the motion.")
    check_local(played.action)
    was_locked = is_locked(played.action, begin, end)
    (unlock if was_locked else lock)(played.action, begin, end)
    state = "unlocked" if was_locked else "locked"
    operator.report({"INFO"}, f"Frames {begin + offset} to {end + offset} are {state}.")


def _regenerate_unlocked(operator: Any, context: Context, character: Object, _settings: GENMM_PG_character) -> None:
    """Regenerate one stretch after another."""
    with _on_layer(context, character):
        stretches = regenerate_unlocked(character, context.scene)
    context.view_layer.update()
    notes = dict.fromkeys(note for stretch in stretches for note in stretch.notes)
    report_done(operator, notes, f"All but the locked frames regenerated, in {counted(len(stretches), 'piece')}.")


EDITS = {
    "REGENERATE": Operation(
        "Regenerate Stretch",
        "Regenerate the chosen stretch, different from all it has shown so far; the rest stays as it is",
        _regenerate,
        ResultOperator.why_not,
    ),
    "SWAP": Operation(
        "Swap Stretch",
        "Show the next or previous alternative of the chosen stretch; its original frames are among them",
        _swap,
        ResultOperator.why_not,
    ),
    "LOCK": Operation(
        "Lock Stretch",
        "Keep the chosen stretch as it is when others are regenerated, or unlock it if it is locked",
        _lock,
        ResultOperator.why_not,
    ),
    "REGENERATE_UNLOCKED": Operation(
        "Regenerate Unlocked Stretches",
        "Regenerate all of the result in place except the locked stretches",
        _regenerate_unlocked,
        _why_none_locked,
    ),
}


class GENMM_OT_edit_stretch(ChoiceOperator, Operator):
    bl_idname = "genmm.edit_stretch"
    bl_label = "Edit Stretch"
    bl_description = "Regenerate, swap or lock a stretch of a generated motion"
    choices = EDITS
    chosen_by = "action"
    settings_of = staticmethod(readable_settings)

    action: one_of(EDITS, "Action", "The change of the stretch")
    first: IntProperty(name="First Frame", description="First frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="Last frame of the stretch", default=-1, options={"SKIP_SAVE"})
    direction: EnumProperty(
        name="Direction",
        description="The alternative to show",
        items=(("NEXT", "Next", "The next alternative"), ("PREVIOUS", "Previous", "The previous alternative")),
        options={"SKIP_SAVE"},
    )
