# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of a motion as a new action, and of single keys into an existing action."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Literal

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from ..core import Array, Float32, InputError, Int64, Mask, Motion, rotations
from ..core.keys import Curves, Keys
from ..core.motion import on_skeleton
from . import actions
from .channels import KeyedChannels, ScalarChannel
from .curves import SlotCurves, key_values, nearest_frames
from .detached_ends import on_bones
from .keys.footing import NO_FOOTING, KeyedFooting, footing_for
from .keys.key_writing import KeyWriter, handles_unsmoothed
from .keys.simplification import Simplification, rotation_bound, scalar_bound, simplified
from .keys.thinning import frames_of_change, frames_to_keep
from .rig import OBJECT_JOINT, bone_path, location_axes
from .rotation_modes import AXIS_ANGLE, NUMBERS, QUATERNION, from_quaternions, property_of, to_quaternions
from .sampling import CONSTANT, LINEAR
from .stretches.checks import check_curves, check_new_curves
from .stretches.editing import edited_in_place

OBJECT_GROUP = "Object Transforms"
KeyType = Literal["KEYFRAME", "JITTER"]


@dataclass(frozen=True)
class Written:
    """A new action that is not assigned yet, and its slot's identifier ("" without slots)."""

    action: Action
    slot: str


@dataclass(frozen=True, eq=False)
class Channel:
    """Curves that are keyed together: values `(T, W)` of the components first to first + W - 1.

    tolerance: largest error of each component between straight lines. bound: largest error of all components, as a
    length, with smooth curves. mode: the rotation mode of a rotation.
    """

    data_path: str
    group: str
    values: Array
    tolerance: float
    bound: float
    first: int = 0
    interpolation: int = LINEAR
    mode: str = ""


def write_action(
    motion: Motion,
    keyed: KeyedChannels,
    armature: Object,
    *,
    name: str,
    frame_start: float = 1.0,
    tolerance: float = 0.0,
    simplification: Simplification | None = None,
    cyclic: bool = False,
) -> Written:
    """Write a motion at the scene's rate, with one key per frame from `frame_start` on, as a new action for `armature`.

    tolerance: keys are left out as long as straight lines between the others keep every bone's own rotation within
    `tolerance` radians, its location within `tolerance` times the skeleton's size, its scale within `tolerance` and
    further values within `tolerance` times their range; 0 keeps all keys. simplification: few keys with smooth curves
    between them, instead. cyclic: mark the action as cyclic, and repeat its curves beyond their ends.
    Raises InputError if a channel's bone is not in the armature.
    """
    angle, share = (simplification.angle, simplification.share) if simplification else (tolerance, tolerance)
    channels = list(channels_of(motion, keyed, armature, angle, share))
    action, slot = actions.new_action(name, armature)
    try:
        factory = actions.curve_factory(action, slot)
        if simplification is None:
            _write(channels, factory, motion.frames, frame_start, tolerance)
        else:
            # The keys with the last footing tried are those to write.
            keys_with = lru_cache(1)(partial(_few_keys, channels, simplification))
            footing = _footing(motion, channels, armature, simplification, keys_with)
            _write_simplified(channels, factory, frame_start, keys_with(footing))
        for joint in keyed.switched:
            _key_mode(factory, joint, keyed.rotations[joint], frame_start)
        if cyclic:
            action.use_frame_range = True
            action.frame_start, action.frame_end = frame_start, frame_start + motion.frames - 1
            action.use_cyclic = True
            actions.repeat_forever(action, slot)
    except BaseException:
        bpy.data.actions.remove(action)
        raise
    return Written(action, slot)


def _key_mode(factory: actions.CurveFactory, joint: str, mode: str, frame: float) -> None:
    """Key the rotation mode of a joint, which another action may have left in another mode."""
    path = "rotation_mode" if joint == OBJECT_JOINT else f"{bone_path(joint)}.rotation_mode"
    curve = factory.new(path, 0, OBJECT_GROUP if joint == OBJECT_JOINT else joint)
    curve.keyframe_points.add(1)
    curve.keyframe_points[0].co = frame, NUMBERS[mode]
    curve.keyframe_points[0].interpolation = "CONSTANT"
    curve.update()


