# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of an existing action whose keys can become fewer: their values at every frame, and their jumps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float64, InputError
from ...core.keys import Curves, Keys
from ..actions import fcurves_of, is_modified, slot_for
from ..curves import key_values
from ..rig import read_skeleton
from ..rotation_modes import AXIS_ANGLE, QUATERNION
from ..sampling import CONSTANT, CurveSampler
from ..stray_keys import LONGEST
from .footing import KeyedFooting
from .key_writing import KEYFRAME, KeyWriter
from .simplification import Simplification, rotation_bound, scalar_bound, simplified

MODES = {"rotation_quaternion": QUATERNION, "rotation_axis_angle": AXIS_ANGLE}


@dataclass(frozen=True, eq=False)
class Group:
    """The curves of one property, and their values at every frame."""

    curves: list[FCurve]
    sampled: Curves

    def with_footing(self, footing: KeyedFooting) -> Curves:
        """Return the values, with the largest error that the feet allow."""
        return Curves(self.sampled.values, self.sampled.bound * footing.factor(self.curves[0].data_path))


def pose_frames(armature: Object, action: Action, simplification: Simplification, slot: str = "") -> Float64:
    """Return the frames `(K,)` of the most important poses: those of shared keys within the precision.

    Raises InputError as `simplify_whole` does.
    """
    every = fcurves_of(action, slot or slot_for(armature, action))
    moving = [curve for curve in every if not curve.is_empty and has_own_keys(curve)]
    curves = [curve for curve in moving if not len(jumps_of(curve))] or moving
    if not curves:
        raise InputError(f'Action "{action.name}" has no curves that move; choose another action.')
    frames = frames_of(action, curves)
    groups = groups_of(curves, frames, read_skeleton(armature).size, simplification)
    keys = simplified([group.sampled for group in groups], simplification)
    return np.asarray(frames[max((group_keys.frames for group_keys in keys), key=len)])


def has_own_keys(curve: FCurve) -> bool:
    """Return whether a curve plays two keys or more, unlocked, and as its keys say; beyond its ends it may cycle."""
    return not (curve.lock or is_modified(curve, may_repeat=True) or len(curve.keyframe_points) < 2)


def jumps_of(curve: FCurve) -> Float64:
    """Return the frames `(K, 2)` of neighboring keys between which a curve holds its value, and then jumps.

    A hold between equal values and constant interpolation after the last key are not jumps.
    """
    keys, kinds = key_values(curve), np.empty(len(curve.keyframe_points), np.uint8)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    rows = np.flatnonzero((kinds[:-1] == CONSTANT) & (keys[1:, 1] != keys[:-1, 1]))
    return np.stack((keys[rows, 0], keys[rows + 1, 0]), axis=1).astype(np.float64)


def frames_of(action: Action, curves: Sequence[FCurve]) -> Float64:
    """Return the frames `(T,)` from the first to the last key. Raises InputError if there are too many."""
    check_finite(action, curves)
    times = [key_values(curve)[:, 0] for curve in curves]
    first = math.floor(min(curve_times.min() for curve_times in times))
    last = math.ceil(max(curve_times.max() for curve_times in times))
    if last - first >= LONGEST:
        raise InputError(
            f'Action "{action.name}" has keys from frame {first:,} to {last:,}, more than {LONGEST:,} frames; '
            "delete stray keys, or split it."
        )
    return np.arange(first, last + 1, dtype=np.float64)


def check_finite(action: Action, curves: Sequence[FCurve]) -> None:
    """Raise InputError for a key whose value is not a number."""
    if not all(np.isfinite(key_values(curve)).all() for curve in curves):
        raise InputError(f'Action "{action.name}" has a key whose value is not a number; delete it first.')


def groups_of(
    curves: Sequence[FCurve],
    frames: Float64,
    size: float,
    simplification: Simplification,
) -> list[Group]:
    """Return the curves grouped by property, with their values at frames `(T,)`; size: of the character."""
    by_path: dict[str, list[FCurve]] = {}
    for curve in curves:
        by_path.setdefault(curve.data_path, []).append(curve)
    sampler = CurveSampler(frames)
    groups = []
    for path, components in by_path.items():
        values = np.stack([sampler.sample(curve).copy() for curve in components], axis=1).astype(np.float64)
        groups.append(Group(components, Curves(values, _bound(path, values, size, simplification))))
    return groups


def _bound(path: str, values: Float64, size: float, simplification: Simplification) -> float:
    name = path.rpartition(".")[2]
    if name in MODES or name == "rotation_euler":
        bound = rotation_bound(MODES.get(name, ""), simplification.angle)
        # Blender normalizes quaternions, so the same error in the keys of a shorter one is a larger angle.
        shortest = float(np.linalg.norm(values, axis=1).min()) if name == "rotation_quaternion" else 1.0
        return bound * min(shortest or 1.0, 1.0)
    if name == "location":
        return simplification.share * size or simplification.share
    return simplification.share if name == "scale" else scalar_bound(values, simplification.share)


def write_whole(curves: Sequence[Sequence[FCurve]], keys: Sequence[Keys], first_frame: float) -> None:
    """Replace all keys of curves, grouped by property, by new ones, which count their frames from `first_frame`."""
    writer = KeyWriter(KEYFRAME)
    for group, group_keys in zip(curves, keys, strict=True):
        for column, curve in enumerate(group):
            curve.keyframe_points.clear()
            writer.write_bezier(curve, first_frame + group_keys.frames, group_keys, column)
