# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins as keys of an action, and the poses that they hold.

Pins of a pose alone also key the location of the bone that carries the travel, since it includes the height. These keys
have a type of their own, `FREE_PLACE`, which marks the place as free.
"""

from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object

from ...core import Array, Float64, InputError, Int64, Mask, Motion
from ..actions import new_action, slot_for
from ..curves import FREE_PLACE, TRANSFORMS, KeyColumns, SlotCurves, collect_curves, key_columns, owner_of
from ..layout import make_layout
from ..reading.channel_reading import read_channels
from ..rig import OBJECT_JOINT, bone_path, read_bones
from ..rotation_modes import property_of, width_of
from ..sampling import CurveSampler
from ..writing import OBJECT_GROUP, KeyType, PosedChannel, put_keys, remove_keys, set_key_type

PINS_NAME = "GenMM Pins"
PROPERTY = "genmm_pins"
"""Property of actions made for pins, so that they are not used as examples."""


@dataclass(frozen=True)
class Pinned:
    """The joints of a character that are pinned.

    joints: names (OBJECT_JOINT for the object). root: the joint that carries the travel ("" may be the object).
    place: whether the root's location and facing are pinned too; the root then counts as pinned.
    """

    joints: frozenset[str]
    root: str
    place: bool

    @property
    def all_joints(self) -> frozenset[str]:
        """Return the joints with keys."""
        return self.joints | {self.root} if self.place else self.joints


@dataclass(frozen=True)
class Animated:
    """The joints that the examples animate, by channel."""

    joints: frozenset[str]
    locations: frozenset[str]
    scales: frozenset[str]


def animated_by(examples: Sequence[SlotCurves]) -> Animated:
    """Return the joints that the curves of all examples animate together."""

    def joints(name: str) -> set[str]:
        return {joint for curves in examples for joint in curves.transforms.get(name, {})}

    every = {joint for name in TRANSFORMS for joint in joints(name)}
    return Animated(frozenset(every), frozenset(joints("location")), frozenset(joints("scale")))


def new_pins(armature: Object) -> Action:
    """Return a new, empty action for the character's pins, which is saved with the file."""
    action, _ = new_action(PINS_NAME, armature)
    action.use_fake_user = True
    action[PROPERTY] = True
    return action


def is_own(action: Action | None) -> bool:
    """Return whether the action was made for pins."""
    return action is not None and action.get(PROPERTY) is not None


def pin_current_pose(armature: Object, pins: Action, frame: int, pinned: Pinned, animated: Animated) -> None:
    """Key the present pose of the bones. Raises InputError if there is nothing to key."""
    channels = [
        channel for joint in sorted(pinned.all_joints) for channel in _current(armature, joint, pinned, animated)
    ]
    _check_finite(channels, np.array([frame], np.float64))
    _put(armature, pins, np.array([frame]), channels)


def pin_from_action(
    armature: Object,
    pins: Action,
    source: tuple[Action, str],
    at: Float64,
    frame: int,
    pinned: Pinned,
    animated: Animated,
) -> None:
    """Key the poses of an action's slot at its frames `at` `(K,)`, at one frame each from `frame` on.

    Only the channels that the action animates are keyed, and the root's present location if no example moves it. Raises
    InputError if there is nothing to key, or if a place is requested and the action does not give it.
    """
    curves = collect_curves(armature, *source)
    stays = pinned.place and pinned.root not in curves.transforms.get("location", {})
    if stays and pinned.root in animated.locations:
        raise InputError(
            f'Action "{source[0].name}" has no location keys for "{pinned.root or armature.name}"; pin the pose alone.'
        )
    sampler = CurveSampler(at)
    channels = [
        _channel(armature, joint, name, component, sampler.sample(curve), pinned)
        for name, joints in curves.transforms.items()
        for joint, components in joints.items()
        if joint in pinned.all_joints
        for component, curve in components.items()
    ]
    _check_finite(channels, at)
    if stays and channels:
        channels += _standing(armature, pinned, len(at))
    _put(armature, pins, frame + np.arange(len(at)), channels)


def columns_of(armature: Object, pins: Action) -> KeyColumns:
    """Return the frames and joints of the pins. Raises InputError if the action has no slot for an object."""
    return key_columns(collect_curves(armature, pins))


def remove_pins(armature: Object, pins: Action, frames: Collection[int], joints: Collection[str] | None = None) -> int:
    """Remove the keys at the given frames, of some joints or (None) of all, and return their number."""
    check_editable(pins)
    curves = collect_curves(armature, pins)
    if joints is None:
        joints = {joint for of_joints in curves.transforms.values() for joint in of_joints}
    return remove_keys(pins, slot_for(armature, pins), curves, frames, joints)


def set_place(armature: Object, pins: Action, frame: int, root: str, place: bool) -> None:
    """Pin the root's place at a frame, or only its pose. Raises InputError if its location has no keys there."""
    check_editable(pins)
    kind: KeyType = "KEYFRAME" if place else FREE_PLACE
    if not set_key_type(collect_curves(armature, pins), root, "location", frame, kind):
        raise InputError(
            f'"{root or armature.name}" has no location keys in the pins at frame {frame}; pin its place there.'
        )


def check_editable(pins: Action) -> None:
    """Raise InputError if the pins belong to another file."""
    if pins.library is not None:
        raise InputError(f'The pins "{pins.name}" are linked from another file; make them local or clear the pins.')


