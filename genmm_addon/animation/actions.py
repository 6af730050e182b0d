# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to actions in all supported versions of Blender, which differ in slots, layers and the place of F-curves.

A slot is named by its identifier ("OBArmature"); in Blender 4.2, where actions have no slots, the identifier is "".
"""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, FCurve, NlaStrip, NlaTrack, Object

from ..core import Float64, InputError

POSE_BONES = "pose.bones["
MOVING = ("rotation_mode", "location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "scale")
"""Ends of the data paths that move a bone or an object; the mode first, since setting it converts the rotation."""


def has_slots(action: Action) -> bool:
    """Return whether this Blender's actions have slots."""
    return hasattr(action, "layers")


def fcurves_of(action: Action, slot_identifier: str = "") -> Sequence[FCurve]:
    """Return the F-curves of a slot; "" means the armature's slot (see `default_slot`).

    Raises InputError if the action has no slot with this identifier.
    """
    holder: Any = action
    if has_slots(action):
        holder = _channelbag(action, _slot(action, slot_identifier or default_slot(action)))
    curves: Sequence[FCurve] = holder.fcurves if holder else ()
    return curves


def armature_slots(action: Action) -> list[str]:
    """Return the identifiers of the slots for objects, those with keys on bones first; [""] without slots."""
    if not has_slots(action):
        return [""]
    fitting = [slot for slot in action.slots if slot.target_id_type in {"OBJECT", "UNSPECIFIED"}]
    return [slot.identifier for slot in sorted(fitting, key=lambda slot: not _keys_bones(action, slot))]


def default_slot(action: Action) -> str:
    """Return the identifier of the slot that an armature would use. Raises InputError if no slot is for objects."""
    slots = armature_slots(action)
    if not slots:
        raise InputError(f'Action "{action.name}" has no keys that move an object; choose an action of the character.')
    return slots[0]


def slot_for(owner: Object, action: Action) -> str:
    """Return the identifier of the slot that `owner` uses, otherwise of the one with its name or of the armature's.

    Raises InputError if no slot is for objects.
    """
    default = default_slot(action)
    current = assigned(owner)
    if current is not None and current[0] == action and current[1]:
        return current[1]
    own_name = f"OB{owner.name}"
    return own_name if own_name in armature_slots(action) else default


def new_action(name: str, owner: Object) -> tuple[Action, str]:
    """Return a new, empty action with a slot for `owner`, and the slot's identifier."""
    return new_action_for(name, "OBJECT", owner.name)


def new_action_for(name: str, kind: str, slot_name: str) -> tuple[Action, str]:
    """Return a new, empty action with a slot for data-blocks of a type, and the slot's identifier."""
    action: Any = bpy.data.actions.new(name)
    try:
        if not has_slots(action):
            action.id_root = kind
            return action, ""
        slot = action.slots.new(id_type=kind, name=slot_name)
        action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
        return action, slot.identifier
    except BaseException:
        bpy.data.actions.remove(action)
        raise


@dataclass(frozen=True, eq=False)
class CurveFactory:
    """Factory of the F-curves of one slot, which is looked up once; call `new` for each curve."""

    fcurves: Any
    groups: Any
    _known: dict[str, Any] = field(default_factory=dict)

    def new(self, data_path: str, index: int, group: str = "") -> FCurve:
        """Return a new F-curve in the named group ("" for none). Raises RuntimeError if the curve exists already."""
        curve: FCurve = self.fcurves.new(data_path, index=index)
        if group:
            curve.group = self._group(group)
        return curve

    def _group(self, name: str) -> Any:
        # Blender's search for a group by name takes longer with each group.
        if name not in self._known:
            self._known[name] = self.groups.new(name)
        return self._known[name]


def curve_holders(action: Action) -> list[Any]:
    """Return what holds the F-curves and groups of an action: one holder for each of its slots."""
    holder: Any = action
    if not has_slots(action):
        return [holder]
    return [bag for layer in holder.layers for strip in layer.strips for bag in strip.channelbags]


def curve_factory(action: Action, slot_identifier: str = "") -> CurveFactory:
    """Return the factory of new F-curves in a slot of a local action."""
    holder: Any = action
    if has_slots(action):
        slot = _slot(action, slot_identifier or default_slot(action))
        layer = holder.layers[0] if holder.layers else holder.layers.new("Layer")
        strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
        holder = strip.channelbag(slot, ensure=True)
    return CurveFactory(holder.fcurves, holder.groups, {group.name: group for group in reversed(list(holder.groups))})


