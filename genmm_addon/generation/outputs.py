# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of a written motion: a new character, the character's own action, or an NLA track.

Each function leaves on the stack the calls that undo its work, should a later step fail.
"""

import math
from collections.abc import Collection
from contextlib import ExitStack
from typing import Any

from bpy.types import ID, Action, Constraint, Context, FCurve, NlaStrip, NlaTrack, Object

from ..animation.actions import assign, assigned, check_tweak_mode, clear_assignment, has_slots
from ..animation.channels import KeyedChannels
from ..animation.rig import OBJECT_JOINT, check_armature
from ..animation.stretches.linked import is_linked
from ..animation.writing import Written
from ..character.character import Copy, duplicate
from ..character.naming import free_number
from ..character.placement import CopyPlace
from ..character.redirect import drivers_of
from ..character.results_collection import remove_made
from ..core import InputError
from .request import Output


def check_output(armature: Object, output: Output) -> None:
    """Raise InputError where there is no character, or where it cannot take the output itself."""
    check_armature(armature)
    if output is Output.NEW_CHARACTER:
        return
    if is_linked(armature):
        raise InputError(f'"{armature.name}" is linked and cannot be changed; choose New Character as the result.')
    check_tweak_mode(armature)


def new_character(
    context: Context,
    armature: Object,
    keyed: KeyedChannels,
    undoing: ExitStack,
    place: CopyPlace | None,
    own: Collection[ID] = (),
) -> Copy:
    """Return a copy of the character at a place; None for the original's. own: data-blocks that it does not share."""
    number = free_number(context.scene, armature)
    copy = duplicate(context, armature, number=number, animated=object_channels(keyed), place=place, unshared=own)
    undoing.callback(remove_made, context.scene, list(copy.made))
    return copy


def object_channels(keyed: KeyedChannels) -> frozenset[str]:
    """Return the names of the armature object's location channels for which a result has keys."""
    moved = {"location"} if OBJECT_JOINT in keyed.locations else set()
    return frozenset(moved | {scalar.data_path for scalar in keyed.scalars if scalar.data_path == "delta_location"})


def assign_new(armature: Object, written: Written, undoing: ExitStack, *, alone: bool = False) -> tuple[str, ...]:
    """Make the motion the character's action; its former action stays in the file. Returns remarks.

    alone: it replaces what the NLA plays below it, which it contains.
    """
    before = assigned(armature)
    undoing.callback(_assign_again, armature, before)
    remarks = protect(before[0], undoing) if before else ()
    assign(armature, written.action, written.slot)
    for name, value in {"action_blend_type": "REPLACE", "action_influence": 1.0}.items() if alone else ():
        undoing.callback(setattr, armature.animation_data, name, getattr(armature.animation_data, name))
        setattr(armature.animation_data, name, value)
    return remarks


def push_down(armature: Object, undoing: ExitStack) -> tuple[str, ...]:
    """Put the character's own action on an NLA track, since an active action hides all strips. Returns remarks."""
    before = assigned(armature)
    if before is None:
        return ()
    action, slot = before
    undoing.callback(_assign_again, armature, before)
    track = add_strip(armature, action, slot, undoing)
    data = armature.animation_data
    track.strips[0].blend_type = data.action_blend_type
    track.strips[0].extrapolation = data.action_extrapolation
    clear_assignment(armature)
    return (f'Action "{action.name}" was pushed down to its own NLA track, below the new one.',)


def add_strip(block: ID, action: Action, slot: str, undoing: ExitStack) -> NlaTrack:
    """Return a new NLA track on top with the whole action as its only strip, at the action's own frames."""
    owner: Any = block
    data = owner.animation_data or owner.animation_data_create()
    # Removing the new track would leave no active one, so the former one is restored.
    undoing.callback(setattr, data.nla_tracks, "active", data.nla_tracks.active)
    track: NlaTrack = data.nla_tracks.new()
    undoing.callback(data.nla_tracks.remove, track)
    track.name = action.name
    start = action.frame_range[0]
    strip = track.strips.new(action.name, math.floor(start), action)
    if slot and has_slots(action):
        strip.action_slot = next(entry for entry in action.slots if entry.identifier == slot)
    length = max(strip.action_frame_end - strip.action_frame_start, 1.0)
    strip.frame_start_raw, strip.frame_end_raw = start, start + length
    strip.extrapolation = "HOLD_FORWARD"
    return track


def repeat_strip(strip: NlaStrip, until: float) -> None:
    """Lengthen the strip of a loop past the frame `until`; its curves repeat round after round."""
    length = strip.action_frame_end - strip.action_frame_start
    rounds = max(math.ceil((until - strip.frame_start_raw) / length), 1)
    # With the strip's own repeat, each round would start at the first one's place.
    strip.action_frame_end = strip.action_frame_start + rounds * length
    strip.frame_end_raw = strip.frame_start_raw + rounds * length


def mute_pose_makers(armature: Object, undoing: ExitStack) -> int:
    """Mute constraints and drivers that would move the bones besides their keys; return their number.

    The pose that they made is already in the keys.
    """
    makers: list[Constraint | FCurve] = [
        constraint for bone in armature.pose.bones for constraint in bone.constraints if not constraint.mute
    ]
    makers += [curve for curve in drivers_of(armature) if _moves_bones(curve.data_path) and not curve.mute]
    for maker in makers:
        undoing.callback(setattr, maker, "mute", False)
        maker.mute = True
    return len(makers)


def _moves_bones(path: str) -> bool:
    """Return whether a driver with this path moves a bone, or could unmute a constraint that does."""
    if not path.startswith("pose.bones["):
        return False
    return path.rsplit(".", 1)[-1].startswith(("location", "rotation_", "scale", "mute", "enabled"))


def protect(action: Action, undoing: ExitStack) -> tuple[str, ...]:
    """Give an action of this file a fake user; return a remark if it had none."""
    if action.library is not None or action.use_fake_user:
        return ()
    undoing.callback(setattr, action, "use_fake_user", False)
    action.use_fake_user = True
    return (f'Action "{action.name}" is kept in the file with a fake user.',)


def _assign_again(armature: Object, before: tuple[Action, str] | None) -> None:
    if before is None:
        clear_assignment(armature)
    else:
        assign(armature, *before)
