# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of the keys of an existing action by fewer keys with smooth curves between them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ...core import InputError
from ...core.keys import Curves, Keys
from ..actions import fcurves_of, slot_for
from ..curves import key_values
from ..rig import read_skeleton
from ..rotation_modes import AXIS_ANGLE, QUATERNION
from ..sampling import CONSTANT, CurveSampler
from ..stray_keys import LONGEST
from ..stretches.linked import check_local
from .footing import NO_FOOTING, KeyedFooting, footed_keys
from .key_writing import KEYFRAME, KeyWriter
from .simplification import Simplification, rotation_bound, scalar_bound, simplified

MODES = {"rotation_quaternion": QUATERNION, "rotation_axis_angle": AXIS_ANGLE}


@dataclass(frozen=True)
class KeyCounts:
    """The numbers of an action's keys before and after simplification, and of the curves that were left unchanged."""

    before: int
    after: int
    left_out: int


@dataclass(frozen=True, eq=False)
class Group:
    """The curves of one property, and their values at every frame."""

    curves: list[FCurve]
    sampled: Curves


def simplify_action(
    armature: Object, action: Action, simplification: Simplification, slot: str = "", footing: KeyedFooting = NO_FOOTING
) -> KeyCounts:
    """Replace the keys of a character's action by as few as keep it within the precision at every frame.

    slot: "" is the character's own. footing: the demands of the feet. Curves that are locked, have modifiers or jump
    from key to key are unchanged, and so is the whole action if no keys would be saved.
    Raises InputError, with nothing changed, for actions that are linked, have no keys, are too long or not finite.
    """
    check_local(action)
    all_curves = [curve for curve in fcurves_of(action, slot or slot_for(armature, action)) if not curve.is_empty]
    curves = [curve for curve in all_curves if has_own_keys(curve) and not len(jumps_of(curve))]
    before = sum(len(curve.keyframe_points) for curve in all_curves)
    left_out = len(all_curves) - len(curves)
    if not curves:
        raise InputError(f'Action "{action.name}" has no curves whose keys could be simplified; choose another action.')
    frames = frames_of(action, curves)
    groups = groups_of(curves, frames, read_skeleton(armature).size, simplification, footing)
    keys = footed_keys([group.sampled for group in groups], frames, simplification, footing)
    saved = sum(len(curve.keyframe_points) for curve in curves) - sum(
        len(group_keys.frames) * len(group.curves) for group, group_keys in zip(groups, keys, strict=True)
    )
    if saved <= 0:
        return KeyCounts(before, before, left_out)
    _write(groups, keys, float(frames[0]))
    return KeyCounts(before, before - saved, left_out)


def pose_frames(
    armature: Object, action: Action, simplification: Simplification, slot: str = ""
) -> NDArray[np.float64]:
    """Return the frames `(K,)` of the most important poses: those of shared keys within the precision.

    Raises InputError as `simplify_action` does.
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
    """Return whether a curve plays two keys or more, unlocked and without modifiers."""
    return not (curve.lock or len(curve.modifiers) or len(curve.keyframe_points) < 2)


def jumps_of(curve: FCurve) -> NDArray[np.float64]:
    """Return the frames `(K, 2)` of neighboring keys between which a curve holds its value, and then jumps.

    A hold between equal values and constant interpolation after the last key are not jumps.
    """
    keys, kinds = key_values(curve), np.empty(len(curve.keyframe_points), np.uint8)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    rows = np.flatnonzero((kinds[:-1] == CONSTANT) & (keys[1:, 1] != keys[:-1, 1]))
    return np.stack((keys[rows, 0], keys[rows + 1, 0]), axis=1).astype(np.float64)


def frames_of(action: Action, curves: Sequence[FCurve]) -> NDArray[np.float64]:
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
    frames: NDArray[np.float64],
    size: float,
    simplification: Simplification,
    footing: KeyedFooting = NO_FOOTING,
) -> list[Group]:
    """Return the curves grouped by property, with their values at frames `(T,)`; size: of the character."""
    by_path: dict[str, list[FCurve]] = {}
    for curve in curves:
        by_path.setdefault(curve.data_path, []).append(curve)
    sampler = CurveSampler(frames)
    groups = []
    for path, components in by_path.items():
        values = np.stack([sampler.sample(curve).copy() for curve in components], axis=1).astype(np.float64)
        bound = _bound(path, values, size, simplification) * footing.factor(path)
        groups.append(Group(components, Curves(values, bound)))
    return groups


def _bound(path: str, values: NDArray[np.float64], size: float, simplification: Simplification) -> float:
    name = path.rpartition(".")[2]
    if name in MODES or name == "rotation_euler":
        bound = rotation_bound(MODES.get(name, ""), simplification.angle)
        # Blender normalizes quaternions, so the same error in the keys of a shorter one is a larger angle.
        shortest = float(np.linalg.norm(values, axis=1).min()) if name == "rotation_quaternion" else 1.0
        return bound * min(shortest or 1.0, 1.0)
    if name == "location":
        return simplification.share * size or simplification.share
    return simplification.share if name == "scale" else scalar_bound(values, simplification.share)


def _write(groups: Sequence[Group], keys: Sequence[Keys], first_frame: float) -> None:
    writer = KeyWriter(KEYFRAME)
    for group, group_keys in zip(groups, keys, strict=True):
        for column, curve in enumerate(group.curves):
            curve.keyframe_points.clear()
            writer.write_bezier(curve, first_frame + group_keys.frames, group_keys, column)
