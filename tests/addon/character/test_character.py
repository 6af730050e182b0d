# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of characters: the data that are copied or shared, and the references that lead to the copies."""

from typing import NoReturn

import bpy
import numpy as np
import pytest
from bpy.types import ID, FCurve, Modifier, Object
from characters import (
    add_driver,
    copy_named,
    copy_of,
    data_names,
    make_body,
    make_character,
    make_prop,
    world_bones,
    world_position,
)
from mathutils import Matrix

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.character import character as character_module
from genmm_addon.character.character import duplicate
from genmm_addon.character.naming import base_name, free_number, named, result_suffix
from genmm_addon.character.results_collection import remove_made


def driver_target(curve: FCurve) -> ID:
    return curve.driver.variables[0].targets[0].id


def test_the_copy_shares_armature_and_mesh_and_is_bound_to_itself() -> None:
    source = make_character()
    copy = copy_of(source.armature)
    body = copy_named(copy, "Body")
    assert copy.armature.data == source.armature.data
    assert body.data == source.body.data
    assert body.parent == copy.armature
    assert body.modifiers["Armature"].object == copy.armature
    assert source.body.parent == source.armature
    assert source.body.modifiers["Armature"].object == source.armature


def test_copy_plays_nothing_and_the_source_keeps_playing() -> None:
    source = make_character()
    track = source.armature.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, source.walk)
    source.armature.animation_data.action_influence = 0.5
    copy = copy_of(source.armature)
    assert copy.armature.animation_data.action is None
    assert not copy.armature.animation_data.nla_tracks
    assert copy.armature.animation_data.action_influence == 1.0
    assert assigned(source.armature)[0] == source.walk
    assert len(source.armature.animation_data.nla_tracks) == 1


def test_a_source_in_nla_tweak_mode_can_be_copied() -> None:
    source = make_character()
    data = source.armature.animation_data
    strip = data.nla_tracks.new().strips.new("Walk", 1, source.walk)
    data.action = None
    strip.select = True
    data.nla_tracks[0].select = True
    data.nla_tracks.active = data.nla_tracks[0]
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    copy = copy_of(source.armature)
    assert not copy.armature.animation_data.use_tweak_mode
    assert not copy.armature.animation_data.nla_tracks
    assert data.use_tweak_mode


def test_pose_and_bone_constraints_are_kept() -> None:
    source = make_character()
    source.armature.animation_data_clear()
    bone = source.armature.pose.bones["spine"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.1, 0.2, 0.3)
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.influence = 0.25
    copied = copy_of(source.armature).armature.pose.bones["spine"]
    assert copied.rotation_mode == "XYZ"
    assert copied.rotation_euler[:] == pytest.approx((0.1, 0.2, 0.3))
    assert copied.constraints[limit.name].influence == 0.25


def test_constraints_on_bones_lead_to_the_copies_and_others_stay() -> None:
    source = make_character()
    target, ball = make_prop("Target", source.armature), make_prop("Ball")
    bone = source.armature.pose.bones["hand"]
    reach = bone.constraints.new("IK")
    reach.target = reach.pole_target = target
    bone.constraints.new("COPY_ROTATION").target = source.armature
    bone.constraints.new("TRACK_TO").target = ball
    bone.constraints.new("ARMATURE").targets.new().target = source.armature
    copy = copy_of(source.armature)
    reach, turn, look, hold = copy.armature.pose.bones["hand"].constraints
    assert reach.target == reach.pole_target == copy_named(copy, "Target")
    assert turn.target == copy.armature
    assert look.target == ball
    assert hold.targets[0].target == copy.armature
    assert source.armature.pose.bones["hand"].constraints[0].target == target


def test_drivers_of_the_rig_read_the_copy() -> None:
    source = make_character()
    source.armature["open"] = 0.5
    add_driver(source.armature.pose.bones["hand"], "location", source.armature, '["open"]')
    copy = copy_of(source.armature)
    assert driver_target(copy.armature.animation_data.drivers[0]) == copy.armature
    assert driver_target(source.armature.animation_data.drivers[0]) == source.armature


