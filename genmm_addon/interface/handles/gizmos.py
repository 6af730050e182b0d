# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos that move the waypoints, the path and the places of the character in the viewport."""

from collections.abc import Sequence
from typing import Any, cast

import bpy
from bpy.types import Context, Event, Gizmo, GizmoGroup
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_line_plane

from ...animation.keys.key_writing import key_location
from ...animation.rig import read_skeleton
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.draw_handlers import shows_overlays
from ..timeline.menus import VIEWPORT_MODES
from ..waypoints.lines import RING_SHARE
from ..waypoints.shown import scale_of
from .movable import Movable, movable_in

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
