# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that the gizmos of the viewport move: waypoints, places and points of the path, in the world."""

import bpy
import pytest
from bpy.types import Object
from interface import select
from mathutils import Vector

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.handles.gizmos import Movable, movable_in

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero() -> Object:
    """Return the sample character with a waypoint."""
    rig = add_sample_character(bpy.context).armature
    select(rig)
    bpy.ops.genmm.add_row(rows="waypoints", source="CURSOR")
    return rig


def add_curve(hero: Object, points: int) -> Object:
    data = bpy.data.curves.new("Way", "CURVE")
    data.splines.new("POLY").points.add(points - 1)
    curve = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(curve)
    hero.genmm.path_curve, hero.genmm.use_path = curve, True
    return curve


def test_what_the_panel_uses_is_found(hero: Object) -> None:
    (waypoint,) = movable_in(bpy.context)
    assert waypoint.thing == hero.genmm.waypoints[0].empty and waypoint.on_ground
    hero.genmm.use_waypoints = False
    assert movable_in(bpy.context) == []
    bpy.ops.genmm.add_row(rows="reaches", bone="Hand.R", first=1, last=9)
    (place,) = movable_in(bpy.context)
    assert place.thing.name == "Hand.R Place" and not place.on_ground


def test_hidden_empties_and_long_curves_are_left_out(hero: Object) -> None:
    hero.genmm.waypoints[0].empty.hide_set(True)
    assert movable_in(bpy.context) == []
    add_curve(hero, 4)
    assert len(movable_in(bpy.context)) == 4
    add_curve(hero, 100)
    assert movable_in(bpy.context) == []


def test_an_object_moves_in_the_world_below_a_turned_parent_and_locked_axes_stay(hero: Object) -> None:
    empty = hero.genmm.waypoints[0].empty
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler.z, parent.scale = 0.7, (2.0, 2.0, 2.0)
    empty.parent = parent
    bpy.context.view_layer.update()
    moved, before = Movable(empty), empty.matrix_world.translation.copy()
    values = moved.values()
    moved.move(values, Vector((1.0, 2.0, 0.5)))
    bpy.context.view_layer.update()
    assert (moved.place - before - Vector((1.0, 2.0, 0.5))).length < 1e-5
    empty.lock_location[2] = True
    moved.move(values, Vector((1.0, 2.0, 3.0)))
    bpy.context.view_layer.update()
    assert (moved.place - before - Vector((1.0, 2.0, 0.0))).length < 1e-5


def test_a_point_of_a_curve_keeps_its_weight(hero: Object) -> None:
    curve = add_curve(hero, 2)
    curve.scale = (2.0, 2.0, 2.0)
    curve.data.splines[0].points[1].co = (1.0, 0.0, 0.0, 0.5)
    bpy.context.view_layer.update()
    point = movable_in(bpy.context)[-1]
    point.move(point.values(), Vector((0.0, 2.0, 0.0)))
    assert curve.data.splines[0].points[1].co[:] == pytest.approx((1.0, 1.0, 0.0, 0.5))
