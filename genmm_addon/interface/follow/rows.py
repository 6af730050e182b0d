# SPDX-License-Identifier: GPL-3.0-or-later
"""A new row of the list of followed signals: what can be followed, its first values, and the row."""

from collections.abc import Collection, Iterable
from typing import Any

from bpy.types import Context, Object

from ...animation.signals.beat_markers import beats_of, mark_found_beats
from ...animation.signals.follows import FollowedSignal
from ...animation.signals.sound import strip_names
from ...core import Drive, InputError
from ...requests.part_values import part_specs
from ...state.properties import ensure_settings, readable_settings
from ...state.selection import character_or_reason
from ..common.new_rows import named_bone
from .shown import span_of

OBJECTS = {"PROPERTY": (), "STROKE": ("CURVE", "GREASEPENCIL", "GPENCIL"), "CHARACTER": ("ARMATURE",)}
"""Types of the objects that a kind of signal is read from; none: of all types."""


def signals_with(operator: Any, context: Context, text: str) -> Iterable[str]:
    """Return the names of strips or objects that can be followed and contain a text, ignoring case."""
    return [name for name in _names(operator.signal, context) if text.lower() in name.lower()]


def _names(signal: str, context: Context) -> list[str]:
    if signal == "SOUND":
        return strip_names(context.scene)
    character, _ = character_or_reason(context)
    types = OBJECTS[signal]
    return [thing.name for thing in context.scene.objects if thing != character and (not types or thing.type in types)]


def parts_with(_operator: Any, context: Context, text: str) -> Iterable[str]:
    """Return the names of the character's own parts that contain a text, ignoring case."""
    character, _ = character_or_reason(context)
    if character is None:
        return []
    names = [part.name for part in part_specs(readable_settings(character, context.scene))]
    return [name for name in names if text.lower() in name.lower()]


def prepare_signal(operator: Any, context: Context, character: Object) -> None:
    """Set the only sound strip, and the active bone."""
    names = _names(operator.signal, context)
    if not operator.named and len(names) == 1:
        operator.named = names[0]
    if not operator.bone and character.data.bones.active is not None:
        operator.bone = character.data.bones.active.name


def unused_values(operator: Any) -> Collection[str]:
    """Return the names of the values that the chosen signal, and what it drives, do not use."""
    unused = set() if operator.signal in ("PROPERTY", "CHARACTER") else {"detail"}
    needs_bone = operator.driven != "BEATS" and Drive(operator.driven.lower()).needs_joint
    return unused if needs_bone else {*unused, "bone"}


def new_signal(operator: Any, context: Context, character: Object) -> FollowedSignal:
    """Return the row; its beats are marked, unless there are marks.

    Raises InputError where a bone, an object, a property or a beat is missing.
    """
    unused = unused_values(operator)
    if "bone" not in unused:
        named_bone(character, operator.bone)
    if operator.signal != "SOUND" and not operator.named:
        raise InputError("Choose the object to follow.")
    if operator.signal == "PROPERTY" and not operator.detail:
        raise InputError("Give the path of a property, such as location[2]; Copy Data Path in its menu has it.")
    if operator.driven == "BEATS" and operator.signal == "SOUND" and not beats_of(context.scene):
        span = span_of(character, ensure_settings(character, context.scene), context.scene)
        mark_found_beats(context.scene, operator.named, *span)
    detail, bone = ("" if name in unused else getattr(operator, name) for name in ("detail", "bone"))
    return FollowedSignal(
        operator.signal,
        operator.named,
        detail,
        operator.driven,
        bone,
        round(operator.strength, 3),
        operator.part,
    )
