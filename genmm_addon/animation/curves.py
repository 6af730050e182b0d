# SPDX-License-Identifier: GPL-3.0-or-later
"""The F-curves of an action, sorted by the joints and channels of a character that they move."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from bpy.types import ID, Action, FCurve, Object, PoseBone

from ..core import Array, Float64, Int64, Mask, listed
from .actions import POSE_BONES, fcurves_of, is_muted, slot_for
from .channels import ScalarChannel
from .rig import OBJECT_JOINT, bone_path
from .rotation_modes import mode_of, property_of

TRANSFORMS = ("location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "scale")
FREE_PLACE: Final = "JITTER"
"""Type of location keys that give the character's height only, not its place."""

NOTICED = 1e-4
"""Smallest difference of a channel's values that an edit keeps or reports, in the channel's unit; for positions also in
sizes of the skeleton."""


@dataclass(frozen=True, eq=False)
class SlotCurves:
    """The curves of one action that play on one character, without muted and empty ones.

    transforms: by property ("location", ...), joint name (OBJECT_JOINT for the object) and component.
    scalars: by channel. notes: sentences on the curves that were left out. modes: the curves of rotation modes, by
    joint name, whose rotations have curves in all the modes that play. has_muted: whether muted ones were left out.
    """

    transforms: dict[str, dict[str, dict[int, FCurve]]] = field(default_factory=dict)
    scalars: dict[ScalarChannel, FCurve] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    modes: dict[str, FCurve] = field(default_factory=dict)
    has_muted: bool = False

    @property
    def keys_bones(self) -> bool:
        """Return whether any bone has keys."""
        return any(joint != OBJECT_JOINT for joints in self.transforms.values() for joint in joints)

    @property
    def keys_object(self) -> bool:
        """Return whether keys move the object itself."""
        return any(OBJECT_JOINT in joints for joints in self.transforms.values())

    def all_curves(self) -> list[FCurve]:
        """Return every curve."""
        transforms = [
            curve for joints in self.transforms.values() for curves in joints.values() for curve in curves.values()
        ]
        return transforms + list(self.scalars.values())

    @property
    def most_keys(self) -> int:
        """Return the largest number of keys in a curve."""
        return max((len(curve.keyframe_points) for curve in self.all_curves()), default=0)

    @property
    def go_on(self) -> bool:
        """Return whether a curve may move before its first key and after its last: by modifiers or extrapolation."""
        return any(
            curve.extrapolation == "LINEAR" or any(not modifier.mute for modifier in curve.modifiers)
            for curve in self.all_curves()
        )

    def why_empty(self, action: str, remedy: str = "choose another action") -> str:
        """Return the sentence on an action, as `Action "Walk"`, that plays no keys; remedy: unless they are muted."""
        if self.has_muted:
            return f"{action} has no keys for this character but in muted channels; unmute them in the Dope Sheet."
        return f"{action} has no keys for this character; {remedy}."

    def key_range(self) -> tuple[float, float] | None:
        """Return the first and last frame with a key, not finite if any key's frame is not; None without keys."""
        return self._key_range

    @cached_property
    def _key_range(self) -> tuple[float, float] | None:
        times = [key_values(curve)[:, 0] for curve in self.all_curves() if curve.keyframe_points]
        times += [np.array(curve.range()[:]) for curve in self.all_curves() if curve.sampled_points]
        every = np.concatenate([np.empty(0), *times])
        return (float(np.min(every)), float(np.max(every))) if len(every) else None


@dataclass(frozen=True, eq=False)
class KeyColumns:
    """The frames at which curves have keys: K whole frames, ascending.

    times: `(K,)` exact times of the keys (if there are several, the nearest to the whole frame).
    keyed: by joint, `(K,)` whether its location, rotation or scale has a key there.
    placed: by joint, `(K,)` whether it has a location key there whose type is not FREE_PLACE.
    """

    frames: Int64
    times: Float64
    keyed: dict[str, Mask]
    placed: dict[str, Mask]


