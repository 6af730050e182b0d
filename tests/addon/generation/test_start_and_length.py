# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of a new motion, and its length until the user sets one."""

import json
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from interface import new_action, new_character, registered, results_of, select

from genmm_addon.generation.recipe import recipe_of

FRAMES = 40


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def generate(**values: object) -> None:
    assert bpy.ops.genmm.generate_motion("INVOKE_DEFAULT", **values) == {"FINISHED"}


def newest() -> bpy.types.Action:
    return max((action for action in bpy.data.actions if action.get("genmm_recipe")), key=lambda action: action.name)


@pytest.mark.parametrize("output", ["NEW_CHARACTER", "NEW_ACTION", "NLA_STRIP"])
@pytest.mark.parametrize(
    ("values", "first"),
    [({}, 5), ({"start_at": "PLAYHEAD"}, 33), ({"start_at": "FRAME", "start_frame": -12}, -12)],
)
def test_the_motion_begins_where_it_is_asked_to(output: str, values: dict[str, object], first: int) -> None:
    hero = new_character()
    bpy.context.scene.frame_start, bpy.context.scene.frame_current = 5, 33
    for name, value in values.items():
        setattr(hero.genmm, name, value)
    generate(frames=FRAMES, output=output)
    assert newest().frame_range[:] == (first, first + FRAMES - 1)
    if output == "NLA_STRIP":
        strip = hero.animation_data.nla_tracks[-1].strips[0]
        assert (strip.frame_start, strip.frame_end) == (first, first + FRAMES - 1)


def test_doing_it_again_begins_where_the_playhead_was() -> None:
    hero = new_character()
    hero.genmm.start_at = "PLAYHEAD"
    bpy.context.scene.frame_current = 33
    generate(frames=FRAMES, output="NEW_ACTION")
    recipe = newest()["genmm_recipe"]
    bpy.context.scene.frame_current = 50
    generate(recipe=recipe)
    assert newest().frame_range[0] == 33
    assert hero.genmm.start_at == "PLAYHEAD"


def test_two_strips_from_one_frame_are_placed_on_separate_tracks() -> None:
    hero = new_character()
    for _ in range(2):
        generate(frames=FRAMES, output="NLA_STRIP", start_at="FRAME", start_frame=20)
    assert [len(track.strips) for track in hero.animation_data.nla_tracks] == [1, 1, 1]


def test_settings_file_stores_the_start_and_an_older_one_starts_with_the_scene(tmp_path: Path) -> None:
    hero = new_character()
    hero.genmm.start_at, hero.genmm.start_frame = "FRAME", 70
    path = tmp_path / "hero.json"
    bpy.ops.genmm.export_settings(filepath=str(path))
    hero.genmm.start_at, hero.genmm.start_frame = "SCENE_START", 1
    bpy.ops.genmm.import_settings(filepath=str(path))
    assert (hero.genmm.start_at, hero.genmm.start_frame) == ("FRAME", 70)
    values = json.loads(path.read_text(encoding="utf-8"))
    del values["frame_start"]
    path.write_text(json.dumps(values), encoding="utf-8")
    bpy.ops.genmm.import_settings(filepath=str(path))
    assert hero.genmm.start_at == "SCENE_START"


def test_the_length_follows_the_first_example_until_it_is_set() -> None:
    hero = new_character(frames=83)
    assert hero.genmm.length == 83
    generate()
    assert recipe_of(results_of(hero)[0]).frames == 83
    assert not hero.genmm.is_property_set("frames")
    new_action(hero, "Other", frames=120)
    bpy.ops.genmm.add_example(action="Other")
    assert hero.genmm.length == 83
    hero.genmm.examples[0].enabled = False
    assert hero.genmm.length == 120
    hero.genmm.examples[1].use_rate, hero.genmm.examples[1].frames_per_second = True, 48.0
    assert hero.genmm.length == 60
    hero.genmm.length = 33
    assert (hero.genmm.length, hero.genmm.frames) == (33, 33)


def test_stored_length_is_restored_from_an_older_file(tmp_path: Path) -> None:
    hero = new_character()
    hero.genmm.frames = 250
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.data.objects["Hero"].genmm.length == 250


def test_the_length_is_that_of_the_action_of_a_kept_part() -> None:
    hero = new_character()
    hero.genmm.frames = 99
    given = new_action(hero, "Given", frames=47)
    bpy.ops.genmm.add_row(rows="part_list")
    part = hero.genmm.part_list[0]
    part.bones.add().name = "arm"
    hero.genmm.completion_action, hero.genmm.completion_part = given, part.name
    assert hero.genmm.length == 47
    hero.genmm.use_completion = False
    assert hero.genmm.length == 99


def test_a_linked_character_shows_its_examples_length(tmp_path: Path) -> None:
    new_character(frames=71)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.objects = ["Hero"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    select(wanted.objects[0])
    bpy.ops.genmm.keep_character_settings()
    assert bpy.context.scene.genmm.characters[0].settings.length == 71


def test_values_of_adjust_last_operation_appear_in_the_panel() -> None:
    hero = new_character()
    hero.genmm.patch_frames = 9
    generate(seed=3)
    recipe = results_of(hero)[0]["genmm_recipe"]
    # Adjust Last Operation calls the operator with the same values except for the changed ones.
    bpy.ops.genmm.generate_motion(
        recipe=recipe, of_panel=True, frames=77, seed=5, patch_frames=9, noise=0.5, variations=2
    )
    assert (hero.genmm.frames, hero.genmm.variations, hero.genmm.patch_frames) == (77, 2, 9)
    assert hero.genmm.noise == pytest.approx(0.5)


def test_regenerating_leaves_the_panel_alone() -> None:
    hero = new_character()
    generate(frames=FRAMES, patch_frames=5)
    hero.genmm.frames = 99
    generate(recipe=results_of(hero)[0]["genmm_recipe"])
    assert (hero.genmm.frames, hero.genmm.patch_frames) == (99, 11)


def test_a_result_beyond_the_scenes_end_offers_to_extend_it() -> None:
    hero = new_character()
    bpy.context.scene.frame_end = 100
    generate(frames=FRAMES)
    with pytest.raises(RuntimeError, match="The whole motion already plays"):
        bpy.ops.genmm.extend_playback()
    generate(frames=130, start_at="FRAME", start_frame=11)
    assert bpy.context.scene.frame_end == 100
    bpy.ops.genmm.extend_playback()
    assert bpy.context.scene.frame_end == 140
    assert len(results_of(hero)) == 2
