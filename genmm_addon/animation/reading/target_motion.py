# SPDX-License-Identifier: GPL-3.0-or-later
"""The target that an action sets for a result: its motion on the examples' skeleton, and the frames of its keys."""

from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float32, Float64, InputError, Int64, Mask, Motion, Skeleton, listed
from ...core import rotations as quaternions
from ...core.motion import find_root, on_skeleton
from ..channels import KeyedChannels
from ..curves import NOTICED, TRANSFORMS, KeyColumns, SlotCurves, collect_curves, key_columns, key_values
from ..detached_ends import on_bones
from ..layout import ChannelLayout, all_rotations, joint_modes
from ..rig import location_axes
from ..rotation_modes import from_quaternions
from .channel_reading import read_channels
from .example_spec import Reading

VISUAL_REFUSED = "Pins and kept parts need keyed channels; set Channels to Keyed."


class KeyedColumns(NamedTuple):
    """The keys of an action: K frames, and J joints of a skeleton.

    frames: `(K,)` whole scene frames, ascending. joints: `(K, J)` whether a joint has keys there. places: `(K,)`
    whether the joint that carries the travel has its place keyed there. times: `(K,)` exact times of the keys.
    """

    frames: Int64
    joints: Mask
    places: Mask
    times: Float64


def read_target_motion(
    armature: Object, reading: Reading, action: Action, slot: str, frames: Float64, rate: float
) -> Motion:
    """Return the action at `frames` `(T,)`, ascending, with the joints and channels of the examples in `reading`.

    slot: "" is the armature's. Channels without keys have the values of the examples' first frame. Raises InputError if
    the examples were read as Visual, or if the action keys nothing that they animate.
    """
    _check_keyed(reading)
    curves = collect_curves(armature, action, slot)
    if not _moves_any(curves, reading.motions[0].skeleton):
        raise InputError(curves.why_empty(f'Action "{action.name}"'))
    read = read_channels(_layout(armature, reading, curves), curves, frames, rate)
    return on_skeleton(read, reading.motions[0].skeleton)


def left_out_notes(armature: Object, reading: Reading, action: Action, slot: str) -> tuple[str, ...]:
    """Return sentences on keys of the action that a result cannot follow, as no example animates their channels."""
    curves = collect_curves(armature, action, slot)
    left_out = {joint or armature.name for joint in _joints_left_out(armature, curves, reading)}
    if not left_out:
        return curves.notes
    named = listed(sorted(left_out))
    return (
        *curves.notes,
        f'Action "{action.name}" keys channels of {named} that no example animates; they are ignored.',
    )


def keyed_columns(
    armature: Object, reading: Reading, action: Action, slot: str, root: str | None = None
) -> KeyedColumns:
    """Return the whole frames of the action's keys, and the joints keyed there among those that examples animate.

    root: the joint that carries the travel; None: the one found in the examples. Keys between two frames count for the
    nearer one. Raises InputError if the examples were read as Visual, or if `root` is not a joint of theirs.
    """
    _check_keyed(reading)
    skeleton = reading.motions[0].skeleton
    if root is not None and root not in skeleton.names:
        raise InputError(f"The root '{root}' is not a joint of this skeleton; choose one of its own.")
    carrier = skeleton.names[find_root(reading.motions)] if root is None else root
    columns = key_columns(collect_curves(armature, action, slot))
    animated = {*reading.keyed.rotations, *reading.keyed.locations, *reading.keyed.scales}
    joints = np.zeros((len(columns.frames), len(skeleton.names)), bool)
    for joint, name in enumerate(skeleton.names):
        if name in columns.keyed and name in animated:
            joints[:, joint] = columns.keyed[name]
    places = columns.placed.get(carrier, np.zeros(len(columns.frames), bool))
    return _only_with_keys(columns, joints, places)


def _only_with_keys(columns: KeyColumns, joints: Mask, places: Mask) -> KeyedColumns:
    kept = joints.any(axis=1) | places
    return KeyedColumns(columns.frames[kept], joints[kept], places[kept], columns.times[kept])


def _check_keyed(reading: Reading) -> None:
    if reading.visual:
        raise InputError(VISUAL_REFUSED)


def _moves_any(curves: SlotCurves, skeleton: Skeleton) -> bool:
    return any(joint in joints for joints in curves.transforms.values() for joint in skeleton.names)


def _layout(armature: Object, reading: Reading, curves: SlotCurves) -> ChannelLayout:
    """Return the examples' layout with the action's modes; channels without keys keep the examples' first values."""
    example = on_bones(reading.motions[0].slice(0, 1), armature)
    skeleton = example.skeleton
    modes = joint_modes(armature, skeleton, [curves])
    turned = {joint for name in TRANSFORMS if name.startswith("rotation") for joint in curves.transforms.get(name, {})}
    keyed = KeyedChannels(
        MappingProxyType({joint: modes[joint] for joint in skeleton.names if joint in turned}),
        scalars=reading.keyed.scalars,
    )
    default_rotations = example.rotations[0]
    rotations = {
        joint: from_quaternions(modes[joint], default_rotations[None, index : index + 1])[0, 0].astype(np.float32)
        for index, joint in enumerate(skeleton.names)
    }
    axes = location_axes(armature, skeleton.names)
    locations = _first_values(skeleton, example.translated, example.translations)
    locations.update({joint: quaternions.rotate(axes[joint], locations[joint]) for joint in axes if joint in locations})
    defaults = all_rotations(armature, curves.modes) | {
        "location": locations,
        "rotation": rotations,
        "scale": _first_values(skeleton, example.scaled, example.scales),
    }
    return ChannelLayout(
        skeleton,
        keyed,
        modes,
        defaults,
        default_rotations,
        example.scalars[0],
        example.translated,
        example.scaled,
        axes,
    )


def _first_values(skeleton: Skeleton, joints: Int64, values: Float32) -> dict[str, Float32]:
    return {skeleton.names[joint]: values[0, column] for column, joint in enumerate(joints)}


def _joints_left_out(armature: Object, curves: SlotCurves, reading: Reading) -> set[str]:
    """Return the joints that the action's keys move in channels that no example animates."""
    keyed, defaults = reading.keyed, _layout(armature, reading, curves).defaults
    animated = {"location": set(keyed.locations), "scale": set(keyed.scales)}
    left_out = set()
    for name, joints in curves.transforms.items():
        kind = "rotation" if name.startswith("rotation") else name
        for joint in set(joints) - animated.get(name, set(keyed.rotations)):
            stays = defaults[kind].get(joint, _AT_REST[kind])
            if any(_leaves(curve, float(stays[component])) for component, curve in joints[joint].items()):
                left_out.add(joint)
    return left_out


_AT_REST = {"location": (0.0,) * 3, "scale": (1.0,) * 3, "rotation": (1.0, 0.0, 0.0, 0.0)}


def _leaves(curve: FCurve, value: float) -> bool:
    return bool(np.any(np.abs(key_values(curve)[:, 1] - value) > NOTICED))
