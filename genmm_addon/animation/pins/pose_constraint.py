# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins as a constraint of the core: poses at frames of the result."""

from typing import NamedTuple

import numpy as np
from bpy.types import Action, Object

from ...core import Int64, PoseConstraint, listed
from ..curves import nearest_frames
from ..reading.example_spec import Reading
from ..reading.target_motion import keyed_columns, left_out_notes, read_target_motion


class PinsConstraint(NamedTuple):
    """The constraint made from pins, None if no pin is within the result. notes: sentences for the user."""

    constraint: PoseConstraint | None
    notes: tuple[str, ...]


def constraint_from_pins(
    armature: Object,
    reading: Reading,
    action: Action,
    slot: str,
    first_frame: float,
    frames: int,
    root: str | None = None,
    rate: float | None = None,
    places: bool = True,
) -> PinsConstraint:
    """Return the pins within a result of `frames` frames that begins at the scene's `first_frame`.

    reading: of the examples. slot: "" is the armature's. root: the joint that carries the travel; None: the one found.
    rate: the result's frames per second; None: the first example's. places: whether pins fix places, too.
    Raises InputError if the examples were read as Visual, or if the action keys nothing that they animate.
    """
    columns = keyed_columns(armature, reading, action, slot, root)
    notes = left_out_notes(armature, reading, action, slot)
    at = nearest_frames(columns.frames - first_frame)
    inside = (at >= 0) & (at < frames)
    notes += _note_on_outside(action, columns.frames[~inside], bool(inside.any()))
    if not inside.any():
        return PinsConstraint(None, notes)
    at = at[inside]
    rate = rate or reading.motions[0].frames_per_second
    poses = read_target_motion(armature, reading, action, slot, columns.times[inside], rate)
    joints = np.zeros((frames, columns.joints.shape[1]), bool)
    place = np.zeros(frames, bool)
    joints[at], place[at] = columns.joints[inside], columns.places[inside] & places
    # Rows between pins are not used; they repeat the previous pin's pose.
    source_rows = np.maximum(np.searchsorted(at, np.arange(frames), side="right") - 1, 0)
    return PinsConstraint(PoseConstraint(poses.take(source_rows), joints, place), notes)


def _note_on_outside(action: Action, outside: Int64, any_inside: bool) -> tuple[str, ...]:
    if not any_inside:
        return (f'No pin of "{action.name}" lies within the result, so nothing is pinned.',)
    if not len(outside):
        return ()
    which = "The pin at frame" if len(outside) == 1 else "The pins at frames"
    lies = "lies" if len(outside) == 1 else "lie"
    return (f"{which} {listed(outside.tolist(), '')} {lies} outside the result.",)
