# SPDX-License-Identifier: GPL-3.0-or-later
"""One layout of channels for all examples: all that any of them animates, with defaults for the other examples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from bpy.types import Object

from ..core import Float32, Float64, Int64, Skeleton
from .channels import KeyedChannels, ScalarChannel
from .curves import SlotCurves, keyed_modes, owner_of, scalar_value
from .rig import OBJECT_JOINT, location_axes
from .rotation_modes import property_of, to_quaternions

ROTATIONS = ("rotation_quaternion", "rotation_axis_angle", "rotation_euler")


@dataclass(frozen=True, eq=False)
class ChannelLayout:
    """The origin of every channel of the motions.

    modes: rotation modes by joint. defaults: present values by property and joint, for components without keys; of
    joints whose mode is animated, by each rotation property as well.
    default_rotations: `(J, 4)` unit quaternions of the defaults. translated, scaled: the joints with such channels in
    the motions, ascending: those with keys, and those that were moved from their rest by hand.
    location_axes: see `rig.location_axes`.
    """

    skeleton: Skeleton
    keyed: KeyedChannels
    modes: Mapping[str, str]
    defaults: dict[str, dict[str, Float32]]
    default_rotations: Float32
    default_scalars: Float32
    translated: Int64
    scaled: Int64
    location_axes: Mapping[str, Float64]


def make_layout(armature: Object, skeleton: Skeleton, examples: Sequence[SlotCurves]) -> ChannelLayout:
    """Return the union of the channels that the examples' curves animate; skeleton: as read from `armature`."""
    modes = joint_modes(armature, skeleton, examples)
    defaults = {name: _defaults(armature, skeleton, name, modes) for name in ("location", "rotation", "scale")}
    switched = tuple(joint for joint in skeleton.names if any(joint in curves.modes for curves in examples))
    defaults |= all_rotations(armature, switched)
    turned = {*_keyed_joints(skeleton, examples, ROTATIONS), *switched}
    scalars = scalar_channels(examples)
    keyed = KeyedChannels(
        MappingProxyType({joint: modes[joint] for joint in skeleton.names if joint in turned}),
        _keyed_joints(skeleton, examples, ("location",)),
        _keyed_joints(skeleton, examples, ("scale",)),
        scalars,
        switched,
    )
    return ChannelLayout(
        skeleton,
        keyed,
        modes,
        defaults,
        _default_rotations(skeleton, modes, defaults["rotation"]),
        np.array([scalar_value(armature, channel) for channel in scalars], np.float32),
        _moved(skeleton, keyed.locations, defaults["location"], 0.0),
        _moved(skeleton, keyed.scales, defaults["scale"], 1.0),
        location_axes(armature, skeleton.names),
    )


def joint_modes(armature: Object, skeleton: Skeleton, examples: Sequence[SlotCurves]) -> dict[str, str]:
    """Return the rotation modes by joint; of a joint whose mode is animated, the first mode in the first such example.

    The present mode of such a joint depends on the frame at which the scene is.
    """
    keyed: dict[str, str] = {}
    for curves in examples:
        for joint, curve in curves.modes.items():
            keyed.setdefault(joint, keyed_modes(curve)[0])
    return {joint: keyed.get(joint) or owner_of(armature, joint).rotation_mode for joint in skeleton.names}


def all_rotations(armature: Object, joints: Iterable[str]) -> dict[str, dict[str, Float32]]:
    """Return the present values of some joints by rotation property and joint."""
    return {
        name: {joint: np.array(getattr(owner_of(armature, joint), name), np.float32) for joint in joints}
        for name in ROTATIONS
    }


def scalar_channels(examples: Sequence[SlotCurves]) -> tuple[ScalarChannel, ...]:
    """Return the examples' further values, in the order of their first appearance."""
    return tuple(dict.fromkeys(channel for curves in examples for channel in curves.scalars))


def _defaults(armature: Object, skeleton: Skeleton, name: str, modes: Mapping[str, str]) -> dict[str, Float32]:
    result = {}
    for joint in skeleton.names:
        owner = owner_of(armature, joint)
        value = getattr(owner, property_of(modes[joint]) if name == "rotation" else name)
        result[joint] = np.array(value, np.float32)
        if name == "location" and joint != OBJECT_JOINT and owner.bone.use_connect:
            result[joint][:] = 0.0
    return result


def _default_rotations(skeleton: Skeleton, modes: Mapping[str, str], defaults: dict[str, Float32]) -> Float32:
    result = np.empty((len(skeleton.names), 4), np.float32)
    for mode in set(modes.values()):
        joints = [joint for joint, name in enumerate(skeleton.names) if modes[name] == mode]
        result[joints] = to_quaternions(mode, np.stack([defaults[skeleton.names[joint]] for joint in joints]))
    return result


def _keyed_joints(skeleton: Skeleton, examples: Iterable[SlotCurves], properties: Sequence[str]) -> tuple[str, ...]:
    keyed = {joint for curves in examples for name in properties for joint in curves.transforms.get(name, {})}
    return tuple(joint for joint in skeleton.names if joint in keyed)


def _moved(skeleton: Skeleton, keyed: tuple[str, ...], defaults: dict[str, Float32], at_rest: float) -> Int64:
    animated = set(keyed)
    chosen = [joint in animated or bool(np.any(defaults[joint] != at_rest)) for joint in skeleton.names]
    return np.flatnonzero(chosen).astype(np.int64)