def _put(armature: Object, pins: Action, frames: Int64, channels: Sequence[PosedChannel]) -> None:
    check_editable(pins)
    if not channels:
        raise InputError("No animated bones to pin; choose bones that the examples animate.")
    put_keys(pins, slot_for(armature, pins), frames, channels)


def _check_finite(channels: Sequence[PosedChannel], at: Float64) -> None:
    """Raise InputError for values that are not numbers; at: their frames `(K,)`."""
    for channel in channels:
        wrong = np.flatnonzero(~np.isfinite(channel.values.astype(np.float32)))
        if len(wrong):
            name = channel.data_path.rpartition(".")[2].replace("_", " ")
            raise InputError(
                f'The {name} of "{channel.group}" is not a finite number at frame {at[wrong[0]]:g}; repair its keys.'
            )


def _standing(armature: Object, pinned: Pinned, frames: int) -> list[PosedChannel]:
    """Return the root's present location, repeated for `frames` frames."""
    location = owner_of(armature, pinned.root).location
    return [
        _channel(armature, pinned.root, "location", component, np.full(frames, location[component]), pinned)
        for component in range(3)
    ]


def _current(armature: Object, joint: str, pinned: Pinned, animated: Animated) -> Iterator[PosedChannel]:
    owner = owner_of(armature, joint)
    properties = [property_of(owner.rotation_mode)]
    if joint in animated.locations or joint == pinned.root or any(owner.location[:]):
        # Blender ignores the location of a connected bone.
        properties += ["location"] if joint == OBJECT_JOINT or not owner.bone.use_connect else []
    if joint in animated.scales or owner.scale[:] != (1.0, 1.0, 1.0):
        properties.append("scale")
    for name in properties:
        values = getattr(owner, name)
        width = 3 if name in ("location", "scale") else width_of(owner.rotation_mode)
        for component in range(width):
            value = np.array([values[component]], np.float64)
            yield _channel(armature, joint, name, component, value, pinned)


def _channel(armature: Object, joint: str, name: str, component: int, values: Array, pinned: Pinned) -> PosedChannel:
    path = name if joint == OBJECT_JOINT else f"{bone_path(joint)}.{name}"
    free = name == "location" and joint == pinned.root and not pinned.place
    return PosedChannel(path, component, joint or OBJECT_GROUP, values, FREE_PLACE if free else "KEYFRAME")


@dataclass(frozen=True, eq=False)
class PinnedPoses:
    """K pinned poses of B bones, in the space of the skeleton's roots.

    frames: `(K,)`. heads, tails: `(K, B, 3)`. pinned: `(K, B)` whether a bone is pinned. parents: `(B,)`, -1 for none.
    hangs: `(B,)` whether a bone has no location keys, and so follows its parent's rotation.
    with_object: whether the space is that of the object's parent.
    """

    frames: Int64
    heads: Array
    tails: Array
    pinned: Mask
    parents: Int64
    hangs: Mask
    with_object: bool


def pinned_poses(armature: Object, pins: Action, playing: tuple[Action, str] | None) -> PinnedPoses:
    """Return the poses of the pins; free channels have the values of the character's action, or their present ones.

    The poses come from keys alone, without constraints. Raises InputError if the action has no slot for an object.
    """
    curves = collect_curves(armature, pins)
    free = collect_curves(armature, *playing) if playing is not None else SlotCurves()
    columns = key_columns(curves)
    with_object = curves.keys_object or free.keys_object
    skeleton = read_bones(armature, with_object)
    layout = make_layout(armature, skeleton, [curves, free])
    pinned_motion = read_channels(layout, curves, columns.times, 1.0)
    motion = _joined(pinned_motion, read_channels(layout, free, columns.times, 1.0), curves, columns)
    matrices, heads = motion.pose()
    bones = [joint for joint, name in enumerate(skeleton.names) if name != OBJECT_JOINT]
    names = [skeleton.names[joint] for joint in bones]
    lengths = np.array([armature.data.bones[name].length for name in names])
    nobody = np.zeros(len(columns.frames), bool)
    return PinnedPoses(
        columns.frames,
        heads[:, bones],
        heads[:, bones] + matrices[:, bones][..., 1] * lengths[:, None],
        np.stack([columns.keyed.get(name, nobody) for name in names], axis=1),
        np.maximum(skeleton.parents[bones] - with_object, -1),
        np.array([name not in curves.transforms.get("location", {}) for name in names], bool),
        with_object,
    )


def _joined(pinned_motion: Motion, free: Motion, curves: SlotCurves, columns: KeyColumns) -> Motion:
    """Return the pinned motion in pinned channels, and the free motion in the others."""
    names = pinned_motion.skeleton.names
    nobody = np.zeros(len(columns.frames), bool)
    located, scaled = (curves.transforms.get(name, {}) for name in ("location", "scale"))
    turned = {joint for name, of in curves.transforms.items() if name.startswith("rotation") for joint in of}

    def chosen(joints: Sequence[str], known: Container[str]) -> Mask:
        masks = [columns.keyed.get(joint, nobody) if joint in known else nobody for joint in joints]
        return np.stack(masks, axis=1)[..., None] if masks else np.zeros((len(nobody), 0, 1), bool)

    return replace(
        pinned_motion,
        rotations=np.where(chosen(names, turned), pinned_motion.rotations, free.rotations),
        translations=np.where(
            chosen([names[joint] for joint in pinned_motion.translated], located),
            pinned_motion.translations,
            free.translations,
        ),
        scales=np.where(
            chosen([names[joint] for joint in pinned_motion.scaled], scaled), pinned_motion.scales, free.scales
        ),
    )
