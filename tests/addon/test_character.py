# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of characters: what is copied, what is shared, what leads where, and where it stands."""

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from characters import copy_named, copy_of, data_names, make_body, make_character, world_bones
from mathutils import Matrix, Vector
from rigs import make_rig

from genmm_addon import character as character_module
from genmm_addon.actions import assign, assigned
from genmm_addon.character import duplicate
from genmm_addon.core import InputError
from genmm_addon.generate import Output, generate
from genmm_addon.naming import base_name, free_number, named, result_suffix
from genmm_addon.reading import ExampleSpec
from genmm_addon.recipe import recipe_of, request_from_recipe
from genmm_addon.request import Request
from genmm_addon.results_collection import remove_made


def make_prop(name, parent=None):
    prop = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(prop)
    prop.parent = parent
    return prop


def add_driver(block, path, target, data_path="location.x"):
    curve = block.driver_add(path)
    curve = curve[0] if isinstance(curve, list) else curve
    variable = curve.driver.variables.new()
    variable.targets[0].id = target
    variable.targets[0].data_path = data_path
    curve.driver.expression = variable.name
    return curve


def driver_target(curve):
    return curve.driver.variables[0].targets[0].id


def world_position(thing):
    return np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation)


def test_the_copy_shares_armature_and_mesh_and_is_bound_to_itself():
    source = make_character()
    copy = copy_of(source.armature)
    body = copy_named(copy, "Body")
    assert copy.armature.data == source.armature.data
    assert body.data == source.body.data
    assert body.parent == copy.armature
    assert body.modifiers["Armature"].object == copy.armature
    assert source.body.parent == source.armature
    assert source.body.modifiers["Armature"].object == source.armature


def test_the_copy_plays_nothing_and_the_source_goes_on():
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


def test_a_source_in_nla_tweak_mode_can_be_copied():
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


def test_pose_and_bone_constraints_are_kept():
    source = make_character()
    source.armature.animation_data_clear()
    bone = source.armature.pose.bones["spine"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.1, 0.2, 0.3)
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.influence = 0.25
    copied = copy_of(source.armature).armature.pose.bones["spine"]
    assert copied.rotation_mode == "XYZ"
    assert tuple(copied.rotation_euler) == pytest.approx((0.1, 0.2, 0.3))
    assert copied.constraints[limit.name].influence == 0.25


def test_constraints_on_bones_lead_to_the_copies_and_others_stay():
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


def test_drivers_of_the_rig_read_the_copy():
    source = make_character()
    source.armature["open"] = 0.5
    add_driver(source.armature.pose.bones["hand"], "location", source.armature, '["open"]')
    copy = copy_of(source.armature)
    assert driver_target(copy.armature.animation_data.drivers[0]) == copy.armature
    assert driver_target(source.armature.animation_data.drivers[0]) == source.armature


def test_a_mesh_with_driven_shape_keys_is_copied_and_driven_by_the_copy():
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


def test_meshes_that_share_driven_data_share_its_copy():
    source = make_character()
    source.body.shape_key_add(name="Basis")
    add_driver(source.body.shape_key_add(name="Smile"), "value", source.armature)
    twin = source.body.copy()
    twin.name = "Twin"
    bpy.context.scene.collection.objects.link(twin)
    copy = copy_of(source.armature)
    assert copy_named(copy, "Twin").data == copy_named(copy, "Body").data != source.body.data


@pytest.mark.parametrize("in_nodes", [False, True])
def test_a_material_that_the_rig_drives_is_the_copy_s_own(in_nodes):
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


def test_a_mesh_that_is_no_child_stands_and_bends_with_the_copy():
    source = make_character()
    shirt = make_body(source.armature, "Shirt", child=False)
    copy = copy_of(source.armature)
    copied = copy_named(copy, "Shirt")
    step = world_position(copy.armature) - world_position(source.armature)
    assert copied.modifiers["Armature"].object == copy.armature
    assert world_position(copied) - world_position(shirt) == pytest.approx(step, abs=1e-5)


def test_children_of_children_and_props_on_bones_come_along():
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


def test_a_prop_held_by_child_of_moves_with_the_copy_once():
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


def test_cameras_and_onlookers_are_not_copied():
    source = make_character()
    camera = bpy.data.objects.new("Follow", bpy.data.cameras.new("Follow"))
    bpy.context.scene.collection.objects.link(camera)
    camera.parent = source.armature
    onlooker = make_prop("Onlooker")
    onlooker.constraints.new("TRACK_TO").target = source.armature
    copy = copy_of(source.armature)
    assert {thing.name for thing in copy.made} == {"Rig GenMM 001", "Body GenMM 001"}
    assert onlooker.constraints[0].target == source.armature


def test_modifiers_and_custom_properties_lead_to_the_copies():
    source = make_character()
    centre = make_prop("Centre", source.armature)
    source.body.modifiers.new("Mirror", "MIRROR").mirror_object = centre
    source.armature["helper"] = centre
    copy = copy_of(source.armature)
    assert copy_named(copy, "Body").modifiers["Mirror"].mirror_object == copy_named(copy, "Centre")
    assert copy.armature["helper"] == copy_named(copy, "Centre")
    assert source.armature["helper"] == centre


