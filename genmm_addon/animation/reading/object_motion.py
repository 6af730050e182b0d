# SPDX-License-Identifier: GPL-3.0-or-later
"""The object's evaluated motion for animation without an action, by NLA and drivers."""

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from bpy.types import Object, Scene

from ...core import Float32, Float64, Motion
from ..layout import ChannelLayout
from ..rig import OBJECT_JOINT
from ..rotation_modes import property_of, to_quaternions
from .evaluation import ROUNDING, evaluated_at


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
