# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones under a brush: visible on the screen, cut at the near plane, and near a stroke; and bones under a mesh."""

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bpy.types import Depsgraph, Object, PoseBone
from characters import make_character
from hypothesis import given
from hypothesis import strategies as st
from mathutils import Matrix, Vector
from rigs import make_rig

from genmm_addon.interface.parts.bone_picking import (
    Lines,
    View,
    bones_in_stroke,
    distances_to_stroke,
    lines_on_screen,
    points_between,
)
from genmm_addon.interface.parts.paint_operator import bone_of, ray_cast
from genmm_addon.interface.parts.visible_bones import bone_lines, hidden_bones, shown_bones

NEAR, FAR = 0.1, 100.0
# A camera at the origin, along -Z, half as high as it is wide: x = z is the right edge of the image.
PERSPECTIVE = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 2.0, 0.0, 0.0],
        [0.0, 0.0, -(FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR)],
        [0.0, 0.0, -1.0, 0.0],
    ]
)
VIEW = View(PERSPECTIVE, 800.0, 400.0)
ODD = Matrix(((0.0, -1.0, 0.0, 5.0), (2.0, 0.0, 0.0, -3.0), (0.0, 0.0, 2.0, 1.0), (0.0, 0.0, 0.0, 1.0)))

coordinates = st.floats(-500.0, 500.0, allow_nan=False)
points = st.tuples(coordinates, coordinates)


def lines(*ends: Sequence[Sequence[float]]) -> Lines:
    return Lines(np.array(ends, np.float64), np.arange(len(ends)))


def depsgraph() -> Depsgraph:
    return bpy.context.evaluated_depsgraph_get()


def test_a_bone_before_the_camera_is_seen_where_it_is() -> None:
    seen = lines_on_screen(lines([(0, 0, -2), (2, 0, -2)]), VIEW)
    assert np.allclose(seen.ends, [[(400, 200), (800, 200)]])


def test_a_bone_through_the_camera_is_cut_at_the_near_plane() -> None:
    seen = lines_on_screen(lines([(0.05, 0, -10), (0.05, 0, 10)]), VIEW)
    assert np.allclose(seen.ends[0, 1], [400 + 400 * 0.05 / NEAR, 200], atol=1.0)


def test_a_bone_behind_the_camera_is_not_seen_and_others_keep_their_numbers() -> None:
    seen = lines_on_screen(lines([(0, 0, 2), (1, 0, 3)], [(0, 0, -2), (1, 0, -3)]), VIEW)
    assert seen.bones.tolist() == [1]


@given(points, points, points, points)
def test_the_distance_is_that_of_the_two_nearest_points(
    first: tuple[float, float], last: tuple[float, float], start: tuple[float, float], end: tuple[float, float]
) -> None:
    shares = np.linspace(0.0, 1.0, 60)[:, None]
    along, way = (np.array(a) + shares * (np.array(b) - np.array(a)) for a, b in ((first, last), (start, end)))
    sampled = np.linalg.norm(along[:, None] - way[None], axis=2).min()
    distance = distances_to_stroke(np.array([[first, last]]), np.array(start), np.array(end))[0]
    step = (np.linalg.norm(along[1] - along[0]) + np.linalg.norm(way[1] - way[0])) / 2
    assert distance <= sampled + 1e-6 and distance >= sampled - step - 1e-6


def test_a_fast_stroke_misses_no_bone_on_its_way() -> None:
    bones = lines(*[((x, 0), (x, 10)) for x in range(0, 1000, 50)])
    assert bones_in_stroke(bones, (0.0, 5.0), (950.0, 5.0), 1.0) == set(range(20))
    assert bones_in_stroke(bones, (0.0, 12.0), (950.0, 12.0), 1.0) == set()


def test_the_radius_is_that_of_the_circle() -> None:
    bone = lines(((0, 0), (0, 10)))
    assert bones_in_stroke(bone, (3.0, 14.0), (3.0, 14.0), 5.0) == {0}
    assert bones_in_stroke(bone, (3.0, 14.1), (3.0, 14.1), 5.0) == set()


@given(points, points)
def test_way_points_end_at_the_end_and_are_near_to_each_other(
    start: tuple[float, float], end: tuple[float, float]
) -> None:
    way = np.vstack(([start], points_between(start, end, 8.0)))
    assert np.allclose(way[-1], end)
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() <= 8.0 + 1e-9