def test_a_mesh_with_driven_shape_keys_is_copied_and_driven_by_the_copy() -> None:
    source = make_character()
    source.body.shape_key_add(name="Basis")
    smile = source.body.shape_key_add(name="Smile")
    add_driver(smile, "value", source.armature)
    copy = copy_of(source.armature)
    body = copy_named(copy, "Body")
    keys = body.data.shape_keys
    assert body.data != source.body.data
    assert driver_target(keys.animation_data.drivers[0]) == copy.armature
    assert driver_target(source.body.data.shape_keys.animation_data.drivers[0]) == source.armature
    assert body.data in copy.made


def test_meshes_that_share_driven_data_share_its_copy() -> None:
    source = make_character()
    source.body.shape_key_add(name="Basis")
    add_driver(source.body.shape_key_add(name="Smile"), "value", source.armature)
    twin = source.body.copy()
    twin.name = "Twin"
    bpy.context.scene.collection.objects.link(twin)
    copy = copy_of(source.armature)
    assert copy_named(copy, "Twin").data == copy_named(copy, "Body").data != source.body.data


@pytest.mark.parametrize("in_nodes", [False, True])
def test_material_driven_by_the_rig_is_copied(in_nodes: bool) -> None:
    source = make_character()
    paint, skin = bpy.data.materials.new("Paint"), bpy.data.materials.new("Skin")
    for material in (skin, paint):
        if material.node_tree is None:
            material.use_nodes = True
        source.body.data.materials.append(material)
    if in_nodes:
        add_driver(paint.node_tree.nodes.new("ShaderNodeValue").outputs[0], "default_value", source.armature)
    else:
        add_driver(paint, "roughness", source.armature)
    copy = copy_of(source.armature)
    body = copy_named(copy, "Body")
    own = body.material_slots[1].material
    driven = own.node_tree if in_nodes else own
    assert body.data == source.body.data
    assert body.material_slots[0].material == skin
    assert own != paint and own in copy.made
    assert driver_target(driven.animation_data.drivers[0]) == copy.armature
    assert source.body.material_slots[1].material == paint


def test_unparented_mesh_is_placed_and_deformed_with_the_copy() -> None:
    source = make_character()
    shirt = make_body(source.armature, "Shirt", child=False)
    copy = copy_of(source.armature)
    copied = copy_named(copy, "Shirt")
    step = world_position(copy.armature) - world_position(source.armature)
    assert copied.modifiers["Armature"].object == copy.armature
    assert world_position(copied) - world_position(shirt) == pytest.approx(step, abs=1e-5)


def test_children_of_children_and_props_on_bones_come_along() -> None:
    source = make_character()
    sword = make_prop("Sword", source.armature)
    sword.parent_type, sword.parent_bone = "BONE", "hand"
    sword.matrix_parent_inverse = Matrix.Rotation(0.5, 4, "X")
    gem = make_prop("Gem", sword)
    gem.location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = world_position(copy.armature) - world_position(source.armature)
    copied = copy_named(copy, "Gem")
    assert copied.parent == copy_named(copy, "Sword")
    assert copied.parent.parent == copy.armature
    assert copied.parent.parent_bone == "hand"
    assert world_position(copied) - world_position(gem) == pytest.approx(step, abs=1e-5)


def test_a_prop_held_by_child_of_moves_with_the_copy_once() -> None:
    source = make_character()
    lamp = make_prop("Lamp")
    hold = lamp.constraints.new("CHILD_OF")
    hold.target, hold.subtarget = source.armature, "hand"
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    copied = copy_named(copy, "Lamp")
    step = world_position(copy.armature) - world_position(source.armature)
    assert copied.constraints[0].target == copy.armature
    assert world_position(copied) - world_position(lamp) == pytest.approx(step, abs=1e-5)


def test_cameras_and_onlookers_are_not_copied() -> None:
    source = make_character()
    camera = bpy.data.objects.new("Follow", bpy.data.cameras.new("Follow"))
    bpy.context.scene.collection.objects.link(camera)
    camera.parent = source.armature
    onlooker = make_prop("Onlooker")
    onlooker.constraints.new("TRACK_TO").target = source.armature
    copy = copy_of(source.armature)
    assert {thing.name for thing in copy.made} == {"Rig Gen 001", "Body Gen 001"}
    assert onlooker.constraints[0].target == source.armature