def assign(owner: Object, action: Action, slot_identifier: str = "") -> None:
    """Assign `action` to an object and choose its slot; "" means the object's own (see `slot_for`).

    Raises InputError if the object is in NLA tweak mode, or if the armature was never evaluated: assigning a slot
    would then crash Blender, so update the view layer first.
    """
    _check_assignable(owner)
    slot = slot_identifier or slot_for(owner, action)
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if has_slots(action):
        data.action_slot = _slot(action, slot)


def clear_assignment(owner: Object) -> None:
    """Unassign the object's action and keep its NLA tracks and drivers. Raises InputError as `assign` does."""
    if owner.animation_data is None or owner.animation_data.action is None:
        return
    _check_assignable(owner)
    owner.animation_data.action = None


def assigned(owner: Object) -> tuple[Action, str] | None:
    """Return the object's action and its slot's identifier ("" if no slot is chosen); None without an action."""
    data = owner.animation_data
    if data is None or data.action is None:
        return None
    slot = data.action_slot if has_slots(data.action) else None
    return data.action, slot.identifier if slot else ""


def restore(owner: Object, before: tuple[Action, str] | None) -> None:
    """Restore the assignment that `assigned` returned, including a missing slot."""
    if before is None:
        clear_assignment(owner)
        return
    action, slot = before
    owner.animation_data.action = action
    if has_slots(action):
        owner.animation_data.action_slot = _slot(action, slot) if slot else None


def playing_tracks(owner: Object) -> list[NlaTrack]:
    """Return the tracks of an object's NLA that play, from the lowest up."""
    data = owner.animation_data
    if data is None or not data.use_nla:
        return []
    solo = [track for track in data.nla_tracks if track.is_solo]
    tracks = solo or [track for track in data.nla_tracks if not track.mute]
    return [track for track in tracks if any(not strip.mute for strip in track.strips)]


def strips_range(owner: Object) -> tuple[float, float] | None:
    """Return the first and last frame of the strips that play; None without any."""
    strips = [strip for track in playing_tracks(owner) for strip in track.strips if not strip.mute]
    return (min(strip.frame_start for strip in strips), max(strip.frame_end for strip in strips)) if strips else None


def plays_more(owner: Object, tracks: Collection[NlaTrack]) -> bool:
    """Return whether an object's action and some of its NLA tracks together play something else than the action.

    This is so if the action is mixed with what lies below it, or not played because of a solo track, or if a strip
    moves channels that the action does not.
    """
    data = owner.animation_data
    if not tracks or data.use_tweak_mode:
        return False
    if data.action_blend_type != "REPLACE" or data.action_influence < 1.0 or any(track.is_solo for track in tracks):
        return True
    strips = [strip for track in tracks for strip in track.strips if not strip.mute]
    slot = assigned(owner)
    own_paths = set() if slot is None else _transform_paths(*slot)
    return any(
        strip.action is None or _transform_paths(strip.action, _strip_slot(strip)) - own_paths for strip in strips
    )


def _transform_paths(action: Action, slot: str) -> set[str]:
    curves = fcurves_of(action, slot) if slot or not has_slots(action) else ()
    return {curve.data_path for curve in curves if curve.data_path.endswith(MOVING) and not is_muted(curve)}


def _strip_slot(strip: NlaStrip) -> str:
    slot = strip.action_slot if has_slots(strip.action) else None
    return slot.identifier if slot else ""


def animated_paths(owner: Object) -> tuple[str, ...]:
    """Return the paths that actions, strips and drivers animate, and those of the object's own transform.

    Muted strips animate nothing. An imported glTF file has each of its actions, often dozens, on a muted track.
    """
    data, paths = owner.animation_data, list[str]()
    if data is not None:
        strips = _with_nested(strip for track in data.nla_tracks if not track.mute for strip in track.strips)
        played = {action for action in (data.action, *(strip.action for strip in strips)) if action is not None}
        curves = [curve for action in played for holder in curve_holders(action) for curve in holder.fcurves]
        paths = [curve.data_path for curve in (*curves, *data.drivers)]
    switched = {path.removesuffix(MOVING[0]) for path in paths if path.endswith(MOVING[0])}
    return tuple(dict.fromkeys((*(start + ending for start in ("", *switched) for ending in MOVING), *paths)))