def node_input(modifier, name, value=None):
    """The object that a node modifier's input holds, after setting it to `value` where one is given."""
    if not hasattr(modifier, "properties"):  # before 5.2
        modifier[name] = value or modifier[name]
        return modifier[name]
    socket = getattr(modifier.properties.inputs, name)
    socket.value = value or socket.value
    return socket.value


def test_node_inputs_lead_to_the_copies():
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


def test_copies_stand_beside_each_other_without_touching():
    source = make_character()
    places = [world_position(source.armature)[0]]
    places += [world_position(copy_of(source.armature, number).armature)[0] for number in (1, 2, 3)]
    steps = np.diff(places)
    assert np.all(steps > 2.0)  # the mesh is 2 wide
    assert np.all(steps < 4.0)
    assert np.allclose(steps, steps[0])


@pytest.mark.parametrize("turn", [0.0, 0.5, 2.0])
def test_a_turned_and_scaled_rig_is_copied_along_the_ground(turn):
    source = make_character()
    source.armature.rotation_euler = (math.pi / 2, 0.0, turn)
    source.armature.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = world_position(copy.armature) - world_position(source.armature)
    assert step[2] == pytest.approx(0.0, abs=1e-6)
    assert 0.02 < np.linalg.norm(step) < 0.04
    assert abs(math.atan2(step[1], step[0]) - turn) < 1e-4


def test_a_parented_rig_stands_beside_in_the_world():
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


def test_a_rig_on_a_bone_stands_beside_in_the_world():
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


