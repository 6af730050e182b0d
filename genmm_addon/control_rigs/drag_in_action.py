# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails of bones over the action that a character plays, and the motion that follows a dragged point of a trail."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.points import placed
from ..animation.rig import OBJECT_JOINT, roots_to_world
from ..animation.stretches.checks import check_action
from ..animation.stretches.key_times import keyed_times
from ..core import Float64, InputError, Motion, Reach, computing
from ..core.environment import DraggedJoint, drag_joint, make_draggable
from ..core.motion import joint_path
from .controls import EvaluatedRig, check_followed
from .evaluated_body import RigAction, read_keys_of
from .reach_in_action import check_keys, corrected, unkeyed, write_changes


@dataclass(frozen=True, eq=False)
class Drag:
    """A drag of a bone at a frame of the scene by an offset `(3,)` in the world; reach: in frames."""

    bone: str
    frame: float
    offset: tuple[float, float, float]
    reach: int


@dataclass(frozen=True, eq=False)
class Trails:
    """Bones of an action that can be dragged, with the frames around those at which their trails are shown.

    joints: of these bones, by name. shown: the rows that are drawn. longest: the longest reach of a drag, in frames.
    """

    edited: RigAction
    motion: Motion
    joints: Mapping[str, int]
    shown: slice
    longest: int
    _draggable: dict[str, DraggedJoint] = field(default_factory=dict)

    @property
    def frames(self) -> Float64:
        """Return the frames `(T,)` of the scene."""
        return self.edited.frames

    @property
    def to_world(self) -> Float64:
        """Return the matrix `(4, 4)` from the space of the roots to the world."""
        with_object = self.motion.skeleton.names[0] == OBJECT_JOINT
        return np.array(roots_to_world(self.edited.character, with_object), np.float64)

    @cached_property
    def paths(self) -> dict[str, Float64]:
        """Return the paths `(T, 3)` of the bones in the world at the rows that are shown.

        Blender evaluates them at the first use, when the character must play the action.
        """
        heads = self.heads(self.joints, self.shown)
        return {bone: placed(self.to_world, head) for bone, head in heads.items()}

    def heads(self, bones: Collection[str], rows: slice) -> dict[str, Float64]:
        """Return the positions `(T, 3)` of bones at some rows as Blender evaluates them, in the space of the roots."""
        active = np.zeros(self.motion.frames, bool)
        active[rows] = True
        reaches = [Reach(self.joints[bone], active, joint_path(self.motion, self.joints[bone])) for bone in bones]
        return dict(zip(bones, EvaluatedRig(self.edited).heads(self.motion, reaches), strict=True))

    def draggable(self, bone: str) -> DraggedJoint:
        """Return a bone's joint, ready to be dragged."""
        if bone not in self._draggable:
            fixed = unkeyed(self.motion, self.edited.reading)
            self._draggable[bone] = make_draggable(self.motion, self.joints[bone], fixed)
        return self._draggable[bone]

    def dragged(self, drag: Drag) -> Motion:
        """Return the motion that follows a drag."""
        offset = np.linalg.solve(self.to_world[:3, :3], np.array(drag.offset, np.float64))
        row, joint = self.row_of(drag), self.joints[drag.bone]
        goal = joint_path(self.motion, joint)[row] + offset
        return drag_joint(self.draggable(drag.bone), row, goal, self.reach_of(drag))

    def reach_of(self, drag: Drag) -> int:
        """Return the reach of a drag, which is never longer than the trails."""
        return min(drag.reach, self.longest)

    def path_of(self, bone: str, motion: Motion) -> Float64:
        """Return the path `(T, 3)` of a bone in the world in a motion that follows a drag."""
        return self.paths[bone] + self.moves_of(bone, motion) @ self.to_world[:3, :3].T

    def moves_of(self, bone: str, motion: Motion) -> Float64:
        """Return how far `(T, 3)` a bone moves in a motion that follows a drag, in the space of the roots."""
        joint = self.joints[bone]
        return np.asarray(joint_path(motion, joint) - joint_path(self.motion, joint))

    def row_of(self, drag: Drag) -> int:
        """Return the row of a drag's frame. Raises InputError for a bone or a frame without a trail."""
        row, rows = round(drag.frame - float(self.frames[0])), range(len(self.frames))[self.shown]
        if drag.bone not in self.joints or row not in rows:
            first, last = self.frames[rows[0]], self.frames[rows[-1]]
            raise InputError(
                f'"{drag.bone}" has no trail at frame {drag.frame:g}; choose a frame from {first:g} to {last:g}.'
            )
        return row


@computing()
def find_trails(
    character: Object, scene: Scene, action: Action, slot: str, bones: Sequence[str], shown: tuple[float, float]
) -> Trails:
    """Return the trails of bones over the frames from the first to the last of `shown`.

    Raises InputError without bones, for bones that no keys move, and where the action cannot be written to.
    """
    if not bones:
        raise InputError("No bone is selected; select the bones whose trails are to be dragged in Pose Mode.")
    check_action(character, action)
    times = keyed_times(character, action, slot)
    first, last = np.clip(shown, np.floor(times[0]), np.ceil(times[-1])).tolist()
    if last <= first:
        raise InputError(
            f'Action "{action.name}" has no motion at frames {shown[0]:g} to {shown[1]:g}; choose frames between its '
            "keys."
        )
    reading = read_keys_of(character, scene, action, slot)
    unknown = [bone for bone in bones if bone not in reading.motions[0].skeleton.names]
    if unknown:
        raise InputError(f'"{character.name}" has no bone "{unknown[0]}"; choose another.')
    for bone in bones:
        check_keys(bone, reading)
    # Beside the trails, as much motion is read as they show: no drag reaches farther.
    longest = round(last - first)
    begin = max(first - longest, float(np.floor(times[0])))
    frames = np.arange(begin, min(last + longest, float(np.ceil(times[-1]))) + 1.0)
    edited = RigAction(character, scene, action, slot, reading, frames)
    motion = edited.keys()
    joints = {bone: motion.skeleton.names.index(bone) for bone in bones}
    return Trails(edited, motion, joints, slice(int(first - begin), int(last - begin) + 1), longest)


def write_drag(trails: Trails, drag: Drag) -> tuple[float, float]:
    """Write the motion that follows a drag, and return the first and the last changed frame.

    Raises InputError, with nothing changed, where keys cannot be written or the rig keeps the bone off its place.
    """
    row, task, motion = trails.row_of(drag), trails.draggable(drag.bone), trails.motion
    check_followed(trails.edited, [(drag.bone, trails.frames[row : row + 1])])
    reached = trails.dragged(drag)
    moved = trails.moves_of(drag.bone, reached)[row]
    active = np.arange(motion.frames) == row
    head = trails.heads([drag.bone], slice(row, row + 1))[drag.bone]
    shown, asked = (
        Reach(task.joint, active, path + moved, said=f'"{drag.bone}"')
        for path in (head, joint_path(motion, task.joint))
    )

    def solve(places: Sequence[Reach]) -> Motion:
        return drag_joint(task, row, places[0].positions[row], trails.reach_of(drag))

    reached = corrected(trails.edited, motion, reached, [shown], [asked], solve, may_stretch=True)
    return write_changes(trails.edited, motion, reached)
