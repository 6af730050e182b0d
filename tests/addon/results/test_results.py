# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations of a batch: found again, shown, and removed but for one without touching the user's data."""

from collections.abc import Iterable
from pathlib import Path

import bpy
import pytest
from bpy.types import ID, NlaTracks
from characters import Character, data_names, make_character, make_request, make_walk
from mathutils import Vector

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.character.tags import PROPERTY, tag_of
from genmm_addon.core import InputError
from genmm_addon.generation.generate import Output, generate
from genmm_addon.generation.results import (
    Result,
    current_tag,
    current_variation,
    keep_variation,
    show_variation,
    variations_of,
)


def run(character: Character, seeds: tuple[int, ...] = (1, 2, 3), **values: object) -> list[Result]:
    results = generate(bpy.context, make_request(character, seeds=seeds, **values))
    bpy.context.view_layer.update()
    return results


def names(blocks: Iterable[ID]) -> set[str]:
    return {block.name for block in blocks}


def tracks_of(character: Character) -> NlaTracks:
    return character.armature.animation_data.nla_tracks


def driven(character: Character) -> Character:
    """Add shape keys and a material that the rig drives, so that each variation gets its own."""
    character.body.shape_key_add(name="Basis")
    material = bpy.data.materials.new("Paint")
    character.body.data.materials.append(material)
    smile = character.body.shape_key_add(name="Smile").driver_add("value")
    for curve in (smile, material.driver_add("roughness")):
        curve.driver.variables.new().targets[0].id = character.armature
    return character


def test_a_character_that_was_not_generated_has_no_variations() -> None:
    character = make_character()
    assert variations_of(character.armature) == []
    assert variations_of(None) == []
    assert current_variation(character.armature) is None


def test_every_variation_finds_the_whole_batch() -> None:
    results = run(make_character())
    other = run(make_character())
    for number, result in enumerate(results, 1):
        found = variations_of(result.object)
        assert [variation.object for variation in found] == [result.object for result in results]
        assert [variation.action for variation in found] == [result.action for result in results]
        assert [variation.seed for variation in found] == [1, 2, 3]
        assert current_variation(result.object).number == number
    assert len(variations_of(other[0].object)) == 3


def test_a_mesh_of_a_result_counts_as_that_result() -> None:
    run(make_character())
    assert current_variation(bpy.data.objects["Body Gen 002"]).object.name == "Rig Gen 002"


@pytest.mark.parametrize("output", list(Output))
def test_variations_survive_saving_and_renaming(tmp_path: Path, output: Output) -> None:
    character = make_character()
    results = run(character, output=output)
    name = results[1].object.name = "Chosen"
    results[1].action.name = "Chosen Walk"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    found = variations_of(bpy.data.objects[name])
    assert [variation.number for variation in found] == [1, 2, 3]
    assert found[1].action.name == "Chosen Walk"


def test_showing_a_new_character_makes_it_the_active_object_alone() -> None:
    results = run(make_character())
    variation = variations_of(results[0].object)[1]
    show_variation(bpy.context, variation)
    assert bpy.context.view_layer.objects.active == results[1].object
    assert list(bpy.context.view_layer.objects.selected) == [results[1].object]


def test_showing_a_character_leaves_another_s_pose_mode() -> None:
    character = make_character()
    results = run(character)
    bpy.context.view_layer.objects.active = character.armature
    bpy.ops.object.mode_set(mode="POSE")
    show_variation(bpy.context, variations_of(results[0].object)[0])
    assert character.armature.mode == "OBJECT"


def test_hidden_result_is_not_shown_but_can_be_kept() -> None:
    results = run(make_character())
    bpy.context.view_layer.layer_collection.children["GenMM"].exclude = True
    with pytest.raises(InputError, match="Rig Gen 001"):
        show_variation(bpy.context, variations_of(results[0].object)[0])
    assert keep_variation(bpy.context, variations_of(results[0].object)[0]) == 2


def test_showing_an_action_assigns_it() -> None:
    character = make_character()
    results = run(character, output=Output.NEW_ACTION)
    assert current_variation(character.armature).number == 1
    show_variation(bpy.context, variations_of(character.armature)[2])
    assert assigned(character.armature) == (results[2].action, results[2].slot)
    assert current_variation(character.armature).number == 3


def test_showing_a_strip_mutes_the_others_alone() -> None:
    character = make_character()
    run(character, output=Output.NLA_STRIP)
    show_variation(bpy.context, variations_of(character.armature)[1])
    assert [track.mute for track in tracks_of(character)] == [False, True, False, True]
    assert current_variation(character.armature).number == 2


def test_keeping_a_character_removes_the_others_with_all_that_was_theirs() -> None:
    character = driven(make_character())
    before = data_names()
    results = run(character)
    kept = results[1].object.name
    assert keep_variation(bpy.context, variations_of(results[0].object)[1]) == 2
    after = data_names()
    assert after["objects"] - before["objects"] == {kept, "Body Gen 002"}
    assert after["actions"] - before["actions"] == {"Walk Gen 002"}
    assert len(after["meshes"] - before["meshes"]) == 1
    assert after["materials"] - before["materials"] == {"Paint Gen 002"}
    assert len(after["shape_keys"]) == len(before["shape_keys"]) + 1
    assert after["collections"] - before["collections"] == {"GenMM"}
    assert before["objects"] <= after["objects"] and before["actions"] <= after["actions"]
    assert bpy.context.view_layer.objects.active.name == kept


def test_keeping_one_leaves_other_batches_alone() -> None:
    character = make_character()
    first, second = run(character), run(character)
    keep_variation(bpy.context, variations_of(first[0].object)[0])
    assert len(variations_of(second[0].object)) == 3


