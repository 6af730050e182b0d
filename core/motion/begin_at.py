# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of a motion on the ground, so that it begins at a given pose."""

from dataclasses import replace

import numpy as np

from ..settings import Facing
from . import rotations
from .motion import Motion
from .root_motion import RootPlan, apply_root, encode_root, find_root, place_and_heading


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
    up = np.array(motion.skeleton.up)
    turns, facing = place_and_heading(motion, plan)[1], place_and_heading(pose, plan)[1]
    turn = rotations.from_axis_angle(up, np.asarray(facing[0] - turns[0]))
    track, start = encode_root(motion, plan), encode_root(pose, plan).ground[0].astype(np.float64)
    offsets = track.ground.astype(np.float64) - track.ground[0]
    heading = rotations.multiply(np.broadcast_to(turn, track.heading.shape), track.heading.astype(np.float64))
    ground = rotations.rotate(np.broadcast_to(turn, track.heading.shape), offsets) + start
    placed = apply_root(motion, plan, track.along(heading, ground))
    return replace(placed, rotations=rotations.make_continuous(placed.rotations))
