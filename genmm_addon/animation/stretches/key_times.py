# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of an action's keys, and the range that an animator means by them."""

from collections.abc import Iterable

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float64
from ...core.keys import ON_KEY
from ..actions import POSE_BONES, fcurves_of
from ..curves import TRANSFORMS, collect_curves
from ..keys.key_writing import GENERATED
from .key_tables import read_keys


def key_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames `(K,)`, ascending, at which the character's bones or its object have keys."""
    return _distinct([read_keys(curve).times for curve in _transforms(armature, action, slot)])


def set_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames of `key_times` whose keys are not marked as generated: the poses that an animator has set."""
    tables = [read_keys(curve) for curve in _transforms(armature, action, slot)]
    return _distinct([table.times[table.marks["type"] != GENERATED] for table in tables])


def pose_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames `(K,)` at which at least half of the keyed joints have a key that is not generated.

    Keys that round to the same frame belong to one pose, whose frame is that of most of them.
    """
    times = list(joint_times(armature, action, slot).values())
    rounded = [np.unique(np.round(frames)) for frames in times]
    whole_frames, counts = np.unique(np.concatenate([*rounded, np.empty(0)]), return_counts=True)
    exact, shares = np.unique(np.concatenate([*times, np.empty(0)]), return_counts=True)
    near = [np.flatnonzero(np.round(exact) == frame) for frame in whole_frames[2 * counts >= len(times)]]
    return np.array([exact[rows[shares[rows].argmax()]] for rows in near], np.float64)


def joint_times(armature: Object, action: Action, slot: str = "") -> dict[str, Float64]:
    """Return, by joint, the frames `(K,)` of its keys that are not generated; the object counts as a joint."""
    joints: dict[str, list[Float64]] = {}
    for of_joints in collect_curves(armature, action, slot).transforms.values():
        for joint, components in of_joints.items():
            tables = [read_keys(curve) for curve in components.values()]
            joints.setdefault(joint, []).extend(table.times[table.marks["type"] != GENERATED] for table in tables)
    return {joint: _distinct(curve_times) for joint, curve_times in joints.items()}


def keyed_bones(action: Action, slot: str = "") -> set[str]:
    """Return the names of the bones whose transforms an action keys, including bones that do not exist any more."""
    begin, bones = f'{POSE_BONES}"', set[str]()
    for path in {curve.data_path for curve in fcurves_of(action, slot)}:
        bone, _, name = path.rpartition(".")
        if name in TRANSFORMS and bone.startswith(begin) and bone.endswith('"]'):
            bones.add(bpy.utils.unescape_identifier(bone[len(begin) : -2]))
    return bones


def selected_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames of `key_times` whose keys are selected."""
    tables = [read_keys(curve) for curve in _transforms(armature, action, slot)]
    return _distinct([table.times[table.marks["select_control_point"]] for table in tables])


def keys_around(times: Float64, frame: float) -> tuple[float, float] | None:
    """Return the frame of the last key up to `frame`, and that of the next key; None if either is missing.

    >>> keys_around(np.array([1.0, 20.0, 40.0]), 20.0)
    (20.0, 40.0)
    """
    after = int(np.searchsorted(times, frame + ON_KEY, side="right"))
    return None if after in (0, len(times)) else (float(times[after - 1]), float(times[after]))


def _transforms(armature: Object, action: Action, slot: str) -> list[FCurve]:
    transforms = collect_curves(armature, action, slot).transforms
    return [curve for joints in transforms.values() for components in joints.values() for curve in components.values()]


def _distinct(times: Iterable[Float64]) -> Float64:
    sorted_times = np.unique(np.concatenate([*times, np.empty(0)]))
    sorted_times = sorted_times[np.isfinite(sorted_times)]
    return np.asarray(sorted_times[np.diff(sorted_times, prepend=-np.inf) > ON_KEY])
