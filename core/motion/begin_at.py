# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of a motion on the ground, so that it begins at a given pose."""

from dataclasses import replace

import numpy as np

from ..settings import Facing
from . import rotations
from .climbing import encode_travel
from .motion import Motion
from .root_motion import RootPlan, apply_root, find_root, place_and_heading


def begin_at(motion: Motion, pose: Motion) -> Motion:
    """Return the motion, moved to begin on the ground where the first frame of `pose` stands, and facing as it does.

    Heights do not change. A motion whose root has no translations is not moved. pose: on the same skeleton.

    >>> begin_at(swing, swing.slice(10, 11)).frames
    60
    """
    motion.check_values("The motion")
    pose.check_values("The first pose")
    plan = RootPlan(find_root([motion]), (), Facing.FREE, False)
    if plan.joint not in motion.translated:
        return motion
    placed = moved_to(motion, plan, 0, pose, 0)
    return replace(placed, rotations=rotations.make_continuous(placed.rotations))


def moved_to(motion: Motion, plan: RootPlan, frame: int, to: Motion, to_frame: int) -> Motion:
    """Return a motion turned and moved along the ground so that `frame` stands and faces as `to_frame` of `to`."""
    up, track = np.array(motion.skeleton.up), encode_travel(motion, plan)
    turns, target = place_and_heading(motion, plan)[1], place_and_heading(to, plan)[1]
    turn = rotations.from_axis_angle(up, np.array(target[to_frame] - turns[frame]))
    ground = track.ground.astype(np.float64)
    moved = rotations.rotate(turn, ground - ground[frame]) + encode_travel(to, plan).ground[to_frame]
    return apply_root(motion, plan, track.along(rotations.multiply(turn, track.heading.astype(np.float64)), moved))