def test_modifiers_and_custom_properties_lead_to_the_copies() -> None:
    source = make_character()
    center = make_prop("Center", source.armature)
    source.body.modifiers.new("Mirror", "MIRROR").mirror_object = center
    source.armature["helper"] = center
    copy = copy_of(source.armature)
    assert copy_named(copy, "Body").modifiers["Mirror"].mirror_object == copy_named(copy, "Center")
    assert copy.armature["helper"] == copy_named(copy, "Center")
    assert source.armature["helper"] == center


def node_input(modifier: Modifier, name: str, value: Object | None = None) -> Object:
    """Return the object in a node modifier's input, after setting it to `value` if one is given."""
    if not hasattr(modifier, "properties"):  # before 5.2
        modifier[name] = found = value or modifier[name]
    else:
        socket = getattr(modifier.properties.inputs, name)
        socket.value = found = value or socket.value
    assert isinstance(found, Object)
    return found


def test_node_inputs_lead_to_the_copies() -> None:
    source = make_character()
    tree = bpy.data.node_groups.new("Grow", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    socket = tree.interface.new_socket("Near", in_out="INPUT", socket_type="NodeSocketObject")
    modifier = source.body.modifiers.new("Grow", "NODES")
    modifier.node_group = tree
    node_input(modifier, socket.identifier, source.armature)
    copy = copy_of(source.armature)
    assert node_input(copy_named(copy, "Body").modifiers["Grow"], socket.identifier) == copy.armature
    assert node_input(modifier, socket.identifier) == source.armature


def test_a_rig_that_was_never_evaluated_can_be_copied() -> None:
    data = bpy.data.armatures.new("Fresh")
    fresh = bpy.data.objects.new("Fresh", data)
    bpy.context.scene.collection.objects.link(fresh)
    fresh.animation_data_create()
    assert fresh.pose is None
    scenes = len(bpy.data.scenes)
    copy = duplicate(bpy.context, fresh, number=1)
    assert copy.armature.pose is not None
    assert len(bpy.data.scenes) == scenes


def test_the_copy_moves_as_its_source_when_it_plays_the_same() -> None:
    source = make_character()
    copy = copy_of(source.armature).armature
    step = np.array(copy.matrix_world.translation - source.armature.matrix_world.translation)
    assign(copy, *assigned(source.armature))
    for frame in (1, 17, 40):
        expected = world_bones(source.armature, frame)
        expected[:, :3, 3] += step
        assert world_bones(copy, frame) == pytest.approx(expected, abs=1e-5)


def test_a_failure_half_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_character()
    source.body.shape_key_add(name="Basis")
    add_driver(source.body.shape_key_add(name="Smile"), "value", source.armature)
    before = data_names()

    def fail(*_values: object) -> NoReturn:
        raise RuntimeError("broken")

    monkeypatch.setattr(character_module, "_stand", fail)
    with pytest.raises(RuntimeError, match="broken"):
        copy_of(source.armature)
    assert data_names() == before


def test_removing_a_copy_restores_the_file() -> None:
    source = make_character()
    before = data_names()
    copy = copy_of(source.armature)
    remove_made(bpy.context.scene, list(copy.made))
    assert data_names() == before


def test_the_user_s_edit_and_pose_mode_are_left_alone() -> None:
    source = make_character()
    bpy.context.view_layer.objects.active = source.armature
    bpy.ops.object.mode_set(mode="POSE")
    copy_of(source.armature)
    assert source.armature.mode == "POSE"
    assert bpy.context.view_layer.objects.active == source.armature


def test_names_count_up_and_long_ones_keep_their_number() -> None:
    source = make_character()
    assert free_number(bpy.context.scene, source.armature) == 1
    copy = copy_of(source.armature)
    assert copy.armature.name == "Rig Gen 001"
    assert free_number(bpy.context.scene, source.armature) == 2
    assert base_name(copy.armature) == "Rig"
    long = named("ä" * 40, result_suffix(7))
    assert long.endswith(" Gen 007")
    assert len(long.encode()) <= 63


def test_a_copy_of_a_result_is_not_that_result() -> None:
    source = make_character()
    source.armature["genmm_recipe"] = "{}"
    source.armature["genmm_result"] = {"batch": "x"}
    copy = copy_of(source.armature)
    assert copy.armature.get("genmm_recipe") is None
    assert copy.armature.get("genmm_result") is None
