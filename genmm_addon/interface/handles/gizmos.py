# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos that move the waypoints, the path and the places of the character in the viewport."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
from bpy.types import Context, Event, Gizmo, GizmoGroup, Object
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_line_plane

from ...animation.bone_places import PLACES
from ...animation.keys.key_writing import key_location
from ...animation.rig import read_skeleton, scale_of
from ...state.properties import readable_settings
from ...state.selection import character_of, followed_curve
from ..common.blender_bases import Outcome
from ..common.draw_handlers import shows_overlays
from ..common.drawing import MOST_ROWS
from ..timeline.menus import VIEWPORT_MODES
from ..waypoints.drawing import RING_SHARE

SQUARE = tuple((x, y, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (1, 1), (-1, 1), (-1, -1)))
"""Two triangles around the ring, which the mouse selects."""


class GENMM_GT_handle(Gizmo):
    bl_idname = "GENMM_GT_handle"

    # Cast and not annotated, as in the bases of operators.
    number = 0
    _square = cast(Any, None)
    _moved = cast("Movable", None)
    _before = cast("Sequence[tuple[Any, str, Vector]]", ())
    _place, _pressed = cast("Vector", None), cast("Vector", None)
    _toggles = _started = False

    def setup(self) -> None:
        """Make the shape that the mouse selects."""
        self._square = self.new_custom_shape("TRIS", SQUARE)

    def draw(self, _context: Context) -> None:
        """Draw a ring that faces the view."""
        if self.is_highlight:
            self.color = self.color_highlight  # which the preset leaves out; `draw_prepare` sets it back
        self.draw_preset_circle(self.matrix_world)

    def draw_select(self, _context: Context, select_id: int | None = None) -> None:
        """Draw what the mouse selects."""
        self.draw_custom_shape(self._square, select_id=select_id)

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Begin a drag, or a click."""
        self._moved = movable_in(context)[self.number]
        self._before, self._place = self._moved.values(), self._moved.place.copy()
        self._pressed, self._toggles, self._started = _mouse(event), event.shift, False
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event, _tweak: Any) -> Outcome:
        """Follow the mouse, once it is farther away than in a click."""
        settings = context.preferences
        far = settings.inputs.drag_threshold_mouse * settings.system.ui_scale
        self._started = self._started or (_mouse(event) - self._pressed).length > far
        ends = [_under(context, mouse, self._place, self._moved.on_ground) for mouse in (self._pressed, _mouse(event))]
        if self._started and None not in ends:
            self._moved.move(self._before, ends[1] - ends[0])
        return {"RUNNING_MODAL"}

    def exit(self, context: Context, cancel: bool) -> None:
        """Undo a canceled drag; else key the object where keys are inserted automatically, and push an undo step.

        A click selects what is under the mouse, as without the gizmo.
        """
        thing = self._moved.thing
        if cancel:
            self._moved.move(self._before, Vector((0.0, 0.0, 0.0)))
        elif not self._started:
            location = round(self._pressed.x), round(self._pressed.y)
            bpy.ops.view3d.select("EXEC_DEFAULT", True, location=location, toggle=self._toggles)
        else:
            if self._moved.point is None and context.scene.tool_settings.use_keyframe_insert_auto:
                key_location(thing)
            bpy.ops.ed.undo_push(message=f"Move {thing.name}")


class GENMM_GGT_directions(GizmoGroup):
    bl_idname = "GENMM_GGT_directions"
    bl_label = "Waypoints, Path and Places"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "SCALE", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether overlays are shown, and the character has something to move."""
        return shows_overlays(context) and context.mode in VIEWPORT_MODES and bool(movable_in(context))

    def setup(self, _context: Context) -> None:
        """Add no gizmo yet: their number changes with the panel."""

    def draw_prepare(self, context: Context) -> None:
        """Place one gizmo on each thing, in the colors of the theme."""
        things, character = movable_in(context), character_of(context)
        for number in range(len(self.gizmos), len(things)):
            cast(Any, self.gizmos.new(GENMM_GT_handle.bl_idname)).number = number
        theme = context.preferences.themes[0].user_interface
        size = RING_SHARE * float(read_skeleton(character).size) * scale_of(character)
        facing = context.region_data.view_rotation.to_matrix().to_4x4()
        for number, gizmo in enumerate(self.gizmos):
            gizmo.hide = number >= len(things)
            if not gizmo.hide:
                gizmo.matrix_basis = Matrix.Translation(things[number].place) @ facing
                gizmo.scale_basis = size
                gizmo.color, gizmo.color_highlight = theme.gizmo_primary, theme.gizmo_hi


def _mouse(event: Event) -> Vector:
    return Vector((event.mouse_region_x, event.mouse_region_y))


def _under(context: Context, mouse: Vector, place: Vector, on_ground: bool) -> Vector | None:
    """Return the point under the mouse at the height of a place, or at its depth in the view; None at the horizon."""
    region, view = context.region, context.region_data
    start, ray = (turn(region, view, mouse[:]) for turn in (region_2d_to_origin_3d, region_2d_to_vector_3d))
    along = on_ground and not view.is_orthographic_side_view
    normal = Vector((0.0, 0.0, 1.0)) if along else view.view_rotation @ Vector((0.0, 0.0, 1.0))
    point = intersect_line_plane(start, start + ray, place, normal)
    return point if point is not None and (point - start).dot(ray) > 0 else None


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
    return [handle for handle in found if handle.thing.is_editable and handle.thing.visible_get(viewport=view)]


def _points_of(curve: Object) -> Iterator[Any]:
    for spline in curve.data.splines:
        yield from spline.bezier_points if spline.type == "BEZIER" else spline.points
