# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties as waypoints of a character, in the space of the character's roots."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix

from ..core import InputError, Waypoint, Waypoints
from .reading.evaluation import shown_alone
from .rig import ancestors_of, roots_to_world

Vector = tuple[float, float, float]

FACING = (0.0, -1.0, 0.0)
"""Facing of an empty in its own axes: that of a character in Blender without rotation."""
AHEAD: dict[int, Vector] = {1: (0.0, 0.0, 1.0), 2: FACING}
"""Facing of characters at rest, by the number of their up axis: along Z in most motion files, along -Y in Blender."""


@dataclass(frozen=True)
class EmptyAtFrame:
    """An empty, the scene frame at which it is passed, and which of its properties count."""

    empty: Object
    frame: int
    place: bool
    facing: bool


def read_waypoints(
    asked: Sequence[EmptyAtFrame], armature: Object, scene: Scene, with_object: bool, up: Vector, first_frame: float
) -> Waypoints:
    """Return the waypoints, each at its place in the world at its frame.

    with_object: the armature's object is itself a joint, so the roots are in the space of its parent. first_frame: the
    scene frame at which the motion begins. Raises InputError for an object that is no empty, and for a facing straight
    up.
    """
    try:
        to_roots = roots_to_world(armature, with_object).inverted()
    except ValueError as error:
        raise InputError(f'"{armature.name}" has a scale of zero; set a larger scale.') from error
    for waypoint in asked:
        check_empty(waypoint.empty)
    points = []
    for waypoint, world in zip(asked, _worlds(asked, scene), strict=True):
        matrix = np.array(to_roots @ world, np.float64)
        facing = matrix[:3, :3] @ FACING
        length = float(np.linalg.norm(facing))
        level = facing - (facing @ np.array(up)) * np.array(up)
        if waypoint.facing and np.linalg.norm(level) < 1e-3 * max(length, 1e-12):
            raise InputError(
                f'The empty "{waypoint.empty.name}" faces straight up or down; rotate it, or disable its facing.'
            )
        points.append(
            Waypoint(
                frame=round(waypoint.frame - first_frame),
                place=_vector(matrix[:3, 3]) if waypoint.place else None,
                facing=_vector(facing / length) if waypoint.facing else None,
                name=waypoint.empty.name,
            )
        )
    return Waypoints(tuple(points), ahead=AHEAD.get(int(np.argmax(np.abs(up)))))


def check_empty(empty: Object | None) -> None:
    """Raise InputError unless this is an empty."""
    if empty is None or empty.type != "EMPTY":
        raise InputError(f'"{empty.name if empty else ""}" is not an empty; choose an empty object as the waypoint.')


def _worlds(asked: Sequence[EmptyAtFrame], scene: Scene) -> list[Matrix]:
    """Return the empties' world matrices at their frames.

    Blender knows present matrices only, and only those of visible empties; others are evaluated in a temporary scene.
    """
    worlds = [waypoint.empty.matrix_world.copy() for waypoint in asked]
    open_ones = [
        number for number, waypoint in enumerate(asked) if _may_move(waypoint.empty) or not waypoint.empty.visible_get()
    ]
    if not open_ones:
        return worlds
    with shown_alone({asked[number].empty for number in open_ones}, scene) as temporary:
        for number in open_ones:
            temporary.frame_set(asked[number].frame)
            graph = temporary.view_layers[0].depsgraph
            worlds[number] = asked[number].empty.evaluated_get(graph).matrix_world.copy()
    return worlds


def _may_move(empty: Object) -> bool:
    """Return whether keys, drivers, tracks or constraints may move an empty or one of its parents."""
    for thing in (empty, *ancestors_of(empty)):
        data = thing.animation_data
        is_animated = data is not None and bool(data.action or data.nla_tracks or data.drivers)
        if is_animated or thing.constraints or thing.type == "ARMATURE":
            return True
    return False


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