def key_columns(curves: SlotCurves) -> KeyColumns:
    """Return the frames at which curves have keys; a key between two frames counts for the nearer one."""
    keys = [
        (joint, name, *_finite_keys(curve))
        for name, joints in curves.transforms.items()
        for joint, components in joints.items()
        for curve in components.values()
    ]
    times = np.unique(np.concatenate([at for _, _, at, _ in keys])) if keys else np.empty(0)
    rounded = nearest_frames(times)
    # Sorted by frame, then by distance from it: the first of each frame is kept.
    order = np.lexsort((np.abs(times - rounded), rounded))
    frames, first = np.unique(rounded[order], return_index=True)
    keyed: dict[str, Mask] = {}
    placed: dict[str, Mask] = {}
    for joint, name, at, fixed in keys:
        columns = np.searchsorted(frames, nearest_frames(at))
        keyed.setdefault(joint, np.zeros(len(frames), bool))[columns] = True
        if name == "location":
            placed.setdefault(joint, np.zeros(len(frames), bool))[columns[fixed]] = True
    return KeyColumns(frames, times[order][first], keyed, placed)


def session_hash(action: Action, slot: str) -> int:
    """Return a number, other in each session, that changes with the frames, values and types of a slot's keys."""
    pieces: list[object] = []
    for curve in fcurves_of(action, slot):
        kinds = np.empty(len(curve.keyframe_points), np.uint8)
        curve.keyframe_points.foreach_get("type", kinds)
        pieces += (curve.data_path, curve.array_index, is_muted(curve), key_values(curve).tobytes(), kinds.tobytes())
    return hash(tuple(pieces))


def nearest_frames(times: Array) -> Int64:
    """Return the whole frames nearest to `times`; keys at infinity are in Blender at 3.4e38, here at the last frame."""
    whole = np.iinfo(np.int32)  # Blender's frames
    return np.asarray(np.floor(np.clip(times, whole.min, whole.max) + 0.5), np.int64)


def _finite_keys(curve: FCurve) -> tuple[Float64, Mask]:
    """Return the frames `(N,)` of the keys, and `(N,)` whether their type differs from FREE_PLACE."""
    times = key_values(curve)[:, 0]
    fixed = np.array([point.type != FREE_PLACE for point in curve.keyframe_points], bool)
    finite = np.isfinite(times)
    return times[finite], fixed[finite]


def key_values(curve: FCurve) -> Float64:
    """Return the keys `(N, 2)` of a curve: frames and values."""
    values = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", values)
    return values.reshape(-1, 2).astype(np.float64)


def keyed_modes(curve: FCurve) -> list[str]:
    """Return the rotation modes to which the keys of a mode's curve switch, in the order of their frames."""
    keys = key_values(curve)
    return list(dict.fromkeys(mode_of(value) for value in keys[np.argsort(keys[:, 0], kind="stable"), 1].tolist()))


def owner_of(armature: Object, joint: str) -> Object | PoseBone:
    """Return the bone or object that has a joint's location, rotation and scale."""
    return armature if joint == OBJECT_JOINT else armature.pose.bones[joint]


def collect_curves(armature: Object, action: Action, slot: str = "") -> SlotCurves:
    """Sort the curves of an action's slot ("" the armature's own) by the channels that they move on `armature`.

    Curves for channels that the character does not have, and rotations keyed in another mode than the bone's, have no
    effect; they are left out and noted.
    """
    collector = _Collector(armature)
    for curve in fcurves_of(action, slot or slot_for(armature, action)):
        if is_muted(curve):
            collector.has_muted |= resolved(armature, curve.data_path) is not None
        elif not curve.is_empty:
            collector.add(curve)
    return collector.finish(action.name)


