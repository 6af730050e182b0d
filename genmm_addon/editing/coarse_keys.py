# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys of an action for editing by hand, and the full motion with the edits."""

from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.actions import assign, assigned, restore
from ..animation.keys.simplification import Simplification
from ..animation.keys.simplifying import pose_frames
from ..animation.reading.example_spec import ExampleSpec
from ..animation.reading.examples import read_examples
from ..animation.reading.stretch import read_stretch
from ..animation.scene_time import scene_rate
from ..animation.stretches.checks import check_action
from ..animation.stretches.key_times import joint_times, keyed_bones, pose_times, times_of_motion, times_together
from ..animation.stretches.replacing import Stretch, keep_keys_at, replace_stretch
from ..core import Float64, InputError, Mask, computing
from ..core.feet import standing_of
from ..core.keys import carry_edits, original_times
from .coarse_record import coarse_of, coarse_record, is_as_written, keep_coarse, keep_full

ERRORS = Simplification(shared=True, angle=0.01, share=0.01)
"""Errors of a rotation, in radians, and of a location, in sizes, that weigh equally in the choice of poses."""


class CoarseSpacing(Enum):
    """The frames that coarse keys lie on."""

    EVEN = "EVEN"
    """At even intervals, in seconds."""
    POSES = "POSES"
    """The same number of keys, at the most important poses."""


@dataclass(frozen=True, eq=False)
class FullMotion:
    """A full motion: its action, and the number of coarse keys that it goes through."""

    action: Action
    keys: int


@computing()
def make_coarse(character: Object, scene: Scene, spacing: CoarseSpacing, seconds: float) -> Action:
    """Have the character play a copy of its action with few keys, and return the copy; the action itself is kept.

    Raises InputError, with nothing changed, where it plays no action, or one with too few frames.
    """
    action, slot = _playing(character)
    check_action(character, action)
    if not seconds > 0.0:
        raise InputError("The interval between keys must be above 0 seconds; choose a larger one.")
    times = times_of_motion(character, action, slot)
    if np.ptp(times) < 1.0:
        raise InputError(
            f'Action "{action.name}" has no motion for this character that lasts a frame; choose another action.'
        )
    step = seconds * scene_rate(scene)
    with ExitStack() as undoing:
        coarse = action.copy()
        undoing.callback(bpy.data.actions.remove, coarse)
        frames = _even_frames(times, step)
        if spacing is CoarseSpacing.POSES:
            precision = Simplification(True, ERRORS.angle, ERRORS.share, density=(len(frames) - 1) / np.ptp(times))
            frames = np.unique(np.clip(pose_frames(character, action, precision, slot), times[0], times[-1]))
        keep_keys_at(character, coarse, slot, frames)
        coarse.name = f"{action.name} Coarse"
        keep_coarse(coarse, action, frames)
        undoing.callback(restore, character, (action, slot))
        assign(character, coarse, slot)
        undoing.pop_all()
    action.use_fake_user = coarse.use_fake_user = True
    return coarse


