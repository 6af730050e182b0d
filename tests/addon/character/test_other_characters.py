# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of other characters with other names, axes and sizes, mixed with the character's own part by part."""

from collections.abc import Callable, Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import world_bones
from interface import new_character, registered, results_of, select
from rigs import MOTIONS

from genmm_addon.animation import actions
from genmm_addon.animation.reading.clips_on_character import clips_on_character
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import InputError
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.directing import examples_for
from genmm_addon.generation.recipe import recipe_of

RECORDED = MOTIONS / "bvh"
FOREIGN = "cmu_02_01_walk_120fps.bvh"


@pytest.fixture
def sample() -> Iterator[SampleCharacter]:
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        made.armature.genmm.new_seed = False
        made.armature.genmm.frames = 90
        select(made.armature)
        yield made


def renamed_copy(armature: Object) -> Object:
    """Return the same character at half its size, with bones named as by another tool."""
    copy = armature.copy()
    copy.data = armature.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.animation_data_clear()
    copy.scale = (0.5, 0.5, 0.5)
    for bone in copy.data.bones:
        side = {".L": "Left", ".R": "Right"}.get(bone.name[-2:], "")
        bone.name = f"mixamorig:{side}{bone.name.removesuffix('.L').removesuffix('.R')}"
    bpy.context.view_layer.update()
    return copy


def nameless_copy(armature: Object) -> Object:
    """Return the same character at half its size, with bones whose names mean nothing."""
    copy = renamed_copy(armature)
    for number, bone in enumerate(copy.data.bones):
        bone.name = f"b{number * 7 % 101}"
    return copy


def played(sample: SampleCharacter, name: str) -> bpy.types.Action:
    action = next(action for action in sample.actions if name in action.name)
    actions.assign(sample.armature, action)
    return action


def positions(character: Object, frame: int) -> dict[str, np.ndarray]:
    names = sorted(bone.name for bone in character.pose.bones)
    return dict(zip(names, world_bones(character, frame)[:, :3, 3], strict=True))


@pytest.mark.parametrize("copied", [renamed_copy, nameless_copy])
def test_the_same_motion_arrives_on_a_character_with_other_names_and_another_size(
    sample: SampleCharacter, copied: Callable[[Object], Object]
) -> None:
    walk = played(sample, "Walk")
    other = copied(sample.armature)
    spec = ExampleSpec(walk, armature=sample.armature)
    there = read_examples(sample.armature, [ExampleSpec(walk)], scene=bpy.context.scene).motions[0]
    reading = read_examples(other, [spec], scene=bpy.context.scene)
    (here,) = reading.motions
    assert here.skeleton.names == tuple(bone.name for bone in other.data.bones)
    names = list(there.skeleton.names)
    mapped = [here.skeleton.names.index(name) for name in here.skeleton.names]
    apart = here.pose()[1][:, mapped] - there.pose()[1]
    assert np.abs(apart).max() < 0.01 * there.skeleton.size, names
    assert reading.known[0] == frozenset(here.skeleton.names)


def test_character_without_an_action_plays_motion_learned_from_another(sample: SampleCharacter) -> None:
    played(sample, "Walk")
    other = renamed_copy(sample.armature)
    select(sample.armature)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    assert bpy.ops.genmm.add_other_character() == {"FINISHED"}
    assert other.genmm.examples[0].armature == sample.armature
    other.genmm.frames = 90
    before = set(results_of(other))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = set(results_of(other)) - before
    first, last = positions(made, 1), positions(made, 90)
    assert np.linalg.norm(last["mixamorig:Hips"] - first["mixamorig:Hips"]) > 0.5
    assert last["mixamorig:Head"][2] > last["mixamorig:Hips"][2] > last["mixamorig:LeftFoot"][2]
    assert recipe_of(made).examples[0].armature.name == sample.armature.name


@pytest.mark.skipif(not (RECORDED / FOREIGN).exists(), reason="There are no motions to try here.")
def test_a_recording_drives_the_sample_character(sample: SampleCharacter) -> None:
    imported = import_file(RECORDED / FOREIGN, bpy.context)[0]
    example = imported.examples[0]
    actions.assign(imported.armature, example.action, example.slot)
    sample.armature.animation_data.action = None
    select(imported.armature)
    sample.armature.select_set(True)
    bpy.context.view_layer.objects.active = sample.armature
    assert bpy.ops.genmm.add_other_character() == {"FINISHED"}
    before = set(results_of(sample.armature))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = set(results_of(sample.armature)) - before
    for frame in (1, 45, 90):
        at = positions(made, frame)
        assert at["Head"][2] > at["Hips"][2] + 0.4
        assert min(at["Foot.L"][2], at["Foot.R"][2]) < 0.25
        left = at["Thigh.L"] - at["Thigh.R"]
        assert np.dot(left, at["UpperArm.L"] - at["UpperArm.R"]) > 0


