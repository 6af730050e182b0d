# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters on stairs: new motion from panel and command line, and an existing action."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from interface import registered, results_of, select

from genmm_addon.animation import actions
from genmm_addon.animation.ground_mesh import read_ground
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import from_json, recipe_of, to_json

HEIGHT = 1.75
STEP, DEPTH, FIRST = 0.1, 0.4, 1.0
FEET = ("Foot.L", "Foot.R", "Toes.L", "Toes.R")


@pytest.fixture
def sample() -> Iterator[SampleCharacter]:
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        select(made.armature)
        settings = made.armature.genmm
        settings.new_seed, settings.frames = False, 120
        actions.assign(made.armature, next(one for one in made.actions if one.name == "GenMM Walk"))
        yield made


def height_at(y: float) -> float:
    """Return the height of the stairs at y; the character walks along -Y."""
    return STEP * max(0, int(np.floor((-y - FIRST) / DEPTH)) + 1)


def add_stairs(count: int = 60) -> Object:
    """Return stairs made by a modifier: the mesh is one step with flat ground before it."""
    step = bpy.data.meshes.new("Step")
    corners = [(-9, 0, STEP), (9, 0, STEP), (9, -DEPTH, STEP), (-9, -DEPTH, STEP)]
    step.from_pydata(corners, [], [(3, 2, 1, 0)])
    stairs = bpy.data.objects.new("Stairs", step)
    stairs.location = (0.0, -FIRST, 0.0)
    array = stairs.modifiers.new("Array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = count, False, True
    array.constant_offset_displace = (0.0, -DEPTH, STEP)
    floor = bpy.data.meshes.new("Floor")
    floor.from_pydata([(-9, 9, 0), (9, 9, 0), (9, -FIRST, 0), (-9, -FIRST, 0)], [], [(3, 2, 1, 0)])
    child = bpy.data.objects.new("Floor", floor)
    child.parent = stairs
    child.matrix_parent_inverse.translation = (0.0, FIRST, 0.0)
    for thing in (stairs, child):
        bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    return stairs


def deepest(character: Object, frames: range) -> float:
    """Return the largest depth of a foot's joint inside the stairs, in heights of the character."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name in FEET:
            place = character.matrix_world @ character.pose.bones[name].head
            found.append(height_at(place.y) - place.z)
    return max(found) / HEIGHT


def hips_height(character: Object, frame: int) -> float:
    bpy.context.scene.frame_set(frame)
    return float((character.matrix_world @ character.pose.bones["Hips"].head).z)


def test_the_action_climbs_stairs_and_undo_takes_it_back(sample: SampleCharacter) -> None:
    character, stairs = sample.armature, add_stairs()
    character.genmm.ground_object = stairs
    action = character.animation_data.action
    arm = next(curve for curve in actions.fcurves_of(action, "") if "UpperArm.L" in curve.data_path)
    before, start = len(arm.keyframe_points), hips_height(character, 1)
    assert bpy.ops.genmm.put_feet_on_ground() == {"FINISHED"}
    assert deepest(character, range(1, 240, 3)) < 0.01
    assert hips_height(character, 240) > start + 1.0
    assert len(arm.keyframe_points) == before, "the arms keep their keys"
    with pytest.raises(RuntimeError, match="were put on a ground before"):
        bpy.ops.genmm.put_feet_on_ground()


def test_a_range_keeps_the_poses_at_its_ends(sample: SampleCharacter) -> None:
    character, stairs = sample.armature, add_stairs()
    action, slot = actions.assigned(character)
    curves = actions.fcurves_of(action, slot)
    ends = [[curve.evaluate(frame) for curve in curves] for frame in (10.0, 20.0, 120.0, 130.0)]
    put_action_on_ground(ActionForGround(character, bpy.context.scene, action, slot, stairs), (20.0, 120.0))
    after = [[curve.evaluate(frame) for curve in curves] for frame in (10.0, 20.0, 120.0, 130.0)]
    assert np.allclose(ends, after, atol=1e-5)


def test_new_motion_is_made_on_stairs_as_its_recipe_and_settings_say(sample: SampleCharacter, tmp_path: Path) -> None:
    character, stairs = sample.armature, add_stairs()
    character.genmm.ground_object = stairs
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = results_of(character)
    assert made.matrix_world.translation.length < 1e-6, "it stays where the stairs are"
    assert deepest(made, range(1, 120, 3)) < 0.01
    recipe = from_json(to_json(recipe_of(made)))
    assert recipe.ground is not None and recipe.ground.ground.name == "Stairs"
    file = tmp_path / "settings.json"
    assert bpy.ops.genmm.export_settings(filepath=str(file)) == {"FINISHED"}
    character.genmm.ground_object, character.genmm.use_ground = None, False
    assert bpy.ops.genmm.import_settings(filepath=str(file)) == {"FINISHED"}
    assert character.genmm.ground_object == stairs and character.genmm.use_ground


def test_examples_already_put_on_stairs_are_leveled_and_noted(
    sample: SampleCharacter, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = sample.armature.genmm
    settings.ground_object = add_stairs()
    assert bpy.ops.genmm.put_feet_on_ground() == {"FINISHED"}
    settings.use_ground = True
    capfd.readouterr()
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert '"GenMM Walk" was put on a ground before' in capfd.readouterr().out
    (made,) = results_of(sample.armature)
    assert deepest(made, range(1, 120, 3)) < 0.02
    assert hips_height(made, 120) > hips_height(made, 1) + 0.3


def test_unsuitable_ground_is_rejected_with_one_sentence(sample: SampleCharacter) -> None:
    character = sample.armature
    empty = bpy.data.objects.new("Nothing", None)
    bpy.context.scene.collection.objects.link(empty)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    with pytest.raises(InputError, match='"Nothing" has no faces'):
        read_ground(empty, character, False, (0.0, 0.0, 1.0), depsgraph)
    with pytest.raises(InputError, match="has no faces"):
        read_ground(character, character, False, (0.0, 0.0, 1.0), depsgraph)
    character.genmm.ground_object = add_stairs(count=2)
    with pytest.raises(RuntimeError, match=r"no ground under \"Foot.[LR]\" at frame \d+"):
        bpy.ops.genmm.put_feet_on_ground()
    character.genmm.ground_object = gone = add_stairs()
    select(gone)
    bpy.ops.object.delete()
    select(character)
    assert character.genmm.ground_object == gone
    with pytest.raises(RuntimeError, match=r'The ground "Stairs[.0-9]*" is not in any scene; choose another object'):
        bpy.ops.genmm.generate_motion()
    character.genmm.loop = "TRAVEL"
    character.genmm.ground_object = add_stairs()
    with pytest.raises(RuntimeError, match="switch Loop off"):
        bpy.ops.genmm.generate_motion()


def test_actions_without_a_range_of_keys_are_refused_with_one_sentence(sample: SampleCharacter) -> None:
    character = sample.armature
    character.genmm.ground_object = add_stairs()
    action, slot = actions.assigned(character) or (None, "")
    curve = actions.fcurves_of(action, slot)[0]
    curve.keyframe_points.insert(100_000, 0.0)
    with pytest.raises(RuntimeError, match="delete the keys that lie far from all others"):
        bpy.ops.genmm.put_feet_on_ground()
    for curve in actions.fcurves_of(action, slot):
        curve.mute = True
    with pytest.raises(RuntimeError, match="has no keys for this character but in muted channels"):
        bpy.ops.genmm.put_feet_on_ground()


def test_the_command_line_puts_and_generates_on_a_file_of_meshes(
    sample: SampleCharacter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stairs = add_stairs()
    mesh, scene, done = tmp_path / "stairs.ply", tmp_path / "scene.blend", tmp_path / "done.blend"
    select(stairs)
    bpy.ops.wm.ply_export(filepath=str(mesh), export_selected_objects=False, forward_axis="Y", up_axis="Z")
    for thing in list(bpy.data.objects):
        if thing.type == "MESH" and thing.name in ("Stairs", "Floor"):
            bpy.data.objects.remove(thing)
    select(sample.armature)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    assert run(capsys, "ground", scene, "--ground", mesh, "--output", done).status == 0
    bpy.ops.wm.open_mainfile(filepath=str(done))
    character = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    assert deepest(character, range(1, 240, 5)) < 0.01
    made = tmp_path / "made.blend"
    assert run(capsys, "generate", scene, "--ground", mesh, "--frames", "90", "--output", made).status == 0
    assert run(capsys, "ground", scene, "--ground", "Nowhere", "--output", done, "--force").status == 2
