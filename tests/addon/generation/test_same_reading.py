# SPDX-License-Identifier: GPL-3.0-or-later
"""Readings compared by their content: the same with each kind of direction while nothing is touched, else different."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.crowd.crowd import read_crowd
from genmm_addon.crowd.request import CrowdRequest
from genmm_addon.generation.generate import read, same_reading
from genmm_addon.interface.live.asking import ask
from genmm_addon.requests.request_values import panel_request

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero() -> Object:
    """Return the sample character with its walk as the example."""
    rig = add_sample_character(bpy.context).armature
    rig.genmm.frames = 60
    select(rig)
    bpy.ops.genmm.add_example(action="GenMM Walk")
    return rig


def ground(rig: Object) -> Callable[[], None]:
    bpy.ops.mesh.primitive_grid_add(size=40)
    plane = bpy.context.object
    rig.genmm.ground_object, rig.genmm.use_ground = plane, True
    return lambda: setattr(plane.data.vertices[7].co, "z", 0.1)


def waypoints(rig: Object) -> Callable[[], None]:
    empty = bpy.data.objects.new("There", None)
    bpy.context.scene.collection.objects.link(empty)
    row = rig.genmm.waypoints.add()
    row.empty, row.frame = empty, 50
    rig.genmm.use_waypoints = True
    empty.location = (0.5, -1.0, 0.0)
    return lambda: setattr(empty, "location", (0.5, -1.1, 0.0))


def path(rig: Object) -> Callable[[], None]:
    bpy.ops.curve.primitive_bezier_circle_add(radius=4)
    curve = bpy.context.object
    rig.genmm.path_curve, rig.genmm.use_path = curve, True
    return lambda: setattr(curve, "scale", (1.1, 1.1, 1.1))


def loop(rig: Object) -> Callable[[], None]:
    rig.genmm.loop = "IN_PLACE"
    return lambda: setattr(rig.genmm, "loop", "TRAVEL")


def moving_ground(rig: Object) -> Callable[[], None]:
    changed = ground(rig)
    plane = rig.genmm.ground_object
    plane.keyframe_insert("location", frame=1)
    plane.location.z = 1.0
    plane.keyframe_insert("location", frame=100)
    return changed


KINDS = ((), (ground,), (waypoints,), (ground, waypoints), (path,), (loop,), (moving_ground,))


@pytest.mark.every_case
@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: "+".join(kind.__name__ for kind in kinds))
def test_a_reading_is_the_same_until_something_changes(
    hero: Object, kinds: tuple[Callable[[Object], Callable[[], None]], ...]
) -> None:
    changes = [kind(hero) for kind in kinds]
    select(hero)
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    request, _ = panel_request(hero, scene)
    first = read(request, scene)
    asked = ask(hero, scene)
    hero.update_tag()
    bpy.context.view_layer.update()
    assert same_reading(first, read(request, scene))
    assert asked.is_like(ask(hero, scene, asked))
    for change in changes:
        before = read(panel_request(hero, scene)[0], scene)
        change()
        for mesh in bpy.data.meshes:
            mesh.update()
        bpy.context.view_layer.update()
        assert not same_reading(before, read(panel_request(hero, scene)[0], scene))


def test_a_crowd_s_places_are_the_same_until_something_changes(hero: Object) -> None:
    scene, asked = bpy.context.scene, CrowdRequest(agents=4)
    request, _ = panel_request(hero, scene)
    reading = read(request, scene)
    first = read_crowd(bpy.context, request, asked, reading).stage
    scene.frame_set(30)
    assert first.is_as(read_crowd(bpy.context, request, asked, reading).stage)
    hero.location.x = 1.0
    bpy.context.view_layer.update()
    assert not first.is_as(read_crowd(bpy.context, request, asked, reading).stage)
    assert np.isfinite(first.ground.points).all()
