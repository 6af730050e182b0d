# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of characters: their places, and the collection that contains them."""

import math

import bpy
import numpy as np
import pytest
from characters import add_driver, copy_named, copy_of, make_body, make_character, make_prop, world_position
from mathutils import Vector
from rigs import make_rig


def test_copies_stand_beside_each_other_without_touching() -> None:
    source = make_character()
    places = [world_position(source.armature)[0]]
    places += [world_position(copy_of(source.armature, number).armature)[0] for number in (1, 2, 3)]
    steps = np.diff(places)
    assert np.all(steps > 2.0)  # the mesh is 2 wide
    assert np.all(steps < 4.0)
    assert np.allclose(steps, steps[0])


@pytest.mark.parametrize("pose", [0.0, 1.5])
@pytest.mark.parametrize("held", ["bone", "child", "constraint"])
def test_copies_stand_clear_of_a_wide_prop_in_any_pose(held: str, pose: float) -> None:
    source = make_character()
    source.armature.pose.bones[0].rotation_mode = "XYZ"
    source.armature.pose.bones[0].rotation_euler.y = pose
    beam = bpy.data.meshes.new("Beam")
    beam.from_pydata([(-4.0, 0.0, 0.0), (4.0, 0.0, 0.0)], [(0, 1)], [])
    prop = bpy.data.objects.new("Beam", beam)
    bpy.context.scene.collection.objects.link(prop)
    bone = source.armature.pose.bones[0].name
    if held == "constraint":
        constraint = prop.constraints.new("CHILD_OF")
        constraint.target, constraint.subtarget = source.armature, bone
    else:
        handle = make_prop("Handle") if held == "child" else prop
        handle.parent, handle.parent_type, handle.parent_bone = source.armature, "BONE", bone
        prop.parent = handle if held == "child" else prop.parent
    bpy.context.view_layer.update()
    copies = [copy_of(source.armature, number).armature for number in (1, 2)]
    steps = np.diff([world_position(rig)[0] for rig in (source.armature, *copies)])
    assert np.all(steps > 8.0) and np.all(steps < 14.0)


def test_object_bound_by_an_armature_constraint_moves_with_its_copy() -> None:
    source = make_character()
    prop = make_prop("Lamp")
    constraint = prop.constraints.new("ARMATURE")
    target = constraint.targets.new()
    target.target, target.subtarget = source.armature, source.armature.pose.bones[0].name
    bpy.context.view_layer.update()
    apart = world_position(prop) - world_position(source.armature)
    copy = copy_of(source.armature)
    bpy.context.view_layer.update()
    lamp = copy.copies[prop]
    assert np.allclose(world_position(lamp) - world_position(copy.armature), apart, atol=0.2)  # of another pose


@pytest.mark.parametrize("turn", [0.0, 0.5, 2.0])
def test_a_turned_and_scaled_rig_is_copied_along_the_ground(turn: float) -> None:
    source = make_character()
    source.armature.rotation_euler = (math.pi / 2, 0.0, turn)
    source.armature.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = world_position(copy.armature) - world_position(source.armature)
    assert step[2] == pytest.approx(0.0, abs=1e-6)
    assert 0.02 < np.linalg.norm(step) < 0.04
    assert abs(math.atan2(step[1], step[0]) - turn) < 1e-4


def test_a_parented_rig_stands_beside_in_the_world() -> None:
    source = make_character()
    ship = make_prop("Ship")
    ship.location, ship.rotation_euler, ship.scale = (3.0, 1.0, 0.0), (0.3, 0.2, 1.0), (2.0, 2.0, 2.0)
    source.armature.parent = ship
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = world_position(copy.armature) - world_position(source.armature)
    assert copy.armature.parent == ship
    assert step[2] == pytest.approx(0.0, abs=1e-5)
    assert 4.0 < np.linalg.norm(step) < 8.0


def test_a_rig_on_a_bone_stands_beside_in_the_world() -> None:
    horse = make_rig(("back", "neck"))
    horse.name = "Horse"
    horse.pose.bones["neck"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    source = make_character()
    source.armature.parent = horse
    source.armature.parent_type, source.armature.parent_bone = "BONE", "neck"
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = world_position(copy.armature) - world_position(source.armature)
    assert step[2] == pytest.approx(0.0, abs=1e-5)
    assert np.linalg.norm(step) > 2.0


def test_an_object_that_will_be_animated_stands_beside_through_its_delta() -> None:
    source = make_character()
    copy = copy_of(source.armature, animated=("location",))
    copy.armature.location = (7.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert world_position(copy.armature)[0] > 9.0
    assert not copy.notes


def test_an_object_without_any_free_location_says_so() -> None:
    source = make_character()
    assert copy_of(source.armature).notes == ()
    assert "Rig" in copy_of(source.armature, 2, animated=("location", "delta_location")).notes[0]


def test_a_driven_location_stands_beside_through_its_delta() -> None:
    source = make_character()
    source.armature["place"] = 4.0
    add_driver(source.armature, "location", source.armature, '["place"]')
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    assert world_position(copy.armature)[0] > world_position(source.armature)[0] + 2.0


def test_copies_go_into_one_collection_that_shows() -> None:
    source = make_character()
    first, second = copy_of(source.armature, 1), copy_of(source.armature, 2)
    (collection,) = first.armature.users_collection
    assert collection.name == "GenMM"
    assert second.armature.users_collection == (collection,)
    bpy.context.view_layer.layer_collection.children["GenMM"].exclude = True
    third = copy_of(source.armature, 3)
    assert third.armature.visible_get()
    assert third.armature.users_collection != (collection,)


def test_collection_of_the_user_with_the_same_name_is_left_unchanged() -> None:
    source = make_character()
    own = bpy.data.collections.new("GenMM")
    bpy.context.scene.collection.children.link(own)
    copy_of(source.armature)
    assert not own.objects


@pytest.mark.parametrize("way", ["hide_viewport", "excluded", "eye"])
def test_a_hidden_character_gives_a_copy_that_shows(way: str) -> None:
    source = make_character()
    if way == "hide_viewport":
        source.armature.hide_viewport = True
    elif way == "eye":
        source.armature.hide_set(True)
    else:
        away = bpy.data.collections.new("Away")
        bpy.context.scene.collection.children.link(away)
        for thing in (source.armature, source.body):
            bpy.context.scene.collection.objects.unlink(thing)
            away.objects.link(thing)
        bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    copy = copy_of(source.armature)
    assert copy.armature.visible_get()
    assert copy_named(copy, "Body").modifiers["Armature"].object == copy.armature


@pytest.mark.parametrize("armature_shows", [True, False])
def test_pieces_that_were_hidden_stay_hidden(armature_shows: bool) -> None:
    source = make_character()
    source.armature.hide_set(not armature_shows)
    shell, widget = make_body(source.armature, "Shell"), make_body(source.armature, "Widget")
    shell.hide_set(True)
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    bpy.context.scene.collection.objects.unlink(widget)
    away.objects.link(widget)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    copy = copy_of(source.armature)
    assert not copy_named(copy, "Shell").visible_get()
    assert copy_named(copy, "Body").visible_get()
    assert not any(thing.name.startswith("Widget Gen") for thing in copy.made)


def test_copies_are_placed_level_when_the_character_lies_on_its_side() -> None:
    source = make_character()
    source.armature.rotation_euler = (0.0, math.pi / 2, 0.0)
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = Vector(world_position(copy.armature) - world_position(source.armature))
    assert step.z == pytest.approx(0.0, abs=1e-6)
    assert step.length > 0.5