def write_scalars(
    scalars: Sequence[ScalarChannel],
    values: Float32,
    factory: actions.CurveFactory,
    frame_start: float,
    tolerance: float = 0.0,
    simplification: Simplification | None = None,
) -> None:
    """Write values `(T, C)` of further channels into a slot without curves.

    tolerance, simplification: as in `write_action`.
    """
    channels = list(_scalars(scalars, values, simplification.share if simplification else tolerance))
    if simplification is None:
        _write(channels, factory, len(values), frame_start, tolerance)
    else:
        _write_simplified(channels, factory, frame_start, _few_keys(channels, simplification, NO_FOOTING))


def rewrite_joints(
    motion: Motion, keyed: KeyedChannels, armature: Object, action: Action, slot: str, frame_start: float
) -> None:
    """Replace all keys of some channels of an action by keys on every frame from `frame_start` on.

    Where curves were cyclic, new ones are too. Raises InputError, with nothing changed, if keys would not play.
    """
    channels = list(channels_of(motion, keyed, armature, 0.0, 0.0))
    paths = {channel.data_path for channel in channels}
    replaced = [curve for curve in actions.fcurves_of(action, slot) if curve.data_path in paths]
    check_curves(armature, replaced, may_repeat=True)
    cleared = {(curve.data_path, curve.array_index): curve for curve in replaced}
    components = {(channel.data_path, index) for channel in channels for index in range(channel.values.shape[1])}
    check_new_curves(armature, action, sorted(components - set(cleared)), covers=True)
    repeats = any(actions.is_cyclic(curve) for curve in replaced)
    with edited_in_place(action, slot):
        for curve in replaced:
            curve.keyframe_points.clear()
        _write(channels, actions.curve_factory(action, slot), motion.frames, frame_start, 0.0, cleared)
        if repeats:
            actions.repeat_forever(action, slot, paths)


def channels_of(
    motion: Motion, keyed: KeyedChannels, armature: Object, angle: float, share: float
) -> Iterator[Channel]:
    """Yield all channels; angle: largest error of rotations; share: of the skeleton's size, or of a value's range."""
    motion = on_bones(motion, armature)
    index = {joint: number for number, joint in enumerate(motion.skeleton.names)}
    paths = {joint: _path(armature, joint) for joint in (*keyed.rotations, *keyed.locations, *keyed.scales)}
    yield from _rotations(motion, keyed, paths, index, angle)
    size = motion.skeleton.size
    for names, which, joints, values, tolerance, bound in (
        (
            keyed.locations,
            "location",
            motion.translated,
            motion.translations,
            share * size / np.sqrt(3),
            share * size or share,
        ),
        (keyed.scales, "scale", motion.scaled, motion.scales, share, share),
    ):
        columns = {int(joint): column for column, joint in enumerate(joints)}
        axes = location_axes(armature, names) if which == "location" else {}
        for joint in names:
            values_of_joint = values[:, columns[index[joint]]]
            if joint in axes:
                values_of_joint = rotations.rotate(axes[joint], values_of_joint.astype(np.float64)).astype(np.float32)
            yield Channel(paths[joint] + which, joint or OBJECT_GROUP, values_of_joint, tolerance, bound)
    yield from _scalars(keyed.scalars, motion.scalars, share)


def _scalars(scalars: Sequence[ScalarChannel], table: Float32, share: float) -> Iterator[Channel]:
    for column, scalar in enumerate(scalars):
        values = table[:, column : column + 1]
        if scalar.is_stepped:
            yield Channel(scalar.data_path, scalar.group, np.round(values), 0.0, 0.0, scalar.index, CONSTANT)
        else:
            spread = float(np.ptp(values)) if len(values) else 0.0
            bound = scalar_bound(values, share)
            yield Channel(scalar.data_path, scalar.group, values, share * spread, bound, scalar.index)


