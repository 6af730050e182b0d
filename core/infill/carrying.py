# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuation of a motion by another, which is turned and moved along the ground to meet it."""

from ..motion.comparing import check_comparable
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, find_anchored
from ..settings import Facing
from .surroundings import moved_to


def carried_on(
    motion: Motion, target: Motion, frame: int = 0, target_frame: int = -1
) -> tuple[Motion, tuple[int, ...]]:
    """Return a motion moved so that its `frame` stands and faces as another's `target_frame`, and the moved joints.

    Raises InputError for motions on different skeletons.

    >>> moved, joints = carried_on(swing, swing.slice(0, 30))
    >>> moved.frames, joints
    (60, (0,))
    """
    check_comparable(motion, target.skeleton.names, None, "the other one")
    for checked in (motion, target):
        checked.check_values("A motion to carry on")
    root, *companions = find_anchored([motion, target])
    plan = RootPlan(root, tuple(companions), Facing.FREE, False)
    return moved_to(motion, plan, frame, target, target_frame % target.frames), tuple(plan.anchored.tolist())
