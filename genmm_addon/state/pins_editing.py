# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing of pins: meanwhile the character plays them; it gets its own action back on leaving, saving and reloading.

Its settings remember its own action, so that undo and reopened files know it too. `own_assignment` returns it in
either state.
"""

import bpy
from bpy.app.handlers import persistent
from bpy.types import Action, Object, PoseBone

from ..animation.actions import assign, assigned, check_tweak_mode, restore, why_in_tweak_mode
from ..animation.pins.action import new_pins
from ..core import InputError
from .properties import keeps_own_settings, own_settings

CHANNELS = ("location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "scale")

Pose = dict[str, list[tuple[float, ...]]]

_editing_while_saving: dict[str, Pose] = {}
"""The poses of the characters that get their pins back after the file is saved, by the character's name."""


def is_editing(character: Object) -> bool:
    """Return whether the character's pins are being edited, even where they have been deleted meanwhile."""
    settings, now = own_settings(character), assigned(character)
    if now is None:
        return settings.edited_pins is not None or settings.own_action is not None
    return bool(now[0] == settings.edited_pins)


def own_assignment(character: Object) -> tuple[Action, str] | None:
    """Return the action and slot that the character plays when its pins are not edited, or None."""
    if not is_editing(character):
        return assigned(character)
    settings = own_settings(character)
    return None if settings.own_action is None else (settings.own_action, settings.own_slot)


def why_not_edit(character: Object) -> str:
    """Return a sentence on why a character's pins cannot be edited; "" where they can."""
    if not keeps_own_settings(character):
        return f"{character.name} is linked and cannot be given its pins; pin poses instead"
    if reason := why_in_tweak_mode(character):
        return reason
    pins, now = own_settings(character).pins_action, assigned(character)
    if pins is not None and pins.library is not None:
        return f"The pins of {character.name} are linked from another file; make them local first"
    if not is_editing(character) and now is not None and now[0] == pins:
        return f"{character.name} plays its pins already: the Dope Sheet edits them"
    return ""


def begin_editing(character: Object) -> None:
    """Assign the character its pins, new ones where it has none. Raises InputError where they cannot be edited."""
    reason = why_not_edit(character)
    if reason:
        raise InputError(f"{reason}.")
    if is_editing(character):
        return
    settings, assignment = own_settings(character), assigned(character)
    if settings.pins_action is None:
        settings.pins_action = new_pins(character)
    assign(character, settings.pins_action)
    settings.own_action, settings.own_slot = assignment if assignment is not None else (None, "")
    settings.edited_pins = settings.pins_action


def leave_editing(character: Object) -> None:
    """Give the character its own action back, if its pins are edited. Raises InputError in NLA tweak mode."""
    if not keeps_own_settings(character):
        return  # A linked character's pins cannot be edited, and nothing can be written to it.
    settings = own_settings(character)
    if is_editing(character):
        check_tweak_mode(character)
        _give_back(character)
    settings.edited_pins, settings.own_action, settings.own_slot = None, None, ""


def _give_back(character: Object) -> None:
    assignment = own_assignment(character)
    try:
        restore(character, assignment)
    except InputError:
        if assignment is None:
            raise
        # The slot was renamed or deleted meanwhile.
        assign(character, assignment[0])


def edited_characters() -> list[Object]:
    """Return all characters of the file whose pins are being edited."""
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and is_editing(thing)]


@persistent  # type: ignore[untyped-decorator]
def _before_saving(*_arguments: object) -> None:
    """Give the characters their own actions back, so that the file holds those."""
    _editing_while_saving.clear()
    for character in edited_characters():
        pose, goes_on = _pose_of(character), assigned(character) is not None
        if _left(character) and goes_on:
            _editing_while_saving[character.name_full] = pose


@persistent  # type: ignore[untyped-decorator]
def _after_saving(*_arguments: object) -> None:
    """Resume editing, and restore poses that have no keys yet."""
    for name, pose in _editing_while_saving.items():
        character: Object | None = bpy.data.objects.get(name)
        if character is not None and not why_not_edit(character):
            begin_editing(character)
            _give_pose(character, pose)
    _editing_while_saving.clear()


@persistent  # type: ignore[untyped-decorator]
def _after_loading(*_arguments: object) -> None:
    """Leave editing: a file that Blender saved automatically may hold a character that plays its pins."""
    _editing_while_saving.clear()
    for character in edited_characters():
        _left(character)


def _left(character: Object) -> bool:
    """Give the character its own action back; return False where NLA tweak mode prevents it."""
    try:
        leave_editing(character)
    except InputError:
        return False
    return True


def _owners(character: Object) -> dict[str, Object | PoseBone]:
    return {"": character, **{bone.name: bone for bone in character.pose.bones}}


def _pose_of(character: Object) -> Pose:
    return {
        name: [tuple(getattr(owner, channel)) for channel in CHANNELS] for name, owner in _owners(character).items()
    }


def _give_pose(character: Object, pose: Pose) -> None:
    # Blender evaluates a newly assigned action once; values set after that stay.
    for layer in (layer for scene in bpy.data.scenes for layer in scene.view_layers):
        if character.name in layer.objects:
            layer.update()
    for name, owner in _owners(character).items():
        for channel, values in zip(CHANNELS, pose.get(name, ()), strict=False):
            if tuple(getattr(owner, channel)) != values:
                setattr(owner, channel, values)


HANDLERS = {
    "save_pre": _before_saving,
    "save_post": _after_saving,
    "save_post_fail": _after_saving,
    "load_post": _after_loading,
}


def unregister() -> None:
    """Give every character its own action back."""
    for character in edited_characters():
        _left(character)
