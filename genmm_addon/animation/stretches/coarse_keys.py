# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduction of an action to few keys: all transforms keyed at the same frames, with their values there."""

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float64, rotations
from ..actions import fcurves_of
from ..curves import collect_curves
from ..keys.key_writing import AUTO_CLAMPED, KEYFRAME
from ..rotation_modes import QUATERNION
from ..sampling import BEZIER, CONSTANT, CurveSampler
from .checks import check_curves
from .key_tables import new_keys, read_keys, write_keys


def keep_keys_at(armature: Object, action: Action, slot: str, frames: Float64) -> None:
    """Key all transforms of an action at `frames` `(K,)`, ascending, and nowhere else; other curves are unchanged.

    Raises InputError, with nothing changed, for curves that are locked, muted or driven, or have modifiers.
    """
    transforms = collect_curves(armature, action, slot).transforms
    groups = [(name, curves) for name, joints in transforms.items() for curves in joints.values()]
    # Muted curves beside playing ones are checked too, since the full motion could not be written into them.
    paths = {curve.data_path for _, curves in groups for curve in curves.values()}
    check_curves(armature, [curve for curve in fcurves_of(action, slot) if curve.data_path in paths])
    sampler = CurveSampler(frames)
    for name, curves in groups:
        values = {index: sampler.sample(curve).astype(np.float64) for index, curve in curves.items()}
        if name == f"rotation_{QUATERNION.lower()}" and len(values) == 4:
            # Between quaternion keys of opposite signs, the rotation would take the long way.
            together = rotations.make_continuous(np.stack([values[index] for index in sorted(values)], axis=1))
            values = {index: np.asarray(together[:, place], np.float64) for place, index in enumerate(sorted(values))}
        for index, curve in curves.items():
            _key(curve, frames, values[index])


def _key(curve: FCurve, frames: Float64, values: Float64) -> None:
    stepped = bool(np.all(read_keys(curve).marks["interpolation"] == CONSTANT))
    marks = {"interpolation": CONSTANT if stepped else BEZIER, "type": KEYFRAME}
    table = new_keys(frames, values, handle_left_type=AUTO_CLAMPED, handle_right_type=AUTO_CLAMPED, **marks)
    write_keys(curve, table)
