# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and points of curves that direct a character, and their movement in the world."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Context, Object
from mathutils import Matrix, Vector

from ...animation.reaching.places import PLACES
from ...state.properties import readable_settings
from ...state.selection import character_of, followed_curve
from ..common.drawing import MOST_ROWS


@dataclass(frozen=True)
class Movable:
    """An object, or a control point of its curve.

    on_ground: it is moved along the ground, and not across the view.
    """

    thing: Object
    point: Any = None
    on_ground: bool = True

    @property
    def place(self) -> Vector:
        """Position in the world."""
        world = self.thing.matrix_world
        return world.translation if self.point is None else world @ self.point.co.to_3d()

    @property
    def space(self) -> Matrix:
        """Matrix from the values that are moved to the world."""
        world = self.thing.matrix_world
        return world if self.point is not None else world @ self.thing.matrix_basis.inverted_safe()

    def values(self) -> list[tuple[Any, str, Vector]]:
        """Return the owners, names and present values of what is moved; a Bezier point takes its handles along."""
        if self.point is None:
            return [(self.thing, "location", self.thing.location.copy())]
        names = ("co", "handle_left", "handle_right")
        return [(self.point, name, getattr(self.point, name).copy()) for name in names if hasattr(self.point, name)]

    def move(self, values: Sequence[tuple[Any, str, Vector]], offset: Vector) -> None:
        """Move earlier values by an offset in the world; locked axes of an object stay."""
        local = self.space.to_3x3().inverted_safe() @ offset
        if self.point is None:
            local = Vector([0.0 if self.thing.lock_location[axis] else local[axis] for axis in range(3)])
        for owner, name, value in values:
            moved = value.copy()
            moved.xyz = value.xyz + local
            setattr(owner, name, moved)


def movable_in(context: Context) -> list[Movable]:
    """Return what directs the character of the selection, if the viewport shows it and it may be edited."""
    character = character_of(context)
    if character is None or character.pose is None:
        return []
    settings = readable_settings(character, context.scene)
    found = []
    if settings.use_waypoints:
        found += [Movable(row.empty) for row in settings.waypoints if row.empty is not None and row.use_place]
    for name in dict.fromkeys(place.object for place in PLACES.readable(settings.reaches) if place.point is None):
        thing: Object | None = bpy.data.objects.get(name)
        found += [Movable(thing, on_ground=False)] if thing is not None else []
    curve = followed_curve(context, settings)
    if curve is not None and curve.data.is_editable:
        points = [Movable(curve, point) for point in _points_of(curve)]
        # A drawn stroke has hundreds, which would hide it.
        found += points if len(points) <= MOST_ROWS else []
    view: Any = context.space_data
    return [one for one in found if one.thing.is_editable and one.thing.visible_get(viewport=view)]


def _points_of(curve: Object) -> Iterator[Any]:
    for spline in curve.data.splines:
        yield from spline.bezier_points if spline.type == "BEZIER" else spline.points