def test_bones_are_where_the_pose_puts_them_in_the_world() -> None:
    rig = make_rig(("root", "arm"))
    rig.matrix_world = ODD
    rig.pose.bones["root"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    bpy.context.view_layer.update()
    names, bones = shown_bones(rig, depsgraph())
    assert names == ("root", "arm")
    for name, ends in zip(names, bones.ends, strict=True):
        bone = rig.pose.bones[name]
        assert np.allclose(ends, np.array([rig.matrix_world @ bone.head, rig.matrix_world @ bone.tail]), atol=1e-5)


def hide(rig: Object, name: str) -> None:
    owner = rig.pose.bones if hasattr(bpy.types.PoseBone, "hide") else rig.data.bones
    owner[name].hide = True


def test_hidden_bones_are_left_out() -> None:
    rig = make_rig(("root", "spine", "arm", "hand"))
    hide(rig, "spine")
    seen, unseen = rig.data.collections.new("Seen"), rig.data.collections.new("Unseen")
    unseen.is_visible = False
    for name in ("arm", "hand"):
        unseen.assign(rig.data.bones[name])
    seen.assign(rig.data.bones["hand"])
    assert hidden_bones(rig).tolist() == [False, True, True, False]
    assert shown_bones(rig, depsgraph())[1].bones.tolist() == [0, 3]


def with_shape(rig: Object, name: str) -> PoseBone:
    """Give the bone a square shape whose sides are two of its own units away from it, and return it."""
    mesh = bpy.data.meshes.new("Shape")
    mesh.from_pydata([(-2, 0, -2), (2, 0, -2), (2, 0, 2), (-2, 0, 2)], [(0, 1), (1, 2), (2, 3), (3, 0)], [])
    bone = rig.pose.bones[name]
    bone.custom_shape = bpy.data.objects.new("Shape", mesh)
    return bone


def test_a_custom_shape_is_picked_where_it_is_drawn() -> None:
    rig = make_rig(("root", "arm"))
    bone = with_shape(rig, "arm")
    bone.custom_shape_scale_xyz = (1.0, 1.0, 0.5)
    bone.custom_shape_translation = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    _, bones = bone_lines(rig, depsgraph())
    assert bones.bones.tolist() == [0, 1, 1, 1, 1, 1]
    corner = rig.matrix_world @ bone.matrix @ Vector((-2 * bone.length, 1.0, -bone.length))
    assert np.allclose(bones.ends[2, 0], np.array(corner), atol=1e-5)
    bone.custom_shape_transform = rig.pose.bones["root"]
    bpy.context.view_layer.update()
    corner = rig.matrix_world @ rig.pose.bones["root"].matrix @ Vector((-2 * bone.length, 1.0, -bone.length))
    assert np.allclose(bone_lines(rig, depsgraph())[1].ends[2, 0], np.array(corner), atol=1e-5)


def test_shapes_that_are_switched_off_or_no_meshes_do_no_harm() -> None:
    rig = make_rig(("root", "arm"))
    with_shape(rig, "arm")
    rig.pose.bones["root"].custom_shape = bpy.data.objects.new("Nothing", None)
    bpy.context.view_layer.update()
    assert len(bone_lines(rig, depsgraph())[1].ends) == 2 + 4 + 12
    rig.data.show_bone_custom_shapes = False
    assert len(bone_lines(rig, depsgraph())[1].ends) == 2


@pytest.mark.parametrize("subdivided", [False, True])
def test_the_bone_under_the_mesh_is_the_one_that_moves_the_face_most(subdivided: bool) -> None:
    character = make_character()
    character.armature.animation_data_clear()
    bpy.context.view_layer.update()
    body = character.body
    body.vertex_groups["hips"].add([0, 1, 2, 3], 0.4, "REPLACE")
    body.vertex_groups.new(name="hand").add([0, 1, 2, 3], 0.5, "REPLACE")
    body.vertex_groups.new(name="no bone").add([0, 1, 2, 3], 1.0, "REPLACE")
    body.modifiers.new("Subdivision", "SUBSURF").levels = 2 if subdivided else 0
    bpy.context.view_layer.update()
    hit = ray_cast(body, Vector((0.1, -5.0, 1.1)), Vector((0.0, 1.0, 0.0)), depsgraph())
    assert hit is not None and abs(hit.distance - 5.0) < 0.5
    assert bone_of(character.armature, hit, depsgraph()) == "hand"
    character.armature.data.bones["hand"].use_deform = False
    assert bone_of(character.armature, hit, depsgraph()) == "hips"


def test_a_ray_beside_the_mesh_meets_nothing() -> None:
    character = make_character()
    assert ray_cast(character.body, Vector((90.0, -5.0, 1.0)), Vector((0.0, 1.0, 0.0)), depsgraph()) is None


def test_a_piece_that_hangs_on_a_bone_stands_for_it() -> None:
    character = make_character()
    body = character.body
    body.vertex_groups.clear()
    body.modifiers.clear()
    body.parent_type, body.parent_bone = "BONE", "hand"
    bpy.context.view_layer.update()
    center = body.matrix_world @ Vector((0.0, 0.0, 1.0))
    across = body.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0))
    hit = ray_cast(body, center - 3 * across, across, depsgraph())
    assert hit is not None and bone_of(character.armature, hit, depsgraph()) == "hand"