@computing()
def make_full(character: Object, scene: Scene) -> FullMotion:
    """Have the character play a full motion through its coarse keys, with the original's detail between them.

    A full motion made before is replaced, unless it was changed by hand since. Raises InputError, with nothing changed,
    where the character plays no coarse keys, and where their original is gone.
    """
    coarse, slot = _playing(character)
    record = coarse_record(coarse)
    if record is None:
        raise InputError(f'Action "{coarse.name}" has no coarse keys made by Coarse Keys; press that first.')
    if record.original is None:
        raise InputError(f'The original of "{coarse.name}" is gone, and its detail with it; undo its deletion.')
    times = times_together(character, coarse, slot)
    if len(times) < 2 or np.ptp(times) < 1.0:
        raise InputError(
            f'Action "{coarse.name}" has fewer than two keys left that lie a frame or more from each other; '
            "key two poses or more."
        )
    _check_names(character, coarse, record.original, slot)
    original = times_together(character, record.original, slot)
    reading = read_examples(character, [ExampleSpec(record.original, slot)], scene=scene)
    at = times[0] + np.arange(round(times[-1] - times[0]) + 1, dtype=np.float64)
    shown = original_times(record.frames, pose_times(character, coarse, slot), at)
    motion_frames = original[0] + np.arange(round(original[-1] - original[0]) + 1, dtype=np.float64)
    rate = scene_rate(scene)
    full_motion = read_stretch(character, reading, record.original, slot, motion_frames, rate)
    edited = read_stretch(character, reading, coarse, slot, at, rate)
    keyed = _keyed(character, coarse, slot, at, edited.skeleton.names)
    carried = carry_edits(standing_of(full_motion), full_motion, edited, keyed, shown - original[0])
    with ExitStack() as undoing:
        full = coarse.copy()
        undoing.callback(bpy.data.actions.remove, full)
        rows = np.flatnonzero(keyed.any(axis=1)).tolist()
        replace_stretch(character, full, slot, Stretch(float(at[0]), float(at[-1])), carried, reading.keyed, rows)
        undoing.callback(restore, character, (coarse, slot))
        assign(character, full, slot)
        undoing.pop_all()
    _take_place(full, coarse, record.full, slot, f"{record.original.name} Edited")
    keep_full(full, coarse, slot)
    full.use_fake_user = coarse.use_fake_user = True
    return FullMotion(full, len(rows))


def go_back_to_coarse(character: Object) -> Action:
    """Have the character play the coarse keys that its full motion was made from. Raises InputError without any."""
    full, slot = _playing(character)
    coarse = coarse_of(full)
    if coarse is None:
        raise InputError(f'Action "{full.name}" was made of no coarse keys that are there still; press Coarse Keys.')
    full.use_fake_user = True
    assign(character, coarse, slot)
    return coarse


def _playing(character: Object) -> tuple[Action, str]:
    playing = assigned(character)
    if playing is None:
        raise InputError(f'"{character.name}" plays no action; give it one.')
    return playing


def _even_frames(times: Float64, step: float) -> Float64:
    """Return frames `(K,)` about a step apart, including the first and the last key."""
    count = max(1, round((times[-1] - times[0]) / step))
    inside = times[0] + np.round(np.arange(count) * step)
    return np.unique(np.append(inside[inside < times[-1]], times[-1]))


def _keyed(character: Object, action: Action, slot: str, at: Float64, names: tuple[str, ...]) -> Mask:
    """Return whether each joint has keys at each frame, `(T, J)`; keys between frames count for the nearest frame."""
    keyed = np.zeros((len(at), len(names)), bool)
    for joint, times in joint_times(character, action, slot).items():
        if joint in names:
            rows = np.clip(np.round(times - at[0]).astype(np.int64), 0, len(at) - 1)
            keyed[rows, names.index(joint)] = True
    keyed[[0, -1]] |= keyed.any(axis=0)
    return keyed


def _check_names(character: Object, coarse: Action, original: Action, slot: str) -> None:
    """Raise InputError where a bone was renamed since, which Blender follows only in the action that plays."""
    coarse_bones, original_bones = keyed_bones(coarse, slot), keyed_bones(original, slot)
    lost = sorted(original_bones - coarse_bones - set(character.pose.bones.keys()))
    if lost and coarse_bones - original_bones:
        raise InputError(
            f'"{original.name}" moves the bone "{lost[0]}", which has another name now; give it that name back, '
            "restore, and rename it then."
        )


def _take_place(full: Action, coarse: Action, before: Action | None, slot: str, name: str) -> None:
    """Name a full motion, and remove the one made before from the same coarse keys, unless that was changed since."""
    is_same_origin = coarse_of(before) == coarse
    if before is not None and is_same_origin and before.library is None and is_as_written(before, slot):
        name = before.name
        before.user_remap(full)
        bpy.data.actions.remove(before)
    full.name = name
