# SPDX-License-Identifier: GPL-3.0-or-later
"""A waypoint, and the root's target places and headings from waypoints and pinned places together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64
from ...motion import rotations
from ...motion.climbing import encode_poses
from ...motion.root_motion import RootPlan
from ..pose_targets import Poses
from ..travel import angle_of

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Waypoint:
    """A frame of the result, counted from 0, at which the root has a place, a heading, or both.

    place: in the space of the skeleton's roots; its height does not count. facing: a direction along the ground; a
    traveling character faces there as it faces along its own trajectory. None: free. name: for messages.

    >>> Waypoint(30, place=(1.0, 0.0, 0.0)).facing is None
    True
    """

    frame: int
    place: Vector | None = None
    facing: Vector | None = None
    name: str = ""

    @property
    def said(self) -> str:
        """Return the waypoint's name in messages."""
        return f'waypoint "{self.name}"' if self.name else f"the waypoint at frame {self.frame + 1}"


@dataclass(frozen=True, eq=False)
class Targets:
    """Target places and headings of the root, ascending by frame.

    place_frames `(K,)`, places `(K, 3)` on the ground, names `(K,)`. turn_frames `(H,)`, turns `(H,)`: headings in
    radians about up, from rest. going: `(K,)` direction of the path at each place, in radians; nan if it is free.
    """

    place_frames: Int64
    places: Float64
    names: tuple[str, ...]
    turn_frames: Int64
    turns: Float64
    going: Float64


def targets_of(
    waypoints: Sequence[Waypoint], poses: Poses | None, root: RootPlan, forward: Float64, up: Vector
) -> Targets:
    """Return the root's targets from waypoints and from the places of pinned poses.

    forward: the direction `(3,)` ahead of an unturned root.
    """
    axes, upward = rotations.ground_axes(up), np.array(up)
    ahead = angle_of(forward, axes)
    places = {point.frame: (np.array(point.place), point.said) for point in waypoints if point.place is not None}
    turns = {
        point.frame: angle_of(np.array(point.facing), axes) - ahead for point in waypoints if point.facing is not None
    }
    if poses is not None and poses.place.any():
        pinned = np.flatnonzero(poses.place)
        track = encode_poses(poses.motion.take(pinned), root)
        headings = rotations.angle_about(track.heading.astype(np.float64), upward)
        for number, frame in enumerate(pinned.tolist()):
            places[frame] = (track.ground[number].astype(np.float64), f"the pin at frame {frame + 1}")
            turns[frame] = float(headings[number])
    at, facing = sorted(places), sorted(turns)
    flat = np.array([places[frame][0] for frame in at], np.float64).reshape(-1, 3)
    return Targets(
        place_frames=np.array(at, np.int64),
        places=flat - (flat @ upward)[:, None] * upward,
        names=tuple(places[frame][1] for frame in at),
        turn_frames=np.array(facing, np.int64),
        turns=np.array([turns[frame] for frame in facing], np.float64),
        going=np.array([turns[frame] + ahead if frame in turns else np.nan for frame in at], np.float64),
    )
