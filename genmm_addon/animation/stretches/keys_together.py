# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of actions used as a whole: their keys must not be far apart, or nearly all frames are empty."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Action, Object

from ...core import Float64, InputError
from ..curves import collect_curves
from ..reading.evaluation import LAST_FRAME
from ..reading.example_spec import ExampleSpec
from ..stray_keys import stray_keys
from .key_times import key_times


def times_together(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames `(K,)`, ascending, at which the character's bones or its object have keys.

    Raises InputError if some keys are far from all others, since computing all frames between would take minutes.
    """
    times = key_times(armature, action, slot)
    if not len(times):
        return times
    far = float(times[np.abs(times).argmax()])
    if abs(far) > LAST_FRAME:
        raise InputError(
            f'Action "{action.name}" has a key {"before" if far < 0 else "beyond"} all frames that Blender can play, '
            f"{-LAST_FRAME:,} to {LAST_FRAME:,}; delete it."
        )
    stray = stray_keys(collect_curves(armature, action, slot), float(times[0]), float(times[-1]))
    if stray is not None:
        raise InputError(f'Action "{action.name}" has {stray.where}; delete the keys that lie far from all others.')
    return times


def times_of_motion(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames of `times_together`. Raises InputError as it does, and where fewer than two have keys."""
    times = times_together(armature, action, slot)
    if len(times) < 2:
        raise InputError(f'Action "{action.name}" has no motion for this character; choose another action.')
    return times


def range_of_keys(armature: Object, action: Action, slot: str = "") -> tuple[float, float]:
    """Return the first and the last whole frame of `times_of_motion`. Raises InputError as it does."""
    times = times_of_motion(armature, action, slot)
    return float(np.ceil(times[0] - 1e-3)), float(np.floor(times[-1] + 1e-3))


def check_examples_together(armature: Object, specs: Iterable[ExampleSpec]) -> None:
    """Raise InputError if an example that is used as a whole has keys far from all its others."""
    for spec in specs:
        if spec.action is not None and spec.armature is None and spec.frame_start is None and spec.frame_end is None:
            times_together(armature, spec.action, spec.slot)
