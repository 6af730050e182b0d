# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of the action that a character plays, on the skeleton and in the channels of its examples."""

from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Action, Object

from ...core import Float64, InputError, Motion, listed
from ...core.motion import on_skeleton
from ..curves import NOTICED, collect_curves, key_values, scalar_value
from ..detached_ends import on_bones
from ..layout import make_layout
from ..rig import OBJECT_JOINT
from .channel_reading import read_channels
from .evaluation import at_frame
from .example_spec import Reading


def read_stretch(armature: Object, reading: Reading, action: Action, slot: str, frames: Float64, rate: float) -> Motion:
    """Return the action at `frames` `(T,)`, ascending, with the joints and channels of the examples in `reading`.

    Channels without keys in the action have the values of the character at the first of these frames, wherever the
    playhead is. Raises InputError if the action moves nothing that the examples move, or if a key is not finite.
    """
    with at_frame(armature, bpy.context.scene, float(frames[0])):
        return _read_stretch(armature, reading, action, slot, frames, rate)


def _read_stretch(
    armature: Object, reading: Reading, action: Action, slot: str, frames: Float64, rate: float
) -> Motion:
    curves = collect_curves(armature, action, slot)
    example = on_bones(reading.motions[0].slice(0, 1), armature)
    if not any(name in joints for joints in curves.transforms.values() for name in example.skeleton.names):
        raise InputError(curves.why_empty(f'Action "{action.name}"'))
    layout = make_layout(armature, example.skeleton, [curves])
    layout = replace(
        layout,
        keyed=replace(layout.keyed, scalars=reading.keyed.scalars),
        translated=example.translated,
        scaled=example.scaled,
        default_scalars=np.array([scalar_value(armature, channel) for channel in reading.keyed.scalars], np.float32),
    )
    motion = read_channels(layout, curves, frames, rate)
    motion.check_values(f'Action "{action.name}"', float(frames[0]))
    return on_skeleton(motion, reading.motions[0].skeleton)


def kept_note(armature: Object, reading: Reading, action: Action, slot: str) -> str:
    """Return a sentence on the joints that the action moves and no example does, whose keys stay; "" without any."""
    keyed = reading.keyed
    animated = {"location": set(keyed.locations), "scale": set(keyed.scales)}
    kept = {
        joint
        for name, joints in collect_curves(armature, action, slot).transforms.items()
        for joint, components in joints.items()
        if joint not in animated.get(name, set(keyed.rotations))
        and any(np.ptp(key_values(curve)[:, 1]) > NOTICED for curve in components.values())
    }
    if OBJECT_JOINT in kept:
        return f'"{armature.name}" itself has keys, unlike in the examples; this motion is unchanged.'
    return f"No example moves {listed(sorted(kept))} in the same channels: their keys are unchanged." if kept else ""