def test_native_and_foreign_examples_mix_part_by_part(sample: SampleCharacter) -> None:
    other = renamed_copy(sample.armature)
    dance = next(action for action in sample.actions if "Dance" in action.name)
    actions.assign(other, dance.copy())
    # The copy's bones have other names, and so have its curves.
    taught = actions.assigned(other)[0]
    for curve in actions.fcurves_of(taught):
        bone = curve.data_path.split('"')[1]
        side = {".L": "Left", ".R": "Right"}.get(bone[-2:], "")
        plain = bone.removesuffix(".L").removesuffix(".R")
        curve.data_path = curve.data_path.replace(f'"{bone}"', f'"mixamorig:{side}{plain}"')
    played(sample, "Walk")
    select(other)
    sample.armature.select_set(True)
    bpy.context.view_layer.objects.active = sample.armature
    assert bpy.ops.genmm.add_other_character() == {"FINISHED"}
    assert [item.armature for item in sample.armature.genmm.examples] == [None, other]
    assert bpy.ops.genmm.make_parts(kind="UPPER_LOWER") == {"FINISHED"}
    assert bpy.ops.genmm.toggle_part_example(number=1) == {"FINISHED"}
    sample.armature.genmm.active_part = 1
    assert bpy.ops.genmm.toggle_part_example(number=0) == {"FINISHED"}
    before = set(results_of(sample.armature))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = set(results_of(sample.armature)) - before
    assert [part.examples for part in recipe_of(made).parts] == [(0,), (1,)]
    way = positions(made, 90)["Hips"] - positions(made, 1)["Hips"]
    assert np.linalg.norm(way) > 1.0


def test_guessed_table_of_bone_names_overrides_automatic_matching(sample: SampleCharacter) -> None:
    walk = played(sample, "Walk")
    other = renamed_copy(sample.armature)
    select(sample.armature)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    assert bpy.ops.genmm.guess_bone_names() == {"FINISHED"}
    table = {row.name: row.target for row in other.genmm.bone_names}
    assert table["UpperArm.L"] == "mixamorig:LeftUpperArm"
    crossed = [("UpperArm.L", "mixamorig:RightUpperArm")]
    spec = ExampleSpec(walk, armature=sample.armature)
    plain = read_examples(other, [spec], scene=bpy.context.scene).motions[0]
    turned = read_examples(other, [spec], scene=bpy.context.scene, bone_names=crossed).motions[0]
    arm = plain.skeleton.names.index("mixamorig:RightUpperArm")
    assert np.abs(plain.rotations[:, arm] - turned.rotations[:, arm]).max() > 0.05


def test_button_without_a_usable_other_character_explains_the_next_step(sample: SampleCharacter) -> None:
    select(sample.armature)
    assert not bpy.ops.genmm.add_other_character.poll()
    stranger = new_character("Stranger", bones=("q1", "q2", "q3"))
    stranger.select_set(True)
    sample.armature.select_set(True)
    bpy.context.view_layer.objects.active = sample.armature
    with pytest.raises(RuntimeError, match='"Stranger" does not fit "GenMM Sample"'):
        bpy.ops.genmm.add_other_character()
    assert not sample.armature.genmm.examples


def test_an_example_of_another_creature_is_refused_unless_its_bones_were_paired(sample: SampleCharacter) -> None:
    names = ("body", *(f"leg {number}" for number in range(8)), "Thigh.L", "Shin.L")
    spider = new_character("Spider", bones=names)
    spec = ExampleSpec(actions.assigned(spider)[0], armature=spider)
    with pytest.raises(InputError, match='"Spider" does not fit "GenMM Sample"'):
        read_examples(sample.armature, [spec], scene=bpy.context.scene)
    crawls = read_examples(spider, [ExampleSpec(spec.action)], scene=bpy.context.scene).motions
    with pytest.raises(InputError, match="does not match the library: trunk and legs"):
        clips_on_character(sample.armature, crawls, ())
    paired = read_examples(sample.armature, [spec], scene=bpy.context.scene, bone_names=[("body", "Hips")])
    assert any("without a counterpart" in note for note in paired.notes)


def test_a_part_draws_by_default_from_the_examples_that_have_its_bones() -> None:
    known = (None, frozenset({"Hips", "Spine"}), frozenset({"Arm", "Hand"}))
    assert examples_for(("Arm", "Hand"), known) == (0, 2)
    assert examples_for(("Spine",), known) == (0, 1)
    assert examples_for(("Tail",), known) == (0,)
    assert examples_for(("Tail",), (None, None)) is None


def test_choices_follow_their_examples_when_the_list_changes(sample: SampleCharacter) -> None:
    played(sample, "Walk")
    assert bpy.ops.genmm.add_fitting_examples() == {"FINISHED"}
    settings = sample.armature.genmm
    assert bpy.ops.genmm.make_parts(kind="UPPER_LOWER") == {"FINISHED"}
    assert bpy.ops.genmm.toggle_part_example(number=2) == {"FINISHED"}
    settings.active_example = 2
    assert bpy.ops.genmm.move_row(rows="examples", direction="UP") == {"FINISHED"}
    assert [row.number for row in settings.part_list[0].excluded] == [1]
    settings.active_example = 0
    assert bpy.ops.genmm.remove_row(rows="examples") == {"FINISHED"}
    assert [row.number for row in settings.part_list[0].excluded] == [0]
