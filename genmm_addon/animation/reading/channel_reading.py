# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of an action as a motion."""

import numpy as np
from bpy.types import FCurve

from ...core import Float32, Float64, Motion, rotations
from ..channels import ScalarChannel
from ..curves import SlotCurves
from ..layout import ChannelLayout
from ..rotation_modes import mode_of, property_of, to_quaternions, width_of
from ..sampling import CurveSampler

Curves = dict[str, dict[int, FCurve]]


def read_channels(layout: ChannelLayout, curves: SlotCurves, frames: Float64, frames_per_second: float) -> Motion:
    """Return the motion of the curves at `frames` `(T,)`; channels without keys in this example have their defaults."""
    sampler = CurveSampler(frames)
    names = layout.skeleton.names
    return Motion(
        layout.skeleton,
        frames_per_second,
        _rotations(layout, curves, sampler),
        layout.translated,
        _locations(layout, [names[joint] for joint in layout.translated], curves, sampler),
        layout.scaled,
        _vectors(layout, "scale", [names[joint] for joint in layout.scaled], curves, sampler),
        tuple(channel.name for channel in layout.keyed.scalars),
        read_scalars(layout.keyed.scalars, layout.default_scalars, curves, sampler),
    )


def read_scalars(
    channels: tuple[ScalarChannel, ...],
    defaults: Float32,
    curves: SlotCurves,
    sampler: CurveSampler,
) -> Float32:
    """Return the further values `(T, C)`; whole numbers are rounded between keys as in Blender."""
    values = np.repeat(defaults[None], len(sampler.frames), axis=0)
    for column, channel in enumerate(channels):
        curve = curves.scalars.get(channel)
        if curve is not None and channel.is_stepped:
            values[:, column] = np.trunc(sampler.evaluate(curve))
        elif curve is not None:
            values[:, column] = sampler.sample(curve)
    return values


def _rotations(layout: ChannelLayout, curves: SlotCurves, sampler: CurveSampler) -> Float32:
    frames = len(sampler.frames)
    result = np.empty((frames, len(layout.skeleton.names), 4), np.float32)
    result[:] = layout.default_rotations
    for mode in set(layout.keyed.rotations.values()):
        keyed = curves.transforms.get(property_of(mode), {})
        joints = [
            joint
            for joint, name in enumerate(layout.skeleton.names)
            if name in keyed and name not in curves.modes and layout.modes[name] == mode
        ]
        names = [layout.skeleton.names[joint] for joint in joints]
        values = _components(layout.defaults["rotation"], names, width_of(mode), keyed, sampler)
        result[:, joints] = to_quaternions(mode, values)
    for joint, name in enumerate(layout.skeleton.names):
        if name in curves.modes:
            result[:, joint] = _switching(layout, name, curves, sampler)
    return result


def _switching(layout: ChannelLayout, joint: str, curves: SlotCurves, sampler: CurveSampler) -> Float32:
    """Return the rotations `(T, 4)` of a joint, at each frame in the mode that plays there."""
    played = [mode_of(value) for value in sampler.evaluate(curves.modes[joint]).tolist()]
    result = np.empty((len(played), 4), np.float32)
    for mode in dict.fromkeys(played):
        name, rows = property_of(mode), np.array([frame_mode == mode for frame_mode in played])
        values = _components(layout.defaults[name], [joint], width_of(mode), curves.transforms.get(name, {}), sampler)
        result[rows] = to_quaternions(mode, values[rows, 0])
    return result


def _locations(layout: ChannelLayout, joints: list[str], curves: SlotCurves, sampler: CurveSampler) -> Float32:
    """Return the locations in the axes of the rest pose; Blender may store them in the parent's axes."""
    values = _vectors(layout, "location", joints, curves, sampler)
    for column, joint in enumerate(joints):
        if joint in layout.location_axes:
            back = rotations.inverse(layout.location_axes[joint])
            values[:, column] = rotations.rotate(back, values[:, column].astype(np.float64))
    return values


def _vectors(layout: ChannelLayout, name: str, joints: list[str], curves: SlotCurves, sampler: CurveSampler) -> Float32:
    return _components(layout.defaults[name], joints, 3, curves.transforms.get(name, {}), sampler)


def _components(
    defaults: dict[str, Float32], joints: list[str], width: int, keyed: Curves, sampler: CurveSampler
) -> Float32:
    """Return the values `(T, len(joints), width)`: sampled from curves, or constant without a curve."""
    # The array is filled one curve at a time, so frames are its last axis until the end.
    rows = np.empty((len(joints), width, len(sampler.frames)), np.float32)
    for row, joint in zip(rows, joints, strict=True):
        row[:] = defaults[joint][:, None]
        for component, curve in keyed.get(joint, {}).items():
            row[component] = sampler.sample(curve)
    return np.ascontiguousarray(np.moveaxis(rows, -1, 0))
