# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character says what its body weighs: in Repair, and where its center of mass is drawn."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray
from rigs import MOTIONS

from genmm_addon.animation.actions import assigned
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.character.flesh import flesh_of_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import save_bvh
from genmm_addon.core.evaluation import BodyModel, find_body_model
from genmm_addon.editing.repairing.weight import read_weight
from genmm_addon.files.import_file import import_file

pytestmark = pytest.mark.usefixtures("extension")

RATE = 30.0


@pytest.fixture
def character(tmp_path: Path) -> Object:
    """Return a character without a mesh that stands, active in the window."""
    bpy.context.scene.render.fps = round(RATE)
    save_bvh(tmp_path / "stand.bvh", sample_motions(RATE)["GenMM Walk"].take(np.zeros(60, np.int64)))
    armature = import_file(tmp_path / "stand.bvh", bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    return armature


def add_box(character: Object, bone: str, edge: float, aside: float = 0.0) -> Object:
    """Return a cube that a bone deforms, at its head or to the left of it."""
    bpy.ops.mesh.primitive_cube_add(size=edge)
    box = bpy.context.object
    box.data.transform(Matrix.Translation(character.data.bones[bone].head_local + Vector((aside, 0.0, 0.0))))
    box.parent = character
    box.modifiers.new("Armature", "ARMATURE").object = character
    box.vertex_groups.new(name=bone).add(range(8), 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = character
    bpy.context.view_layer.update()
    return box


def masses_of(character: Object) -> BodyModel:
    return flesh_of_character(character, read_skeleton(character), bpy.context.scene).masses


def center_of(character: Object) -> NDArray[np.float64]:
    """Return the center of mass that is drawn at the first frame."""
    playing = assigned(character)
    assert playing is not None
    weight = read_weight(character, bpy.context.scene, *playing)
    assert weight is not None
    return np.asarray(weight.center[0])


def flaws() -> list[str]:
    bpy.ops.genmm.find_flaws(kinds={"BALANCE"})
    return [flaw.kind for flaw in bpy.context.scene.genmm.repair.flaws]


def test_a_load_on_one_side_is_off_balance_and_the_pelvis_moves_under_it(character: Object) -> None:
    bones, hips = center_of(character), character.data.bones["Hips"].head_local
    assert flaws() == []
    add_box(character, "Hips", 0.3)
    assert flaws() == []
    light = center_of(character)
    assert np.allclose(light[:2], np.array(hips)[:2], atol=0.1) and light[2] < bones[2]
    add_box(character, "Chest", 0.3, aside=0.3)
    assert center_of(character)[0] == pytest.approx(light[0] + 0.15, abs=0.02)
    assert flaws() == ["BALANCE"]
    bpy.ops.genmm.repair(kinds={"BALANCE"})
    assert flaws() == []


def test_what_a_hand_holds_weighs_nothing_with_a_skin_and_without_one(character: Object) -> None:
    def hold() -> None:
        bpy.ops.mesh.primitive_cube_add(size=0.8)
        shield = bpy.context.object
        shield.parent, shield.parent_type, shield.parent_bone = character, "BONE", "Hand.L"
        bpy.context.view_layer.objects.active = character
        bpy.context.view_layer.update()

    before = masses_of(character)
    assert np.array_equal(before.masses, find_body_model(read_skeleton(character)).masses)
    hold()
    assert np.array_equal(masses_of(character).masses, before.masses)
    add_box(character, "Hips", 0.3)
    names = read_skeleton(character).names
    assert masses_of(character).masses[names.index("Hips")] == 1.0


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (0.5, 2.0, 1.0)])
def test_a_mesh_scaled_or_mirrored_as_an_object_weighs_what_it_shows(
    character: Object, scale: tuple[float, float, float]
) -> None:
    add_box(character, "Hips", 0.3)
    box = add_box(character, "Chest", 0.3)
    box.data.transform(Matrix.Diagonal(scale).to_4x4().inverted())
    if np.prod(scale) < 0:
        box.data.flip_normals()
    box.scale = scale
    bpy.context.view_layer.update()
    found, names = masses_of(character), read_skeleton(character).names
    assert [found.masses[names.index(bone)] for bone in ("Hips", "Chest")] == pytest.approx([0.5, 0.5], rel=1e-4)


def test_the_sample_weighs_what_people_do() -> None:
    bpy.ops.genmm.add_sample_character()
    character = bpy.context.object
    skeleton = read_skeleton(character)
    found, table = masses_of(character), find_body_model(skeleton)
    assert not np.array_equal(found.masses, table.masses) and found.stature == table.stature > 0
    for part in ("Thigh.L", "Shin.R", "Foot.L", "UpperArm.R", "Forearm.L", "Hand.R", "Head"):
        joint = skeleton.names.index(part)
        assert found.masses[joint] == pytest.approx(table.masses[joint], abs=0.03)


@pytest.mark.skipif(not MOTIONS.exists(), reason="needs the folder of motions")
@pytest.mark.parametrize("name", ["gltf/CesiumMan.glb", "gltf/Fox.glb", "skeletons/kaykit_rogue.glb"])
def test_real_characters_weigh_alike_on_both_sides_and_nothing_in_their_controls(name: str) -> None:
    character = import_file(MOTIONS / name, bpy.context)[0].armature
    skeleton = read_skeleton(character)
    found = masses_of(character)
    assert not np.array_equal(found.masses, find_body_model(skeleton).masses)
    pairs = [("joint_L", "joint_R"), (".l", ".r"), ("Left", "Right")]
    for left, right in pairs:
        sides = [sum(found.masses[n] for n, one in enumerate(skeleton.names) if side in one) for side in (left, right)]
        assert sides[0] == pytest.approx(sides[1], abs=0.02)
    controls = [n for n, one in enumerate(skeleton.names) if "control" in one.lower() or "IK" in one]
    assert found.masses[controls].sum() == 0.0
