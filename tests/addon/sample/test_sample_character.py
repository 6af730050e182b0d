# SPDX-License-Identifier: GPL-3.0-or-later
"""Addition of the sample character: the objects that it adds, and those that it leaves unchanged."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.character.sample.sample_skeleton import BONES, rest_matrices
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.interface.generate import sample_operator
from genmm_addon.state.registration import register_module, unregister_module

NAMES = ["GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud", "GenMM Wave", "GenMM Dance"]


@pytest.fixture
def operator() -> Iterator[None]:
    register_module(sample_operator)
    yield
    unregister_module(sample_operator)


def add() -> SampleCharacter:
    return add_sample_character(bpy.context)


def vertices(body: Object) -> np.ndarray:
    """Return the world positions of the skinned body's vertices, `(N, 3)`."""
    evaluated = body.evaluated_get(bpy.context.view_layer.depsgraph)
    flat = np.empty(3 * len(evaluated.data.vertices), np.float32)
    evaluated.data.vertices.foreach_get("co", flat)
    matrix = np.array(evaluated.matrix_world)
    return np.asarray(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])


@pytest.mark.parametrize(("unit", "height"), [(1.0, 1.7), (0.01, 170.0), (0.3048, 1.7 / 0.3048)])
def test_it_is_as_tall_as_a_person_in_the_scenes_units(unit: float, height: float) -> None:
    bpy.context.scene.unit_settings.scale_length = unit
    added = add()
    added.armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    heights = vertices(added.body)[:, 2]
    assert heights.min() == pytest.approx(0.0, abs=0.01 * height)
    assert heights.max() == pytest.approx(height, rel=0.02)


def test_the_bones_rest_as_they_were_designed() -> None:
    armature = add().armature
    assert len(armature.data.bones) == 22
    for bone, matrix in zip(BONES, rest_matrices(), strict=True):
        made = np.array(armature.data.bones[bone.name].matrix_local)
        assert np.allclose(made[:3, :3], matrix, atol=1e-5)
        assert np.allclose(made[:3, 3], bone.head, atol=1e-6)


def test_the_character_plays_the_motion_that_was_authored() -> None:
    added = add()
    scene = bpy.context.scene
    walk = sample_motions(scene.render.fps / scene.render.fps_base)["GenMM Walk"]
    positions = walk.pose()[1]
    for frame in (0, 57, walk.frames - 1):
        scene.frame_set(scene.frame_start + frame)
        played = np.array([added.armature.pose.bones[bone.name].head for bone in BONES])
        assert np.abs(played - positions[frame]).max() < 1e-4


def test_weights_sum_to_one_and_every_bone_moves_some_of_the_body() -> None:
    added = add()
    groups = [group.name for group in added.body.vertex_groups]
    sums, used = [], set()
    for vertex in added.body.data.vertices:
        sums.append(sum(element.weight for element in vertex.groups))
        used |= {groups[element.group] for element in vertex.groups}
    assert np.allclose(sums, 1.0, atol=1e-5)
    assert used <= {bone.name for bone in BONES}
    assert {bone.name for bone in BONES} - used == {"Shoulder.L", "Shoulder.R"}


def test_the_body_lies_along_its_bones() -> None:
    added = add()
    bones = added.armature.data.bones
    added.armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    rest = vertices(added.body)
    heads, tails = (np.array([getattr(bone, end) for bone in bones]) for end in ("head_local", "tail_local"))
    along = tails - heads
    shares = np.clip(np.sum((rest[:, None] - heads) * along, axis=2) / np.sum(along**2, axis=1), 0.0, 1.0)
    away = np.linalg.norm(rest[:, None] - heads - shares[..., None] * along, axis=2).min(axis=1)
    assert away.max() < 0.15