def test_copies_made_by_the_user_survive_keeping_another_variation() -> None:
    character = make_character()
    results = run(character)
    doomed, own = results[2].object, results[2].object.copy()
    own.animation_data.action = doomed.animation_data.action.copy()
    bpy.context.scene.collection.objects.link(own)
    own_names = own.name, own.animation_data.action.name
    keep_variation(bpy.context, variations_of(results[0].object)[0])
    assert own_names[0] in bpy.data.objects
    assert own_names[1] in bpy.data.actions
    assert "Rig Gen 003" not in bpy.data.objects


def test_an_action_that_the_user_gave_to_another_character_stays() -> None:
    character = make_character()
    results = run(character)
    assign(character.armature, results[2].action, results[2].slot)
    keep_variation(bpy.context, variations_of(results[0].object)[0])
    assert names(bpy.data.actions) == {"Walk", "Walk Gen 001", "Walk Gen 003"}


def test_objects_parented_to_a_variation_stay_in_place_when_it_is_removed() -> None:
    character = make_character()
    results = run(character)
    hat = bpy.data.objects.new("Hat", None)
    bpy.context.scene.collection.objects.link(hat)
    hat.parent, hat.location = results[2].object, (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    place = hat.matrix_world.translation.copy()
    assert place != Vector((1.0, 2.0, 3.0))
    keep_variation(bpy.context, variations_of(results[0].object)[0])
    bpy.context.view_layer.update()
    assert hat.matrix_world.translation[:] == pytest.approx(place[:])


def test_an_action_that_the_user_made_on_a_variation_is_not_lost(tmp_path: Path) -> None:
    character = make_character()
    results = run(character)
    make_walk(results[2].object, "My Edit")
    keep_variation(bpy.context, variations_of(results[0].object)[0])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert "My Edit" in bpy.data.actions


def test_keeping_one_while_another_is_in_pose_mode() -> None:
    results = run(make_character())
    bpy.context.view_layer.objects.active = results[2].object
    bpy.ops.object.mode_set(mode="POSE")
    assert keep_variation(bpy.context, variations_of(results[0].object)[0]) == 2


def test_keeping_an_action_assigns_it_and_removes_the_others() -> None:
    character = make_character()
    run(character, output=Output.NEW_ACTION)
    assert keep_variation(bpy.context, variations_of(character.armature)[2]) == 2
    assert names(bpy.data.actions) == {"Walk", "Walk Gen 003"}
    assert assigned(character.armature)[0].name == "Walk Gen 003"
    assert names(bpy.data.objects) == {"Rig", "Body"}


def test_keeping_a_strip_removes_the_others_tracks_and_actions() -> None:
    character = make_character()
    own = tracks_of(character).new()
    own.name = "Mine"
    run(character, output=Output.NLA_STRIP)
    assert keep_variation(bpy.context, variations_of(character.armature)[1]) == 2
    assert [track.name for track in tracks_of(character)] == ["Mine", "Walk", "Walk Gen 002"]
    assert not any(track.mute for track in tracks_of(character))
    assert names(bpy.data.actions) == {"Walk", "Walk Gen 002"}


def test_keeping_the_only_one_removes_nothing() -> None:
    (result,) = run(make_character(), seeds=(1,))
    before = data_names()
    assert keep_variation(bpy.context, variations_of(result.object)[0]) == 0
    assert data_names() == before


def test_an_action_generated_on_a_result_counts_before_the_result_itself() -> None:
    (result,) = run(make_character(), seeds=(1,))
    character = make_character()
    character.armature, character.walk = result.object, result.action
    run(character, seeds=(8, 9), output=Output.NEW_ACTION)
    assert [variation.seed for variation in variations_of(result.object)] == [8, 9]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        5,
        {},
        {"batch": "b"},
        {"batch": 1, "number": "x", "seed": 0, "output": "", "role": "", "piece": "", "name": ""},
        {"batch": "b", "number": 1, "seed": 0, "output": "NOWHERE", "role": "CHARACTER", "piece": "p", "name": "n"},
    ],
)
def test_malformed_mark_is_ignored(value: object) -> None:
    thing = bpy.data.objects.new("Odd", None)
    thing[PROPERTY] = value
    assert tag_of(thing) is None
    assert current_tag(thing) is None


@pytest.mark.parametrize("output", list(Output))
def test_generating_and_keeping_can_be_undone_and_redone(output: Output) -> None:
    character = driven(make_character())
    name = character.armature.name
    states = [data_names()]
    bpy.ops.ed.undo_push(message="Start")
    shown = run(character, output=output)[0].object.name
    states.append(data_names())
    bpy.ops.ed.undo_push(message="Generate")
    keep_variation(bpy.context, variations_of(bpy.data.objects[shown])[1])
    states.append(data_names())
    bpy.ops.ed.undo_push(message="Keep")
    for step, state in ((bpy.ops.ed.undo, 1), (bpy.ops.ed.undo, 0), (bpy.ops.ed.redo, 1), (bpy.ops.ed.redo, 2)):
        step()
        bpy.context.view_layer.update()
        assert data_names() == states[state]
        assert assigned(bpy.data.objects[name]) is not None or output is Output.NLA_STRIP
    bpy.ops.ed.undo()
    assert len(variations_of(bpy.data.objects[shown])) == 3


def test_linked_results_are_not_ours_to_remove(tmp_path: Path) -> None:
    run(make_character())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "lib.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "lib.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig Gen 001", "Rig Gen 002"]
    assert variations_of(wanted.objects[0]) == []
