# SPDX-License-Identifier: GPL-3.0-or-later
"""One waypoint, and the places and headings that waypoints and pinned places together ask of the root."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion import rotations
from ...motion.root_motion import RootPlan, encode_root
from ..pose import PoseConstraint
from ..travel import angle_of

Float64 = NDArray[np.float64]
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Waypoint:
    """A frame of the result, counted from 0, at which the root is at a place, or faces somewhere, or both.

    place: in the space that the skeleton's roots live in; its height does not count. facing: a direction along the
    ground; a character that travels faces there as it faces along its own way. None: free. name: for sentences.

    >>> Waypoint(30, place=(1.0, 0.0, 0.0)).facing is None
    True
    """

    frame: int
    place: Vector | None = None
    facing: Vector | None = None
    name: str = ""

    @property
    def said(self) -> str:
        """The waypoint as sentences call it."""
        return f'waypoint "{self.name}"' if self.name else f"the waypoint at frame {self.frame + 1}"


@dataclass(frozen=True, eq=False)
class Targets:
    """Places and headings that are asked of the root, ascending by frame.

    place_frames `(K,)`, places `(K, 3)` on the ground, names `(K,)`; turn_frames `(H,)`, turns `(H,)`: headings in
    radians about up, from rest; going `(K,)`: where the way leads at each place, radians, nan where that is free.
    """

    place_frames: NDArray[np.int64]
    places: Float64
    names: tuple[str, ...]
    turn_frames: NDArray[np.int64]
    turns: Float64
    going: Float64


def targets_of(
    waypoints: Sequence[Waypoint], poses: PoseConstraint | None, root: RootPlan, forward: Float64, up: Vector
) -> Targets:
    """Return what waypoints, and the places of pinned poses, ask of the root.

    forward: the direction `(3,)` that is ahead of a root that is not turned.
    """
    axes, upward = rotations.ground_axes(up), np.array(up)
    ahead = angle_of(forward, axes)
    places = {one.frame: (np.array(one.place), one.said) for one in waypoints if one.place is not None}
    turns = {one.frame: angle_of(np.array(one.facing), axes) - ahead for one in waypoints if one.facing is not None}
    if poses is not None and poses.place.any():
        pinned = np.flatnonzero(poses.place)
        track = encode_root(poses.motion.take(pinned), root)
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
