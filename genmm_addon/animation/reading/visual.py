# SPDX-License-Identifier: GPL-3.0-or-later
"""Visual reading: evaluated poses, whatever causes them, as the bones' own channels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from bpy.types import FCurve, Object, Scene

from ...core import Array, Float32, Float64, Mask, Motion, Skeleton
from ...core.motion import SAME_PLACE, on_skeleton
from ..channels import KeyedChannels
from ..curves import SlotCurves
from ..detached_ends import keyed_with_ends
from ..layout import ChannelLayout, make_layout
from ..rig import OBJECT_JOINT, read_bones, read_skeleton
from ..rotation_modes import property_of, to_quaternions
from .channel_reading import read_channels
from .evaluation import ROUNDING, evaluated_at, evaluated_poses, playing, stage
from .example_spec import ExampleSpec, Reading, rate_of
from .local_poses import LocalPoses, local_poses


@dataclass(frozen=True, eq=False)
class ObjectMotion:
    """The object's channels over T frames: locations and scales `(T, 3)`, rotations `(T, 4)` unit quaternions."""

    locations: Float32
    rotations: Float32
    scales: Float32

    @property
    def moves(self) -> bool:
        """Return whether any channel changes."""
        return any(_changes(values) for values in (self.locations, self.rotations, self.scales))


def evaluated_object(armature: Object, temporary: Scene, frames: Float64) -> ObjectMotion:
    """Return the object's channels at `frames` `(T,)`, evaluated by Blender."""
    locations, turned, scales = [], [], []
    for frame in frames.tolist():
        evaluated = evaluated_at(armature, temporary, frame)
        locations.append(np.array(evaluated.location))
        mode = evaluated.rotation_mode
        turned.append(to_quaternions(mode, np.array(getattr(evaluated, property_of(mode)), np.float32)))
        scales.append(np.array(evaluated.scale))
    return ObjectMotion(np.array(locations, np.float32), np.array(turned, np.float32), np.array(scales, np.float32))


def keying_object(layout: ChannelLayout, scaled: bool) -> ChannelLayout:
    """Return the layout with the object's channels among the keyed ones; its skeleton begins with the object."""
    keyed = layout.keyed
    rotations = {OBJECT_JOINT: layout.modes[OBJECT_JOINT], **keyed.rotations}
    locations = tuple(dict.fromkeys((OBJECT_JOINT, *keyed.locations)))
    scales = tuple(dict.fromkeys((OBJECT_JOINT, *keyed.scales))) if scaled else keyed.scales
    return replace(
        layout,
        keyed=replace(keyed, rotations=MappingProxyType(rotations), locations=locations, scales=scales),
        translated=np.union1d([0], layout.translated).astype(np.int64),
        scaled=np.union1d([0], layout.scaled).astype(np.int64) if scaled else layout.scaled,
    )


def scales_object(motion: ObjectMotion) -> bool:
    """Return whether the object's scale changes."""
    return _changes(motion.scales)


def with_object_motion(motion: Motion, moved: ObjectMotion) -> Motion:
    """Return the motion, whose joint 0 is the object, with the object's channels replaced."""
    channels = {name: values.copy() for name, values in motion.channels().items()}
    channels["rotations"][:, 0] = moved.rotations
    for name, joints, values in (
        ("translations", motion.translated, moved.locations),
        ("scales", motion.scaled, moved.scales),
    ):
        if 0 in joints:
            channels[name][:, joints.tolist().index(0)] = values
    return motion.with_channels(channels)


def _changes(values: Float32) -> bool:
    return bool(np.ptp(values, axis=0).max(initial=0.0) > ROUNDING)


def read_visual(
    armature: Object,
    specs: Sequence[ExampleSpec],
    examples: Sequence[SlotCurves],
    frames: Sequence[Float64],
    scene: Scene,
) -> Reading:
    """Return the evaluated poses of `examples` at their `frames`, on one skeleton, with the object's motion from keys.

    The effect of the bones' constraints is part of the result, so mute them where it plays. Notes list poses that
    channels cannot represent, with the size of the error.
    """
    bones = read_bones(armature)
    outside = [_outside_of_bones(curves) for curves in examples]
    poses, moved = _poses(armature, bones, specs, [curves.modes for curves in examples], frames, scene)
    by_others = [motion for motion in moved if motion is not None and motion.moves]
    with_object = bool(by_others) or any(curves.keys_object for curves in outside)
    layout = make_layout(armature, read_bones(armature, with_object), outside)
    skeleton = read_skeleton(armature, with_object)
    if by_others:
        layout = keying_object(layout, any(map(scales_object, by_others)))
    locals_ = [local_poses(armature, bones, pose) for pose in poses]
    locations, scales = _visible(armature, bones, locals_)
    keyed = keyed_with_ends(_keyed(layout, bones, locations, scales), skeleton, armature)
    motions = []
    for spec, curves, at, local, object_motion in zip(specs, outside, frames, locals_, moved, strict=True):
        around = read_channels(layout, curves, at, rate_of(spec, scene))
        if by_others and object_motion is not None:
            around = with_object_motion(around, object_motion)
        motions.append(on_skeleton(_with_bones(around, layout.skeleton, local, locations, scales), skeleton))
    notes = [note for curves in examples for note in curves.notes]
    notes += _inexact(armature, bones, locals_)
    return Reading(tuple(motions), keyed, True, tuple(dict.fromkeys(notes)))