class _Collector:
    def __init__(self, armature: Object) -> None:
        self.armature = armature
        self.joints = {bone_path(bone.name): bone.name for bone in armature.pose.bones}
        self.joints[""] = OBJECT_JOINT
        self.transforms: dict[str, dict[str, dict[int, FCurve]]] = {}
        self.scalars: dict[ScalarChannel, FCurve] = {}
        self.modes: dict[str, FCurve] = {}
        self.missing: set[str] = set()
        self.has_muted = False

    def add(self, curve: FCurve) -> None:
        path = curve.data_path
        prefix, _, name = path.rpartition(".")
        if name in TRANSFORMS or name == "rotation_mode":
            joint = self._joint(prefix)
            if joint is not None:
                self._add_transform(joint, name, curve)
                return
        channel = scalar_channel(self.armature, path, curve.array_index)
        if channel is None:
            self.missing.add(_subject(path))
        else:
            self.scalars[channel] = curve

    def _joint(self, prefix: str) -> str | None:
        if prefix not in self.joints and prefix.startswith(POSE_BONES):
            # The path has another form, such as an index in place of a name.
            bone = resolved(self.armature, prefix)
            if isinstance(bone, PoseBone):
                self.joints[prefix] = bone.name
        return self.joints.get(prefix)

    def _add_transform(self, joint: str, name: str, curve: FCurve) -> None:
        if name == "rotation_mode":
            self.modes[joint] = curve
            return
        if name == "location" and joint and self.armature.data.bones[joint].use_connect:
            return  # Blender ignores the location of a connected bone.
        self.transforms.setdefault(name, {}).setdefault(joint, {})[curve.array_index] = curve

    def finish(self, action: str) -> SlotCurves:
        notes = []
        if self.missing:
            notes.append(
                f'Action "{action}" has keys for bones or properties that "{self.armature.name}" does not have: '
                f"{listed(sorted(self.missing))}."
            )
        other_mode = {joint or self.armature.name for joint in self._without_other_modes()}
        if other_mode:
            notes.append(
                f'Action "{action}" has rotation keys that do not play, since they are in another rotation mode: '
                f"{listed(sorted(other_mode))}."
            )
        return SlotCurves(self.transforms, self.scalars, tuple(notes), self.modes, self.has_muted)

    def _without_other_modes(self) -> list[str]:
        """Remove the rotations in modes that never play, and return their joints."""
        removed = []
        for name in [name for name in self.transforms if name.startswith("rotation")]:
            for joint in list(self.transforms[name]):
                curve = self.modes.get(joint)
                modes = [owner_of(self.armature, joint).rotation_mode] if curve is None else keyed_modes(curve)
                if name not in {property_of(mode) for mode in modes}:
                    del self.transforms[name][joint]
                    removed.append(joint)
        return removed


def scalar_channel(owner: ID, path: str, index: int) -> ScalarChannel | None:
    """Return the channel of a path of a data-block; None if the path is not to a number, switch or choice."""
    value = resolved(owner, path)
    is_array = hasattr(value, "__len__") and not isinstance(value, (str, set))
    if is_array:
        value = value[index] if index < len(value) else None
    if not isinstance(value, (bool, int, float, str)) or current_scalar(owner, path, value) is None:
        return None
    return ScalarChannel(path, index if is_array else 0, is_array, not isinstance(value, float), _group(owner, path))


def scalar_value(owner: ID, channel: ScalarChannel) -> float:
    """Return the present value of the channel's property; for a choice, its number."""
    value = resolved(owner, channel.data_path)
    number = current_scalar(owner, channel.data_path, value[channel.index] if channel.is_array else value)
    return 0.0 if number is None else number


def current_scalar(block: ID, path: str, value: bool | int | float | str) -> float | None:
    """Return the number by which F-curves represent a value; None for text, which cannot be animated."""
    if not isinstance(value, str):
        return float(value)
    prefix, _, name = path.rpartition(".")
    owner = resolved(block, prefix) if prefix else block
    definition = owner.bl_rna.properties.get(name)
    if definition is None or definition.type != "ENUM" or value not in definition.enum_items:
        return None
    return float(definition.enum_items[value].value)


def resolved(block: ID, path: str) -> Any:
    """Return the value at a path of a data-block; None if it leads nowhere."""
    try:
        return block.path_resolve(path)
    except ValueError:  # Blender raises this if the path leads nowhere
        return None


def _group(owner: ID, path: str) -> str:
    """Return the name of the bone that a path's property belongs to, as a group's name; "" without a bone."""
    if not path.startswith(POSE_BONES) or not isinstance(owner, Object):
        return ""
    return next((bone.name for bone in owner.pose.bones if path.startswith(bone_path(bone.name))), "")


def _subject(path: str) -> str:
    return path.split('"')[1] if path.startswith(POSE_BONES) and path.count('"') > 1 else path