def _rotations(
    motion: Motion, keyed: KeyedChannels, paths: dict[str, str], index: dict[str, int], angle: float
) -> Iterator[Channel]:
    for mode in sorted(set(keyed.rotations.values())):
        joints = [joint for joint, joint_mode in keyed.rotations.items() if joint_mode == mode]
        values = from_quaternions(mode, motion.rotations[:, [index[joint] for joint in joints]])
        # Factors by which the components' errors may add up in the angle of the rotation.
        tolerance = angle / {QUATERNION: 4.0, AXIS_ANGLE: 5.0}.get(mode, 3.0)
        bound = rotation_bound(mode, angle)
        for column, joint in enumerate(joints):
            path = paths[joint] + property_of(mode)
            yield Channel(path, joint or OBJECT_GROUP, values[:, column], tolerance, bound, mode=mode)


def _path(armature: Object, joint: str) -> str:
    """Return the beginning of a joint's data paths."""
    if joint == OBJECT_JOINT:
        return ""
    if joint not in armature.pose.bones:
        raise InputError(f'Armature "{armature.name}" has no bone "{joint}"; write to the character that was read.')
    return bone_path(joint) + "."


def _write(
    channels: list[Channel],
    factory: actions.CurveFactory,
    frames: int,
    frame_start: float,
    tolerance: float,
    cleared: Mapping[tuple[str, int], FCurve] = MappingProxyType({}),
) -> None:
    """Write channels as curves; there: curves without keys, by path and index, that are used."""
    times = frame_start + np.arange(frames)
    keep = _kept(channels, frames) if tolerance > 0 else None
    curves = [
        [
            cleared.get((channel.data_path, index)) or factory.new(channel.data_path, index, channel.group)
            for index in range(channel.first, channel.first + channel.values.shape[1])
        ]
        for channel in channels
    ]
    writer = KeyWriter()
    with handles_unsmoothed(factory.fcurves):
        for number, (channel, components) in enumerate(zip(channels, curves, strict=True)):
            kept = slice(None) if keep is None else keep[number]
            for component, curve in enumerate(components):
                writer.write(curve, times[kept], channel.values[kept, component], channel.interpolation)


def _footing(
    motion: Motion,
    channels: list[Channel],
    armature: Object,
    precision: Simplification,
    keys_with: Callable[[KeyedFooting], list[Keys]],
) -> KeyedFooting:
    """Return the demands of a motion's feet on the keys of its channels; keys_with: returns the keys with a footing."""
    own, skeleton = on_bones(motion, armature), motion.skeleton
    names = own.skeleton.names
    known = {OBJECT_JOINT, *armature.pose.bones.keys()}
    paths = {_path(armature, name): joint for joint, name in enumerate(names) if name in known}
    axes = location_axes(armature, names)

    def moving(feet: list[str]) -> set[str]:
        return {skeleton.names[joint] for foot in feet for joint in skeleton.chain(skeleton.names.index(foot))}

    def shown(footing: KeyedFooting) -> Motion:
        turned, moved = own.rotations.copy(), own.translations.copy()
        smooth = [channel for channel in channels if channel.interpolation == LINEAR]
        for channel, keys in zip(smooth, keys_with(footing), strict=True):
            beginning, _, name = channel.data_path.rpartition(".")
            joint = paths.get(beginning and f"{beginning}.", -1)
            values = keys.at_frames(motion.frames)
            if joint >= 0 and channel.mode:
                turned[:, joint] = to_quaternions(channel.mode, values)
            elif joint >= 0 and name == "location":
                back = rotations.inverse(axes[names[joint]]) if names[joint] in axes else None
                column = int(np.searchsorted(own.translated, joint))
                moved[:, column] = values if back is None else rotations.rotate(back, values)
        return on_skeleton(replace(own, rotations=rotations.normalize(turned), translations=moved), skeleton)

    return footing_for(motion, np.arange(motion.frames, dtype=np.float64), precision, moving, shown)


def _few_keys(channels: Sequence[Channel], precision: Simplification, footing: KeyedFooting) -> list[Keys]:
    """Return the keys of the channels that are not stepped."""
    smooth = [channel for channel in channels if channel.interpolation == LINEAR]
    curves = [Curves(channel.values, channel.bound * footing.factor(channel.data_path)) for channel in smooth]
    frames = np.arange(len(curves[0].values) if curves else 0, dtype=np.float64)
    return simplified(curves, precision, footing.required(frames), footing.shortest_still)