def _outside_of_bones(curves: SlotCurves) -> SlotCurves:
    """Return the curves of the object and the further values, without those of constraints, which will be muted."""
    transforms = {
        name: {OBJECT_JOINT: joints[OBJECT_JOINT]}
        for name, joints in curves.transforms.items()
        if OBJECT_JOINT in joints
    }
    scalars = {
        channel: curve
        for channel, curve in curves.scalars.items()
        if not (channel.group and ".constraints[" in channel.data_path)
    }
    return SlotCurves(transforms, scalars, modes=curves.modes)


def _poses(
    armature: Object,
    bones: Skeleton,
    specs: Sequence[ExampleSpec],
    modes: Sequence[Mapping[str, FCurve]],
    frames: Sequence[Float64],
    scene: Scene,
) -> tuple[list[Float32], list[ObjectMotion | None]]:
    """Return the bones' poses in each example, and the object's motion for examples without an action.

    modes: the curves of rotation modes in each example. Setting a mode converts the values that were just evaluated,
    so that only the second evaluation of a frame is what its keys say.
    """
    order = [armature.pose.bones.find(name) for name in bones.names]
    poses: list[Float32] = []
    moved: list[ObjectMotion | None] = []
    with stage(armature, scene) as temporary:
        for spec, switched, at in zip(specs, modes, frames, strict=True):
            times = 2 if switched else 1
            with playing(armature, spec.action, spec.slot):
                poses.append(evaluated_poses(armature, temporary, np.repeat(at, times))[times - 1 :: times, order])
                moved.append(evaluated_object(armature, temporary, at) if spec.action is None else None)
    return poses, moved


def _visible(armature: Object, bones: Skeleton, locals_: Sequence[LocalPoses]) -> tuple[Mask, Mask]:
    """Return which bones move and which are scaled, in any example or by hand; a connected bone never moves."""
    pose = armature.pose.bones
    moved = np.array([np.any(np.array(pose[name].location) != 0) for name in bones.names])
    scaled = np.array([np.any(np.array(pose[name].scale) != 1) for name in bones.names])
    for local in locals_:
        # Values that are not finite count as moved, so that they are reported.
        moved |= ~(np.abs(local.translations).max(axis=(0, 2)) <= ROUNDING * bones.size)
        scaled |= ~(np.abs(local.scales - 1).max(axis=(0, 2)) <= ROUNDING)
    return moved & ~_connected(armature, bones), scaled


def _connected(armature: Object, bones: Skeleton) -> Mask:
    return np.array([armature.data.bones[name].use_connect for name in bones.names])


def _keyed(layout: ChannelLayout, bones: Skeleton, locations: Mask, scales: Mask) -> KeyedChannels:
    around = layout.keyed
    return KeyedChannels(
        MappingProxyType({**around.rotations, **{name: layout.modes[name] for name in bones.names}}),
        around.locations + tuple(np.array(bones.names)[locations].tolist()),
        around.scales + tuple(np.array(bones.names)[scales].tolist()),
        around.scalars,
        around.switched,
    )


def _with_bones(
    around: Motion,
    skeleton: Skeleton,
    local: LocalPoses,
    locations: Mask,
    scales: Mask,
) -> Motion:
    """Return the motion `around` with the bones' evaluated channels."""
    first = len(skeleton.names) - len(locations)  # 1 if the object is joint 0
    turned = around.rotations.copy()
    turned[:, first:] = local.rotations
    object_moves, object_scales = around.translated < first, around.scaled < first
    return Motion(
        skeleton,
        around.frames_per_second,
        turned,
        np.concatenate((around.translated[object_moves], np.flatnonzero(locations) + first)).astype(np.int64),
        np.concatenate((around.translations[:, object_moves], local.translations[:, locations]), 1, dtype=np.float32),
        np.concatenate((around.scaled[object_scales], np.flatnonzero(scales) + first)).astype(np.int64),
        np.concatenate((around.scales[:, object_scales], local.scales[:, scales]), 1, dtype=np.float32),
        around.scalar_names,
        around.scalars,
    )


def _inexact(armature: Object, bones: Skeleton, locals_: Sequence[LocalPoses]) -> list[str]:
    """Return sentences on poses that location, rotation and scale cannot represent."""
    shear = np.max([local.shear for local in locals_], axis=0)
    moves = [np.linalg.norm(local.translations, axis=-1).max(axis=0) for local in locals_]
    lost = np.where(_connected(armature, bones), np.max(moves, axis=0) / bones.size, 0.0)
    notes = []
    if shear.max() > SAME_PLACE:
        notes.append(
            f"{_worst(bones, shear)} sheared, which keys cannot represent: "
            f"off by up to {shear.max():.1%} of a bone's length."
        )
    if lost.max() > SAME_PLACE:
        notes.append(
            f"{_worst(bones, lost)} connected, yet moved off the parent, which keys cannot represent: "
            f"off by up to {lost.max():.1%} of the character's size."
        )
    return notes


def _worst(bones: Skeleton, errors: Array) -> str:
    """Return the bone with the largest error and the number of others with one, as the beginning of a sentence."""
    others = int(np.sum(errors > SAME_PLACE)) - 1
    name = f'Bone "{bones.names[int(np.argmax(errors))]}"'
    return f"{name} and {others} more are" if others else f"{name} is"
