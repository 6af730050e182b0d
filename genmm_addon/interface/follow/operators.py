# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that marks the beats of music in the timeline, where they can be moved."""

from typing import Any

from bpy.types import Context, Object, Operator

from ...animation.signals.beat_markers import BEAT_MARKER, beats_of, clear_beats, mark_found_beats
from ...animation.signals.follows import FOLLOWS
from ...core import counted
from ...state.properties import GENMM_PG_character, ensure_settings
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from .shown import span_of


def _find(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Mark the beats of the first followed sound, or of all that the sequencer plays, from the next motion on."""
    sounds = [row.named for row in FOLLOWS.readable(settings.follows) if row.signal == "SOUND"]
    count = mark_found_beats(context.scene, sounds[0] if sounds else "", *span_of(character, settings, context.scene))
    operator.report({"INFO"}, f"{counted(count, 'beat')} marked; move, add or delete their markers.")


def _tap(_operator: Any, context: Context, _character: Object, _settings: GENMM_PG_character) -> None:
    """Mark a beat at the current frame, also while the animation plays."""
    scene = context.scene
    if scene.frame_current not in beats_of(scene):
        scene.timeline_markers.new(BEAT_MARKER, frame=scene.frame_current)


def _clear(_operator: Any, context: Context, _character: Object, _settings: GENMM_PG_character) -> None:
    clear_beats(context.scene)


def _why_no_beats(context: Context, _character: Object) -> str:
    return "" if beats_of(context.scene) else "No beat is marked"


CHOICES = {
    "FIND": Operation(
        "Find Beats",
        "Mark the beats of the followed sound, or of all that the sequencer plays, as markers from the next motion on",
        _find,
    ),
    "TAP": Operation("Tap Beat", "Mark a beat at the current frame, also while the animation plays", _tap),
    "CLEAR": Operation("Clear Beats", "Remove the markers of beats", _clear, _why_no_beats),
}


class GENMM_OT_mark_beats(ChoiceOperator, Operator):
    bl_idname = "genmm.mark_beats"
    bl_label = "Mark Beats"
    bl_description = "Mark the beats of music in the timeline"
    choices = CHOICES
    chosen_by = "action"
    settings_of = staticmethod(ensure_settings)

    action: one_of(CHOICES, "Action", "How beats are marked")
