# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties as waypoints of a character, told where the character's roots live."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ..core import InputError, Waypoint, Waypoints

Vector = tuple[float, float, float]

FACING = (0.0, -1.0, 0.0)
"""Facing of an empty in its own axes: that of an unturned character in Blender."""
AHEAD: dict[int, Vector] = {1: (0.0, 0.0, 1.0), 2: FACING}
"""Facing of characters at rest, by the axis that is up: along Z in most motion files, along -Y in Blender."""


@dataclass(frozen=True)
class EmptyAtFrame:
    """An empty, the frame of the scene at which it is passed, and what of it counts."""

    empty: Object
    frame: int
    place: bool
    facing: bool


def read_waypoints(
    asked: Sequence[EmptyAtFrame], armature: Object, with_object: bool, up: Vector, first_frame: float
) -> Waypoints:
    """Return the waypoints as they lie in the world now.

    with_object: the armature's object is itself a joint, so the roots live in the space of its parent. first_frame: the
    scene's frame at which the motion begins. Raises InputError for what is no empty, and for a facing straight up.
    """
    space = armature.matrix_world
    if with_object:
        space = space @ armature.matrix_basis.inverted_safe()
    to_roots = space.inverted_safe()
    points = []
    for one in asked:
        check_empty(one.empty)
        matrix = np.array(to_roots @ one.empty.matrix_world, np.float64)
        facing = matrix[:3, :3] @ FACING
        length = float(np.linalg.norm(facing))
        level = facing - (facing @ np.array(up)) * np.array(up)
        if one.facing and np.linalg.norm(level) < 1e-3 * max(length, 1e-12):
            raise InputError(f'The empty "{one.empty.name}" faces straight up or down; turn it, or its facing off.')
        points.append(
            Waypoint(
                frame=round(one.frame - first_frame),
                place=_vector(matrix[:3, 3]) if one.place else None,
                facing=_vector(facing / length) if one.facing else None,
                name=one.empty.name,
            )
        )
    return Waypoints(tuple(points), ahead=AHEAD.get(int(np.argmax(np.abs(up)))))


def check_empty(empty: Object | None) -> None:
    """Raise InputError unless this is an empty."""
    if empty is None or empty.type != "EMPTY":
        raise InputError(f'"{empty.name if empty else ""}" is no empty; choose an empty object as the waypoint.')


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