def _write_simplified(
    channels: list[Channel], factory: actions.CurveFactory, frame_start: float, few_keys: Sequence[Keys]
) -> None:
    """Write channels; few_keys: of those that are not stepped."""
    keys, writer = iter(few_keys), KeyWriter()
    for channel in channels:
        stepped = channel.interpolation == CONSTANT
        kept = np.flatnonzero(frames_of_change(channel.values[:, 0])) if stepped else None
        fitted = None if stepped else next(keys)
        for component in range(channel.values.shape[1]):
            curve = factory.new(channel.data_path, channel.first + component, channel.group)
            if fitted is not None:
                writer.write_bezier(curve, frame_start + fitted.frames, fitted, component)
            elif kept is not None:
                writer.write(curve, frame_start + kept, channel.values[kept, component], CONSTANT)


def _kept(channels: list[Channel], frames: int) -> list[Mask]:
    """Return, for each channel, the frames that are keyed."""
    linear = [number for number, channel in enumerate(channels) if channel.interpolation == LINEAR]
    keep = [np.ones(frames, bool)] * len(channels)
    if linear:
        widths = [channels[number].values.shape[1] for number in linear]
        values = np.ascontiguousarray(np.concatenate([channels[number].values for number in linear], axis=1))
        bounds = np.repeat([channels[number].tolerance for number in linear], widths)
        chosen = frames_to_keep(values, bounds, np.repeat(np.arange(len(linear)), widths))
        for column, number in enumerate(linear):
            keep[number] = chosen[:, column]
    for number, channel in enumerate(channels):
        if channel.interpolation == CONSTANT:
            keep[number] = frames_of_change(channel.values[:, 0])
    return keep


@dataclass(frozen=True, eq=False)
class PosedChannel:
    """The keys of one F-curve at K frames: values `(K,)`, and their type."""

    data_path: str
    index: int
    group: str
    values: Array
    kind: KeyType = "KEYFRAME"


def put_keys(action: Action, slot: str, frames: Int64, channels: Sequence[PosedChannel]) -> None:
    """Key the channels at `frames` `(K,)` in place of the keys nearest to these frames; other keys are unchanged."""
    known = {(curve.data_path, curve.array_index): curve for curve in actions.fcurves_of(action, slot)}
    with edited_in_place(action, slot):
        factory = actions.curve_factory(action, slot)
        for channel in channels:
            curve = known.get((channel.data_path, channel.index))
            if curve is None:
                curve = factory.new(channel.data_path, channel.index, channel.group)
            _remove_near(curve, set(frames.tolist()))
            for frame, value in zip(frames.tolist(), channel.values.tolist(), strict=True):
                point = curve.keyframe_points.insert(frame, value, options={"FAST"}, keyframe_type=channel.kind)
                point.interpolation = "BEZIER"
            curve.update()


def remove_keys(action: Action, slot: str, curves: SlotCurves, frames: Container[int], joints: Container[str]) -> int:
    """Remove the keys of `joints` nearest to `frames`, and curves that become empty; return the number of keys."""
    removed, emptied = 0, []
    for of_joints in curves.transforms.values():
        for joint, components in of_joints.items():
            for curve in components.values() if joint in joints else ():
                removed += _remove_near(curve, frames)
                curve.update()
                if not len(curve.keyframe_points):
                    emptied.append(curve)
    factory = actions.curve_factory(action, slot)
    for curve in emptied:
        factory.fcurves.remove(curve)
    return removed


def set_key_type(curves: SlotCurves, joint: str, name: str, frame: int, kind: KeyType) -> int:
    """Set the type of a joint's keys of one property nearest to `frame`, and return their number."""
    changed = 0
    for curve in curves.transforms.get(name, {}).get(joint, {}).values():
        for number in np.flatnonzero(nearest_frames(key_values(curve)[:, 0]) == frame).tolist():
            curve.keyframe_points[number].type = kind
            changed += 1
        curve.update()
    return changed


def _remove_near(curve: FCurve, frames: Container[int]) -> int:
    near = [number for number, frame in enumerate(nearest_frames(key_values(curve)[:, 0]).tolist()) if frame in frames]
    for number in reversed(near):
        curve.keyframe_points.remove(curve.keyframe_points[number], fast=True)
    return len(near)
