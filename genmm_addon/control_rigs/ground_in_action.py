# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of an action put on a mesh, in place."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.ground_mesh import read_ground
from ..animation.rig import OBJECT_JOINT
from ..animation.scene_time import scene_rate
from ..animation.stretches.checks import check_action
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.generated import GROUNDED
from ..animation.stretches.key_times import range_of_keys
from ..animation.stretches.replacing import Stretch
from ..core import InputError, Motion, computing
from ..core.constraints import LEVEL, Course, put_between_poses
from ..core.environment import Surface, standing_of
from ..core.motion import find_root, with_typical_pose
from ..core.storage import stored
from .control_rig import GroundedAction, find_body, put_rig_on_ground
from .evaluated_body import read_keys_of

SHORTEST_SECONDS = 0.5
"""Shortest range, in seconds, since a shorter one contains no step."""


@dataclass(frozen=True)
class PutOnGround:
    """Frames `first` to `last` of an action, which were put on a ground. notes: sentences for the user."""

    first: float
    last: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ActionForGround:
    """A character's action, and the mesh to put its feet on.

    feet, root_bone: bones by name; None and "" for those found.
    """

    character: Object
    scene: Scene
    action: Action
    slot: str
    ground: Object
    feet: Sequence[str] | None = None
    root_bone: str = ""


@computing()
def put_action_on_ground(asked: ActionForGround, frames: tuple[float, float] | None = None) -> PutOnGround:
    """Put the feet of an action on its ground; frames: only these frames, whose end poses stay.

    Raises InputError, with nothing changed.
    """
    character, scene, action, slot = asked.character, asked.scene, asked.action, asked.slot
    check_action(character, action)
    key_range = range_of_keys(character, action, slot)
    first, last = key_range if frames is None else (max(frames[0], key_range[0]), min(frames[1], key_range[1]))
    if last - first < SHORTEST_SECONDS * scene_rate(scene):
        raise InputError(f"Frames {first:g} to {last:g} are too few for a step; choose a longer range.")
    _check_new(action, first, last)
    stretch = Stretch(first, last, first > key_range[0], last < key_range[1])
    with edited_in_place(action, slot):
        notes = _put(asked, key_range, stretch, LEVEL)
        _remember(action, first, last)
    return PutOnGround(first, last, notes)


@computing()
def put_new_action_on_ground(asked: ActionForGround, course: Course) -> tuple[str, ...]:
    """Put the feet of a new action of a control rig on its ground, at all its frames; return notes.

    course: the path of the action over flat ground. Raises InputError, with nothing changed.
    """
    key_range = range_of_keys(asked.character, asked.action, asked.slot)
    return _put(asked, key_range, Stretch(*key_range, False, False), course)


def _put(asked: ActionForGround, key_range: tuple[float, float], stretch: Stretch, course: Course) -> tuple[str, ...]:
    """Write the keys that put a stretch of an action on a ground; return notes."""
    character, scene, action, slot = asked.character, asked.scene, asked.action, asked.slot
    reading = read_keys_of(character, scene, action, slot)
    skeleton = reading.motions[0].skeleton
    at = np.arange(stretch.first, stretch.last + 0.5)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    surface = read_ground(asked.ground, character, skeleton.names[0] == OBJECT_JOINT, skeleton.up, depsgraph)
    kept = [number for number, stays in ((0, stretch.keeps_first), (len(at) - 1, stretch.keeps_last)) if stays]
    edited = GroundedAction(character, scene, action, slot, reading, at, stretch)
    seen = np.arange(key_range[0] + (stretch.first - key_range[0]) % 1.0, key_range[1] + 1e-3)
    body = find_body(edited, seen, asked.feet, scene_rate(scene))
    if body is None:
        return _put_keyed_feet(asked, edited, with_typical_pose(reading.motions)[0], surface, kept)
    start = round(stretch.first - seen[0])
    return put_rig_on_ground(edited, body, slice(start, start + len(at)), surface, kept, asked.root_bone, course)


def _put_keyed_feet(
    asked: ActionForGround, edited: GroundedAction, example: Motion, surface: Surface, kept: Sequence[int]
) -> tuple[str, ...]:
    """Write the legs and the root of a character whose legs have their own keys; return notes."""
    skeleton = example.skeleton
    motion = replace(edited.keys(), skeleton=skeleton)
    standing = standing_of(motion, example, asked.feet)
    named = asked.root_bone in skeleton.names
    root = skeleton.names.index(asked.root_bone) if named else find_root([example])
    put = put_between_poses(motion, surface, standing, root, kept, float(edited.frames[0]))
    turns = (put.motion.rotations != motion.rotations).any(axis=(0, 2))
    moves = (put.motion.translations != motion.translations).any(axis=(0, 2))
    turned = {skeleton.names[joint] for joint in np.flatnonzero(turns)}
    moved = {skeleton.names[joint] for joint in motion.translated[moves]}
    keyed = edited.reading.keyed.of(turned, moved, edited.character)
    edited.write(edited.stretch, put.motion, keyed)
    return put.notes


def grounded_ranges(action: Action) -> list[tuple[float, float]]:
    """Return the ranges of an action that were put on a ground; none where the property cannot be read."""
    return list(stored(action, GROUNDED, tuple[tuple[float, float], ...]) or ())


def _check_new(action: Action, first: float, last: float) -> None:
    """Raise InputError where a part of the range was put on a ground before, and so is no longer on flat ground."""
    for start, end in grounded_ranges(action):
        if start < last and first < end:
            raise InputError(
                f'Frames {start:g} to {end:g} of action "{action.name}" were put on a ground before; undo that, or '
                "choose other frames."
            )


def _remember(action: Action, first: float, last: float) -> None:
    action[GROUNDED] = json.dumps([*grounded_ranges(action), (first, last)])