def _with_nested(strips: Iterable[NlaStrip]) -> Iterator[NlaStrip]:
    for strip in strips:
        if not strip.mute:
            yield strip
            yield from _with_nested(strip.strips)


def values_of_property(block: ID, data_path: str, frames: Float64) -> Float64 | None:
    """Return the values `(F,)` of a property's curve in a data-block's action at `frames` `(F,)`; None without one."""
    data: Any = getattr(block, "animation_data", None)
    if data is None or data.action is None:
        return None
    slot = data.action_slot if has_slots(data.action) else None
    if has_slots(data.action) and slot is None:
        return None
    curves = fcurves_of(data.action, slot.identifier if slot else "")
    curve = next((curve for curve in curves if curve.data_path == data_path and not is_muted(curve)), None)
    return None if curve is None else np.array([curve.evaluate(frame) for frame in frames], np.float64)


def repeat_forever(action: Action, slot_identifier: str = "", paths: Container[str] | None = None) -> None:
    """Make the curves of a slot, or of `paths`, cycle beyond their ends; locations continue from their last value.

    Curves that cycle already are unchanged.
    """
    for curve in fcurves_of(action, slot_identifier):
        if (paths is not None and curve.data_path not in paths) or is_cyclic(curve):
            continue
        cycles: Any = curve.modifiers.new("CYCLES")
        moves_on = curve.data_path.endswith("location")
        cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET" if moves_on else "REPEAT"


def stop_repeating(action: Action, slot_identifier: str, undoing: ExitStack) -> bool:
    """Mute the modifiers that let curves of a slot cycle beyond their ends; return whether there were any."""
    cyclic = [curve for curve in fcurves_of(action, slot_identifier) if is_cyclic(curve)]
    repeating = (modifier for curve in cyclic for modifier in curve.modifiers if modifier.type == "CYCLES")
    for modifier in [modifier for modifier in repeating if not modifier.mute]:
        undoing.callback(setattr, modifier, "mute", False)
        modifier.mute = True
    if cyclic:
        undoing.callback(setattr, action, "use_cyclic", action.use_cyclic)
        action.use_cyclic = False
    return bool(cyclic)


def is_muted(curve: FCurve) -> bool:
    """Return whether a curve is muted, itself or with its group, so that its keys do not play."""
    return curve.mute or (curve.group is not None and curve.group.mute)


def is_cyclic(curve: FCurve) -> bool:
    """Return whether a curve cycles beyond its ends."""
    return any(modifier.type == "CYCLES" and not modifier.mute for modifier in curve.modifiers)


def is_modified(curve: FCurve, *, may_repeat: bool) -> bool:
    """Return whether modifiers change what a curve's keys say; may_repeat: beyond its ends, it may cycle."""
    return any(not (modifier.mute or (may_repeat and modifier.type == "CYCLES")) for modifier in curve.modifiers)


def why_in_tweak_mode(owner: Object) -> str:
    """Return a sentence if an object is editing an NLA strip, otherwise ""."""
    data = owner.animation_data
    return f'"{owner.name}" is editing an NLA strip; leave tweak mode first' if data and data.use_tweak_mode else ""


def check_tweak_mode(owner: Object) -> None:
    """Raise InputError if an object is editing an NLA strip."""
    if reason := why_in_tweak_mode(owner):
        raise InputError(f"{reason}.")


def _check_assignable(owner: Object) -> None:
    check_tweak_mode(owner)
    if owner.type == "ARMATURE" and owner.pose is None:
        raise InputError(f'"{owner.name}" has no pose yet; show it in a scene once.')


def _slot(action: Action, identifier: str) -> Any:
    for slot in action.slots:
        if slot.identifier == identifier:
            return slot
    raise InputError(f'Action "{action.name}" has no slot "{identifier}"; choose one of its slots.')


def _channelbag(action: Any, slot: Any) -> Any | None:
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag:
                return bag
    return None


def _keys_bones(action: Action, slot: Any) -> bool:
    bag = _channelbag(action, slot)
    return bag is not None and any(curve.data_path.startswith(POSE_BONES) for curve in bag.fcurves)
