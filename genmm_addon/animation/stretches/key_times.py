# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames at which an action has keys."""

from collections.abc import Iterable

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float64, InputError
from ...core.keys import ON_KEY
from ..actions import POSE_BONES, fcurves_of
from ..curves import TRANSFORMS, collect_curves
from ..keys.key_writing import GENERATED
from ..reading.evaluation import LAST_FRAME
from ..reading.example_spec import ExampleSpec
from ..stray_keys import stray_keys
from .key_tables import KEY, read_mark, read_place


def key_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames `(K,)`, ascending, at which the character's bones or its object have keys."""
    return _distinct(map(_times, _transforms(armature, action, slot)))


def keyed_times(armature: Object, action: Action, slot: str = "", remedy: str = "choose another action") -> Float64:
    """Return the frames of `key_times`. Raises InputError where there are none; remedy: unless keys are muted."""
    times = key_times(armature, action, slot)
    if not len(times):
        raise InputError(collect_curves(armature, action, slot).why_empty(f'Action "{action.name}"', remedy))
    return times


def set_times(armature: Object, action: Action, slot: str = "") -> Float64:
    """Return the frames of `key_times` whose keys are not marked as generated: the poses that an animator has set."""
    return _distinct(map(_set_times, _transforms(armature, action, slot)))


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
            joints.setdefault(joint, []).extend(map(_set_times, components.values()))
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
    curves = _transforms(armature, action, slot)
    return _distinct(_times(curve)[read_mark(curve, "select_control_point")] for curve in curves)


def keys_around(times: Float64, frame: float) -> tuple[float, float] | None:
    """Return the frame of the last key up to `frame`, and that of the next key; None if either is missing.

    >>> keys_around(np.array([1.0, 20.0, 40.0]), 20.0)
    (20.0, 40.0)
    """
    after = int(np.searchsorted(times, frame + ON_KEY, side="right"))
    return None if after in (0, len(times)) else (float(times[after - 1]), float(times[after]))


def _times(curve: FCurve) -> Float64:
    return read_place(curve, KEY)[:, 0].astype(np.float64)


def _set_times(curve: FCurve) -> Float64:
    return np.asarray(_times(curve)[read_mark(curve, "type") != GENERATED])


def _transforms(armature: Object, action: Action, slot: str) -> list[FCurve]:
    transforms = collect_curves(armature, action, slot).transforms
    return [curve for joints in transforms.values() for components in joints.values() for curve in components.values()]


def _distinct(times: Iterable[Float64]) -> Float64:
    sorted_times = np.unique(np.concatenate([*times, np.empty(0)]))
    sorted_times = sorted_times[np.isfinite(sorted_times)]
    return np.asarray(sorted_times[np.diff(sorted_times, prepend=-np.inf) > ON_KEY])


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
        keyed_times(armature, action, slot)
        raise InputError(
            f'Action "{action.name}" has keys at frame {times[0]:g} alone, which is a pose; choose one that moves.'
        )
    return times


def range_of_keys(armature: Object, action: Action, slot: str = "") -> tuple[float, float]:
    """Return the first and the last whole frame of `times_of_motion`. Raises InputError as it does."""
    times = times_of_motion(armature, action, slot)
    # Zero is added so that a frame before 0 that counts as 0 is not shown as -0.
    return float(np.ceil(times[0] - 1e-3)) + 0.0, float(np.floor(times[-1] + 1e-3)) + 0.0


def check_examples_together(armature: Object, specs: Iterable[ExampleSpec]) -> None:
    """Raise InputError if an example that is used as a whole has keys far from all its others."""
    for spec in specs:
        if spec.action is not None and spec.armature is None and spec.frame_start is None and spec.frame_end is None:
            times_together(armature, spec.action, spec.slot)
