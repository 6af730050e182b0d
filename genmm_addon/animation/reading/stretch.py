# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of the action that a character plays, on the skeleton and in the channels of its examples."""

from dataclasses import replace

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ...core import InputError, Motion
from ..curves import collect_curves, scalar_value
from ..layout import make_layout
from .channel_reading import read_channels
from .example_spec import Reading


def read_stretch(
    armature: Object, reading: Reading, action: Action, slot: str, frames: NDArray[np.float64], rate: float
) -> Motion:
    """Return the action at `frames` `(T,)`, ascending, with the joints and channels of the examples in `reading`.

    What the action does not key has the value that it has now. Raises InputError where the action moves nothing that
    the examples move, and where a key is no finite number.
    """
    curves = collect_curves(armature, action, slot)
    example = reading.motions[0]
    if not any(name in joints for joints in curves.transforms.values() for name in example.skeleton.names):
        raise InputError(f'Action "{action.name}" has no keys for this character; choose another action.')
    layout = make_layout(armature, example.skeleton, [curves])
    layout = replace(
        layout,
        keyed=replace(layout.keyed, scalars=reading.keyed.scalars),
        translated=example.translated,
        scaled=example.scaled,
        default_scalars=np.array([scalar_value(armature, channel) for channel in reading.keyed.scalars], np.float32),
    )
    motion = read_channels(layout, curves, frames, rate)
    motion.check_finite(f'Action "{action.name}"')
    return motion
