# SPDX-License-Identifier: GPL-3.0-or-later
"""Density of the examples' keys."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Object, Scene

from ..curves import collect_curves, key_values
from ..reading.example_spec import ExampleSpec, range_of, rate_of
from ..scene_time import scene_rate
from .simplification import Simplification

NEARLY_EVERY_FRAME = 0.9
"""Keys per frame from which on a result has a key on every frame; leaving a few out would not be worth the error."""


def as_dense_as(
    precision: Simplification, armature: Object, specs: Sequence[ExampleSpec], scene: Scene
) -> Simplification | None:
    """Return the precision with the examples' density of keys; None if they have about one key per frame.

    Raises InputError as `keys_per_second` does.
    """
    per_second = keys_per_second(armature, specs, scene)
    density = math.inf if per_second is None else per_second / scene_rate(scene)
    return None if density >= NEARLY_EVERY_FRAME else replace(precision, density=density)


def keys_per_second(armature: Object, specs: Sequence[ExampleSpec], scene: Scene) -> float | None:
    """Return the keys per second of the examples' moving curves, on average over all of them.

    None if this is unknown: clips of a library, and the character's present animation without an action, are sampled.
    Raises InputError if an example has no frames.
    """
    keys, seconds = 0, 0.0
    for spec in specs:
        if spec.action is None:
            return None
        curves = collect_curves(spec.armature or armature, spec.action, spec.slot)
        start, end = range_of(spec, curves, scene)
        for values in (key_values(curve) for curve in curves.all_curves()):
            inside = values[(values[:, 0] >= start) & (values[:, 0] <= end)]
            if len(inside) > 1 and np.ptp(inside[:, 1]) > 0.0:
                # n keys divide the time into n - 1 intervals.
                keys += len(inside) - 1
                seconds += (end - start) / rate_of(spec, scene)
    return keys / seconds if seconds else None