def test_an_object_that_will_be_animated_stands_beside_through_its_delta():
    source = make_character()
    copy = copy_of(source.armature, animated=("location",))
    copy.armature.location = (7.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert world_position(copy.armature)[0] > 9.0
    assert not copy.notes


def test_an_object_without_any_free_location_says_so():
    source = make_character()
    assert copy_of(source.armature).notes == ()
    assert "Rig" in copy_of(source.armature, 2, animated=("location", "delta_location")).notes[0]


def test_a_driven_location_stands_beside_through_its_delta():
    source = make_character()
    source.armature["place"] = 4.0
    add_driver(source.armature, "location", source.armature, '["place"]')
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    assert world_position(copy.armature)[0] > world_position(source.armature)[0] + 2.0


def test_copies_go_into_one_collection_that_shows():
    source = make_character()
    first, second = copy_of(source.armature, 1), copy_of(source.armature, 2)
    (collection,) = first.armature.users_collection
    assert collection.name == "GenMM"
    assert second.armature.users_collection == (collection,)
    bpy.context.view_layer.layer_collection.children["GenMM"].exclude = True
    third = copy_of(source.armature, 3)
    assert third.armature.visible_get()
    assert third.armature.users_collection != (collection,)


def test_a_users_own_collection_of_that_name_is_left_alone():
    source = make_character()
    own = bpy.data.collections.new("GenMM")
    bpy.context.scene.collection.children.link(own)
    copy_of(source.armature)
    assert not own.objects


@pytest.mark.parametrize("way", ["hide_viewport", "excluded", "eye"])
def test_a_hidden_character_gives_a_copy_that_shows(way):
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
def test_pieces_that_were_hidden_stay_hidden(armature_shows):
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
    assert not any(thing.name.startswith("Widget GenMM") for thing in copy.made)


def test_a_rig_that_was_never_evaluated_can_be_copied():
    data = bpy.data.armatures.new("Fresh")
    fresh = bpy.data.objects.new("Fresh", data)
    bpy.context.scene.collection.objects.link(fresh)
    fresh.animation_data_create()
    assert fresh.pose is None
    scenes = len(bpy.data.scenes)
    copy = duplicate(bpy.context, fresh, number=1)
    assert copy.armature.pose is not None
    assert len(bpy.data.scenes) == scenes


def save_library(path):
    source = make_character()
    things = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(things)
    for thing in (source.armature, source.body):
        bpy.context.scene.collection.objects.unlink(thing)
        things.objects.link(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_factory_settings(use_empty=True)


def link_hero(path):
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["Hero"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.context.view_layer.update()
    return wanted.collections[0]


def reload(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.mark.parametrize("overridden", [False, True])
def test_copies_of_linked_and_overridden_characters_survive_reloading(tmp_path: Path, overridden):
    save_library(tmp_path / "hero.blend")
    collection = link_hero(tmp_path / "hero.blend")
    if overridden:
        collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    source = next(
        thing
        for thing in bpy.context.scene.objects
        if thing.type == "ARMATURE" and (thing.override_library is not None) == overridden
    )
    name = copy_of(source).armature.name
    reload(tmp_path / "shot.blend")
    copy = bpy.data.objects[name]
    body = bpy.data.objects["Body GenMM 001"]
    assert copy.library is None and copy.override_library is None
    assert copy.data.library is not None
    assert body.parent == body.modifiers["Armature"].object == copy
    assert copy.location.x > 2.0
    assert [collection.name for collection in copy.users_collection] == ["GenMM"]


def test_the_copy_moves_as_its_source_when_it_plays_the_same():
    source = make_character()
    copy = copy_of(source.armature).armature
    step = np.array(copy.matrix_world.translation - source.armature.matrix_world.translation)
    assign(copy, *assigned(source.armature))
    for frame in (1, 17, 40):
        expected = world_bones(source.armature, frame)
        expected[:, :3, 3] += step
        assert world_bones(copy, frame) == pytest.approx(expected, abs=1e-5)


def test_a_failure_half_way_leaves_nothing(monkeypatch):
    source = make_character()
    source.body.shape_key_add(name="Basis")
    add_driver(source.body.shape_key_add(name="Smile"), "value", source.armature)
    before = data_names()

    def fail(*_values):
        raise RuntimeError("broken")

    monkeypatch.setattr(character_module, "_stand", fail)
    with pytest.raises(RuntimeError, match="broken"):
        duplicate(bpy.context, source.armature, number=1)
    assert data_names() == before


def test_removing_what_was_made_restores_the_file():
    source = make_character()
    before = data_names()
    copy = copy_of(source.armature)
    remove_made(bpy.context.scene, list(copy.made))
    assert data_names() == before


def test_the_user_s_edit_and_pose_mode_are_left_alone():
    source = make_character()
    bpy.context.view_layer.objects.active = source.armature
    bpy.ops.object.mode_set(mode="POSE")
    copy_of(source.armature)
    assert source.armature.mode == "POSE"
    assert bpy.context.view_layer.objects.active == source.armature


def test_names_count_up_and_long_ones_keep_their_number():
    source = make_character()
    assert free_number(bpy.context.scene, source.armature) == 1
    copy = copy_of(source.armature)
    assert copy.armature.name == "Rig GenMM 001"
    assert free_number(bpy.context.scene, source.armature) == 2
    assert base_name(copy.armature) == "Rig"
    long = named("ä" * 40, result_suffix(7))
    assert long.endswith(" GenMM 007")
    assert len(long.encode()) <= 63


def test_a_copy_of_a_result_is_not_that_result():
    source = make_character()
    source.armature["genmm_recipe"] = "{}"
    source.armature["genmm_result"] = {"batch": "x"}
    copy = copy_of(source.armature)
    assert "genmm_recipe" not in copy.armature
    assert "genmm_result" not in copy.armature


def test_a_vector_up_says_nothing_of_what_is_beside():
    source = make_character()
    source.armature.rotation_euler = (0.0, math.pi / 2, 0.0)
    bpy.context.view_layer.update()
    copy = copy_of(source.armature)
    step = Vector(world_position(copy.armature) - world_position(source.armature))
    assert step.z == pytest.approx(0.0, abs=1e-6)
    assert step.length > 0.5


@pytest.mark.parametrize("overridden", [False, True])
def test_a_linked_character_s_recipe_runs_again_in_another_session(tmp_path: Path, overridden):
    save_library(tmp_path / "hero.blend")
    collection = link_hero(tmp_path / "hero.blend")
    if overridden:
        collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    source = next(
        thing
        for thing in bpy.context.scene.objects
        if thing.type == "ARMATURE" and (thing.override_library is not None) == overridden
    )
    walk = next(action for action in bpy.data.actions if action.name == "Walk")
    assert walk.library is not None
    (result,) = generate(bpy.context, Request(source, (ExampleSpec(walk),), 25))
    name, source_name, library = result.object.name, source.name, source.library is not None
    reload(tmp_path / "shot.blend")
    again = request_from_recipe(recipe_of(bpy.data.objects[name]))
    assert again.armature.name == source_name
    assert (again.armature.library is not None) == library
    assert again.examples[0].action.library is not None
    assert generate(bpy.context, again)[0].object.name == "Rig GenMM 002"


def override_hero(path, *, system):
    collection = link_hero(path)
    collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    armature = next(thing for thing in bpy.context.scene.objects if thing.override_library and thing.type == "ARMATURE")
    armature.override_library.is_system_override = system
    return armature, next(action for action in bpy.data.actions if action.name == "Walk")


def test_an_editable_override_takes_a_new_action_that_survives_reloading(tmp_path: Path):
    save_library(tmp_path / "hero.blend")
    armature, walk = override_hero(tmp_path / "hero.blend", system=False)
    (result,) = generate(bpy.context, Request(armature, (ExampleSpec(walk),), 25, output=Output.NEW_ACTION))
    names = armature.name, result.action.name
    reload(tmp_path / "shot.blend")
    action, _ = assigned(bpy.data.objects[names[0]])
    assert action.name == names[1]
    assert recipe_of(action).output is Output.NEW_ACTION


@pytest.mark.parametrize("output", [Output.NEW_ACTION, Output.NLA_STRIP])
def test_a_linked_character_cannot_take_a_new_action_itself(tmp_path: Path, output):
    save_library(tmp_path / "hero.blend")
    armature, walk = override_hero(tmp_path / "hero.blend", system=True)
    for character in (armature, armature.override_library.reference):
        with pytest.raises(InputError, match="New Character"):
            generate(bpy.context, Request(character, (ExampleSpec(walk),), 25, output=output))
