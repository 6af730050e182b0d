# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that root motion keyed, and their channels without keys, for actions that do not key them.

Without these, such an action would play with the bones where the last action left them.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bpy.types import Action, Object, PoseBone

from ...animation.curves import SlotCurves, collect_curves
from ...animation.rotation_modes import property_of
from ...core.storage import stored

PROPERTY = "genmm_root_motion"
"""Property of a character: its bones that root motion keyed and their channels without keys, as JSON. Files hold it:
its name stays."""

ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
Channels = dict[str, list[float]]


def remember(character: Object, curves: SlotCurves, bones: Iterable[str]) -> None:
    """Store the channels of bones without keys in an action, before they get some."""
    known = _remembered(character)
    for name in bones:
        bone = character.pose.bones[name]
        for channel in _unkeyed(curves, bone):
            known.setdefault(name, {}).setdefault(channel, list(getattr(bone, channel)))
    character[PROPERTY] = json.dumps(known)


def put_back(character: Object, curves: SlotCurves) -> None:
    """Restore the stored channels of bones that root motion keyed, where an action has no keys for them."""
    for name, channels in _remembered(character).items():
        if name not in character.pose.bones:
            continue
        bone = character.pose.bones[name]
        for channel in _unkeyed(curves, bone):
            if len(channels.get(channel, ())) == len(getattr(bone, channel)):
                setattr(bone, channel, channels[channel])


@contextmanager
def restored_on_failure(character: Object) -> Iterator[None]:
    """Restore the channels of all bones, and the stored ones, if the block fails."""
    stored, bones = character.get(PROPERTY), character.pose.bones
    before = [(bone.name, name, list(getattr(bone, name))) for bone in bones for name in ("location", *ROTATIONS)]
    try:
        yield
    except BaseException:
        for bone, name, values in before:
            setattr(bones[bone], name, values)
        if stored is not None:
            character[PROPERTY] = stored
        elif character.get(PROPERTY) is not None:
            del character[PROPERTY]
        raise


@contextmanager
def as_without_keys(character: Object, played: Iterable[tuple[Action | None, str]]) -> Iterator[None]:
    """Restore the stored channels for the block, where none of the actions and slots has keys for them."""
    known = _remembered(character)
    bones = [character.pose.bones[name] for name in known if name in character.pose.bones]
    before = [(bone, channel, list(getattr(bone, channel))) for bone in bones for channel in known[bone.name]]
    try:
        for action, slot in played:
            if action is not None and bones:
                put_back(character, collect_curves(character, action, slot))
        yield
    finally:
        for bone, channel, values in before:
            setattr(bone, channel, values)


def _unkeyed(curves: SlotCurves, bone: PoseBone) -> list[str]:
    channels = ("location", property_of(bone.rotation_mode))
    return [channel for channel in channels if bone.name not in curves.transforms.get(channel, {})]


def _remembered(character: Object) -> dict[str, Channels]:
    """Return the stored channels of bones that are well formed, since the file may have been edited."""
    bones = stored(character, PROPERTY, dict[str, dict[str, tuple[float, ...]]]) or {}
    return {
        name: {channel: list(values) for channel, values in channels.items() if channel in ("location", *ROTATIONS)}
        for name, channels in bones.items()
    }
