# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of new rows of lists: the character's bones by name, and frames from the current one."""

from collections.abc import Iterable, Sequence
from typing import Any

from bpy.types import Context, Object, PoseBone, Scene

from ...core import InputError
from ...state.bone_lists import feet_of
from ...state.properties import readable_settings
from ...state.selection import character_or_reason


def named_bone(character: Object, name: str) -> PoseBone:
    """Return the character's bone with a name. Raises InputError where it has none."""
    bone: PoseBone | None = character.pose.bones.get(name)
    if not name:
        raise InputError(f'Choose a bone of "{character.name}".')
    if bone is None:
        raise InputError(f'"{character.name}" has no bone "{name}"; choose one of its bones.')
    return bone


def bone_names_with(context: Context, text: str) -> Iterable[str]:
    """Return the names of the character's bones that contain a text, ignoring case."""
    character, _ = character_or_reason(context)
    names = [] if character is None else [bone.name for bone in character.data.bones]
    return [name for name in names if text.lower() in name.lower()]


def next_second(scene: Scene) -> tuple[int, int]:
    """Return the current frame, and the one a second later."""
    return scene.frame_current, scene.frame_current + round(scene.render.fps / scene.render.fps_base)


def prepare_row(operator: Any, context: Context, character: Object) -> None:
    """Set the active bone, else a known foot, and one second from the current frame."""
    settings = readable_settings(character, context.scene)
    operator.first, operator.last = next_second(context.scene)
    if not operator.bone:
        feet = feet_of(settings.feet) or feet_of(settings.found_feet)
        active = character.data.bones.active
        operator.bone = active.name if active is not None else next(iter(feet), "")


def filled_row(row: Any, fields: Sequence[str], operator: Any, _context: Context, character: Object) -> Any:
    """Return a row with the operator's values. Raises InputError for a bone that the character does not have."""
    if "bone" in fields:
        named_bone(character, operator.bone)
    return row(**{name: getattr(operator, name) for name in fields})
