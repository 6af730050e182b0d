# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp: a range of the action that a character plays, fitted to an object that stands elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.bone_places import check_independent
from ..animation.reading.example_spec import Reading
from ..animation.rig import roots_to_world
from ..animation.scene_time import scene_rate
from ..animation.stretches.checks import check_action
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.key_times import range_of_keys
from ..animation.stretches.replacing import Stretch
from ..core import Float64, InputError, Mask, Motion, computing
from ..core.environment import WarpedMotion, note_on_acceleration, quickest_in, warp, why_not_met
from .control_rig import GroundedAction, carrier_of, follow_body, legs_need_controls
from .evaluated_body import read_body, read_keys_of
from .reach_in_action import unkeyed, write_changes
from .rig_limbs import find_rig_limbs


@dataclass(frozen=True)
class WarpedRange:
    """Frames `first` to `last` of an action, which fit an object. joints: those that rest on it. notes: sentences."""

    first: float
    last: float
    joints: tuple[str, ...]
    notes: tuple[str, ...] = ()


@computing()
def warp_in_action(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    before: Object,
    target: Object,
    frames: tuple[float, float],
) -> WarpedRange:
    """Fit frames of the character's action to `target`; the action was made for the object `before`.

    The poses of the first and the last frame stay. Raises InputError, with nothing changed, where nothing rests on the
    object, where it is out of reach, and where the action cannot be written to.
    """
    check_action(character, action)
    begin, end = range_of_keys(character, action, slot)
    every = np.arange(begin, end + 1.0)
    first, last = np.clip(np.round(frames), every[0], every[-1]).tolist()
    if last - first < 2:
        raise InputError(
            f"Frames {frames[0]:g} to {frames[1]:g} are too few for a warp; choose a longer range within {begin:g} to "
            f"{end:g}."
        )
    window = round(first - every[0]), round(last - every[0])
    reading = read_keys_of(character, scene, action, slot)
    at, stretch = every[window[0] : window[1] + 1], Stretch(first, last, True, True)
    edited = GroundedAction(character, scene, action, slot, reading, at, stretch)
    boxes = [_box(character, thing, edited.moves_object) for thing in (before, target)]
    with edited_in_place(action, slot):
        if legs_need_controls(character, reading.motions, None):
            motion, warped = _warp_controls(edited, every, window, boxes)
        else:
            _check_arms(character, reading)
            whole = replace(edited, frames=every)
            motion = whole.keys()
            warped = _warped(motion, window, boxes, unkeyed(motion, reading), None, every[0])
            write_changes(whole, motion, warped.motion)
    largest = quickest_in(motion)
    notes = note_on_acceleration(
        quickest_in(warped.motion),
        warped.motion,
        warped.reaches,
        0.0 if largest is None else largest.acceleration,
        every[0],
    )
    names = tuple(motion.skeleton.names[joint] for joint in warped.joints)
    return WarpedRange(first, last, names, notes)


def _check_arms(character: Object, reading: Reading) -> None:
    """Raise InputError where keys move targets of inverse kinematics, while legs have keys of their own."""
    bones = character.data.bones
    for limb in find_rig_limbs(character):
        above = {bone.name for bone in bones[limb.bones[0]].parent_recursive}
        keyed = [name for name in limb.carriers if name in reading.keyed.locations and name not in above]
        if keyed:
            raise InputError(
                f'"{keyed[0]}" moves "{limb.ankle}" by inverse kinematics, while the legs have keys of their own; bake '
                "the action first."
            )


def _warp_controls(
    edited: GroundedAction, every: Float64, window: tuple[int, int], boxes: Sequence[Float64]
) -> tuple[Motion, WarpedMotion]:
    """Write the controls of a rig whose visible bones are warped; return the motion before and after."""
    limbs = find_rig_limbs(edited.character)
    body = read_body(edited, limbs, limbs, every, scene_rate(edited.scene))
    if body is None:
        raise InputError(f'No foot of "{edited.character.name}" stands in the action; choose another one.')
    carrier = carrier_of(edited, body, "")
    names = body.motion.skeleton.names
    free = {carrier, *(bone for limb in limbs for bone in limb.bones)}
    fixed = np.array([name not in free for name in names])
    warped = _warped(body.motion, window, boxes, fixed, names.index(carrier), every[0])
    piece = slice(window[0], window[1] + 1)
    before, after = (motion.slice(piece.start, piece.stop) for motion in (body.motion, warped.motion))
    follow_body(edited, replace(body, motion=before), piece, after, carrier, limbs, turns_body=True)
    return body.motion, warped


def _warped(
    motion: Motion,
    window: tuple[int, int],
    boxes: Sequence[Float64],
    fixed: Mask,
    root: int | None,
    first_frame: float,
) -> WarpedMotion:
    """Return the warped motion. Raises InputError where a hand or foot misses its place."""
    warped = warp(motion, window, boxes[0], boxes[1], fixed, root, first_frame)
    reason = why_not_met(warped.reaches, warped.met.missing, motion.skeleton.size, first_frame)
    if reason:
        raise InputError(reason)
    return warped


def _box(character: Object, thing: Object, with_object: bool) -> Float64:
    """Return an object's bounding box in the space of the roots, see `warp`; of an empty, as large as it is drawn."""
    check_independent(thing, character)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = np.array(evaluated.bound_box, np.float64)
    half, center = np.ptp(corners, axis=0) / 2, corners.min(axis=0) + np.ptp(corners, axis=0) / 2
    if not half.any():
        half, center = np.full(3, thing.empty_display_size), np.zeros(3)
    box = np.eye(4)
    # A plane is thin, but not without any thickness.
    box[:3, :3], box[:3, 3] = np.diag(np.maximum(half, half.max() / 100)), center
    space = np.array(roots_to_world(character, with_object).inverted_safe(), np.float64)
    return np.asarray(space @ np.array(evaluated.matrix_world, np.float64) @ box)