def test_the_surfaces_face_outward() -> None:
    mesh = add().body.data
    mesh.calc_loop_triangles()
    corners = np.array([[mesh.vertices[index].co for index in face.vertices] for face in mesh.loop_triangles])
    volume = np.sum(corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume > 0.03


def test_the_walk_plays_and_all_actions_have_the_characters_slot() -> None:
    added = add()
    playing = assigned(added.armature)
    assert playing is not None
    assert playing[0] == added.actions[0]
    assert [action.name for action in added.actions] == NAMES
    for action in added.actions:
        assign(added.armature, action)
        head = []
        for frame in (1, 40):
            bpy.context.scene.frame_set(frame)
            head.append(added.armature.pose.bones["Hand.L"].head.copy())
        assert (head[0] - head[1]).length > 0.01
        assert action.use_fake_user


@pytest.mark.parametrize(("fps", "base"), [(24, 1.0), (30, 1.0), (60, 1.001)])
def test_the_walk_lasts_ten_seconds_at_any_frame_rate(fps: int, base: float) -> None:
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    bpy.context.scene.frame_start = 101
    start, end = add().actions[0].frame_range[:]
    assert start == 101.0
    assert (end - start) * base / fps == pytest.approx(10.0, abs=base / fps)


def test_only_the_new_character_is_selected_and_active() -> None:
    other = bpy.data.objects.new("Other", None)
    bpy.context.collection.objects.link(other)
    other.select_set(True)
    added = add()
    assert bpy.context.selected_objects == [added.armature]
    assert bpy.context.view_layer.objects.active == added.armature
    assert bpy.context.mode == "OBJECT"


def test_its_bones_are_seen_through_its_body() -> None:
    assert add().armature.show_in_front


def test_it_stands_at_the_3d_cursor() -> None:
    bpy.context.scene.cursor.location = (3.0, -2.0, 1.0)
    assert add().armature.location[:] == (3.0, -2.0, 1.0)


def test_nothing_else_is_left_in_the_file() -> None:
    scene = bpy.context.scene
    before = scene.frame_current, scene.frame_end
    add()
    assert list(bpy.data.scenes) == [scene]
    assert (scene.frame_current, scene.frame_end) == before
    assert len(bpy.data.objects) == 2
    assert len(bpy.data.armatures) == len(bpy.data.meshes) == 1
    assert {action.name for action in bpy.data.actions} == set(NAMES)


def test_second_character_has_separate_actions_and_shared_materials() -> None:
    first, second = add(), add()
    assert first.armature.data != second.armature.data
    assert not set(first.actions) & set(second.actions)
    assert len(bpy.data.materials) == 3


def own_collection(hidden: str = "") -> bpy.types.Collection:
    """Return a new active collection, hidden in the "layer" by its eye or as a "collection" by its screen icon."""
    collection = bpy.data.collections.new("Stage")
    bpy.context.scene.collection.children.link(collection)
    layer = bpy.context.view_layer.layer_collection.children["Stage"]
    layer.hide_viewport = hidden == "layer"
    collection.hide_viewport = hidden == "collection"
    bpy.context.view_layer.active_layer_collection = layer
    assert bpy.context.collection == collection
    return collection


@pytest.mark.parametrize("hidden", ["layer", "collection"])
def test_hidden_collection_is_reported_and_nothing_is_made(hidden: str) -> None:
    own_collection(hidden)
    with pytest.raises(InputError, match='"Stage" is hidden'):
        add()
    assert not bpy.data.objects
    assert not bpy.data.actions


def test_the_active_collection_takes_the_character() -> None:
    collection = own_collection()
    added = add()
    assert set(collection.objects) == {added.armature, added.body}


def test_linked_collection_is_reported_and_nothing_is_made(tmp_path: Path) -> None:
    path = str(tmp_path / "stage.blend")
    bpy.data.libraries.write(path, {bpy.data.collections.new("Linked Stage")})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Linked Stage"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    view_layer = bpy.context.view_layer
    view_layer.active_layer_collection = view_layer.layer_collection.children["Linked Stage"]
    with pytest.raises(InputError, match='"Linked Stage" is linked'):
        add()
    assert not bpy.data.objects


def test_sample_character_is_added_while_the_active_object_is_hidden() -> None:
    hidden = bpy.data.objects.new("Hidden", None)
    bpy.context.collection.objects.link(hidden)
    hidden.hide_set(True)
    bpy.context.view_layer.objects.active = hidden
    added = add()
    assert bpy.context.view_layer.objects.active == added.armature
    assert hidden.hide_get()


@pytest.mark.usefixtures("operator")
def test_operator_adds_an_armature_and_a_mesh() -> None:
    assert bpy.ops.genmm.add_sample_character() == {"FINISHED"}
    assert [entry.type for entry in bpy.context.scene.objects] == ["ARMATURE", "MESH"]


@pytest.mark.usefixtures("operator")
def test_the_operator_reports_a_hidden_collection() -> None:
    own_collection("layer")
    with pytest.raises(RuntimeError, match='"Stage" is hidden; show it, or make another one active'):
        bpy.ops.genmm.add_sample_character()


@pytest.mark.usefixtures("operator")
def test_in_edit_mode_the_operator_says_to_leave_it() -> None:
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    bpy.context.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.genmm.add_sample_character.poll()
    with pytest.raises(RuntimeError, match="Switch to Object Mode"):
        bpy.ops.genmm.add_sample_character()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.genmm.add_sample_character.poll()


@pytest.mark.usefixtures("extension")
def test_generating_right_after_adding_learns_from_the_walk_alone() -> None:
    bpy.ops.genmm.add_sample_character()
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = next(action for action in bpy.data.actions if action.name not in NAMES)
    assert [example.action.name for example in recipe_of(made).examples] == ["GenMM Walk"]


def menu_entries() -> int:
    drawers = getattr(bpy.types.VIEW3D_MT_armature_add.draw, "_draw_funcs", [])
    return sum(drawer.__module__ == sample_operator.__name__ for drawer in drawers)


def test_the_menu_entry_comes_and_goes() -> None:
    register_module(sample_operator)
    assert menu_entries() == 1
    unregister_module(sample_operator)
    assert menu_entries() == 0
    assert not hasattr(bpy.types, "GENMM_OT_add_sample_character")
