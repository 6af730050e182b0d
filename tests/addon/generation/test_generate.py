# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of requests: their places and motions, and that failures and cancellation leave the file unchanged."""

import threading
from dataclasses import replace
from typing import Any, NoReturn

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import FRAMES, Character, data_names, make_character, make_request, make_walk, world_bones
from rigs import key

from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.core import Cancelled, InputError, Settings, Synthesis
from genmm_addon.generation import generate as generate_module
from genmm_addon.generation import result_writing
from genmm_addon.generation.generate import Output, PartMode, compute, generate, read, same_reading, write
from genmm_addon.generation.recipe import recipe_of, request_from_recipe
from genmm_addon.generation.request import Request
from genmm_addon.generation.results import Result

ONTO_CHARACTER = [Output.NEW_ACTION, Output.NLA_STRIP]


def run(character: Character, **values: object) -> list[Result]:
    results = generate(bpy.context, make_request(character, **values))
    bpy.context.view_layer.update()
    return results


def wanted_bones(synthesis: Synthesis, armature: Object, frame: int) -> np.ndarray:
    """Return the bones' world matrices by name that a synthesis gives, for an object without animation."""
    matrices, positions = synthesis.motion.pose()
    order = np.argsort(synthesis.motion.skeleton.names)
    local = np.tile(np.eye(4), (len(order), 1, 1))
    local[:, :3, :3], local[:, :3, 3] = matrices[frame][order], positions[frame][order]
    return np.array(armature.matrix_world) @ local


def test_a_new_character_plays_the_new_motion_from_the_scene_s_first_frame() -> None:
    character = make_character()
    bpy.context.scene.frame_start = 11
    request = make_request(character, seeds=(5,))
    reading = read(request, bpy.context.scene)
    (synthesis,) = compute(reading, request)
    (result,) = write(bpy.context, request, reading, [synthesis])
    assert result.object != character.armature
    assert result.action.frame_range[:] == (11.0, 40.0)
    for frame in (0, 13, 29):
        posed = world_bones(result.object, 11 + frame)
        assert posed == pytest.approx(wanted_bones(synthesis, result.object, frame), abs=1e-4)


def test_motions_are_computed_after_their_actions_are_deleted() -> None:
    character = make_character()
    request = make_request(character)
    reading = read(request, bpy.context.scene)
    bpy.data.actions.remove(character.walk)
    (synthesis,) = compute(reading, request)
    assert synthesis.motion.frames == request.frames


def test_variations_that_are_the_same_motion_are_named() -> None:
    request = make_request(make_character(), seeds=(5, 6))
    reading = read(request, bpy.context.scene)
    one, other = compute(reading, request)
    assert write(bpy.context, request, reading, [one, other])[0].notes == ()
    (note,) = write(bpy.context, request, reading, [one, one])[0].notes
    assert note.startswith("Variations 1 and 2 are the same motion")


def test_source_keeps_playing_as_before() -> None:
    character = make_character()
    before = world_bones(character.armature, 20)
    run(character, seeds=(1, 2))
    assert assigned(character.armature)[0] == character.walk
    assert world_bones(character.armature, 20) == pytest.approx(before, abs=1e-6)


def test_each_seed_gives_a_variation_of_one_batch() -> None:
    character = make_character()
    results = run(character, seeds=(3, 4, 9))
    assert [result.seed for result in results] == [3, 4, 9]
    assert [result.object.name for result in results] == ["Rig Gen 001", "Rig Gen 002", "Rig Gen 003"]
    assert [result.action.name for result in results] == ["Walk Gen 001", "Walk Gen 002", "Walk Gen 003"]
    assert len({result.batch for result in results}) == 1
    assert run(character)[0].batch != results[0].batch


def test_an_animated_object_still_stands_beside() -> None:
    character = make_character()
    action, slot = assigned(character.armature)
    for index in range(3):
        key(action, slot, "location", index, [(frame, 0.1 * frame * (index == 1)) for frame in range(1, FRAMES + 1)])
    (result,) = run(character)
    bpy.context.scene.frame_set(1)
    step = result.object.matrix_world.translation - character.armature.matrix_world.translation
    assert abs(step.x) > 2.0
    assert np.ptp([world_bones(result.object, frame)[0, 1, 3] for frame in (1, 15, 30)]) > 0.1


def test_the_result_has_the_scene_s_rate() -> None:
    character = make_character()
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    request = make_request(character)
    reading = read(request, bpy.context.scene)
    assert reading.frames_per_second == pytest.approx(29.97, abs=1e-3)
    slow = replace(request, examples=(ExampleSpec(character.walk, frames_per_second=60.0),))
    synthesis = compute(read(slow, bpy.context.scene), slow)[0]
    assert synthesis.motion.frames_per_second == pytest.approx(29.97, abs=1e-3)
    assert synthesis.motion.frames == 30


@pytest.mark.parametrize("frames", [1, 2, 200])
def test_the_length_is_exactly_as_asked(frames: int) -> None:
    (result,) = run(make_character(), frames=frames)
    start, end = result.action.frame_range[:]
    assert end - start == frames - 1


def test_compute_runs_in_a_thread_and_reports_its_progress_over_all_seeds() -> None:
    character = make_character()
    request = make_request(character, seeds=(0, 1, 2))
    reading = read(request, bpy.context.scene)
    fractions, syntheses = [], []

    def work() -> None:
        syntheses.extend(compute(reading, request, lambda fraction: fractions.append(fraction)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(syntheses) == 3
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0 and fractions[-1] == pytest.approx(1.0)


def test_canceling_leaves_the_file_unchanged() -> None:
    character = make_character()
    before = data_names()
    with pytest.raises(Cancelled):
        generate(bpy.context, make_request(character, seeds=(0, 1)), lambda fraction: fraction < 0.5)
    assert data_names() == before


@pytest.mark.parametrize("output", list(Output))
def test_failure_half_way_leaves_the_file_unchanged(monkeypatch: pytest.MonkeyPatch, output: Output) -> None:
    character = make_character()
    bone = character.armature.pose.bones["spine"]
    bone.constraints.new("LIMIT_ROTATION")
    before = data_names()
    number = iter(range(10))

    def fail_at_the_second(*values: Any) -> Any:
        if next(number) == 1:
            raise RuntimeError("broken")
        return stored(*values)

    stored = result_writing.store
    monkeypatch.setattr(result_writing, "store", fail_at_the_second)
    with pytest.raises(RuntimeError, match="broken"):
        run(character, seeds=(0, 1), output=output, visual=True)
    assert data_names() == before
    assert assigned(character.armature)[0] == character.walk
    assert not character.walk.use_fake_user
    assert not character.armature.animation_data.nla_tracks
    assert not bone.constraints[0].mute


def test_failure_at_the_very_end_leaves_the_file_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    character = make_character()
    before = data_names()

    def fail(*_values: object) -> NoReturn:
        raise RuntimeError("broken")

    monkeypatch.setattr(generate_module, "extend_playback", fail)
    for output in Output:
        with pytest.raises(RuntimeError, match="broken"):
            run(character, output=output, extend_playback=True)
        assert data_names() == before
        assert assigned(character.armature)[0] == character.walk


def test_a_new_action_is_assigned_and_the_old_one_kept_and_named() -> None:
    character = make_character()
    first, second = run(character, seeds=(1, 2), output=Output.NEW_ACTION)
    assert first.object == character.armature
    assert assigned(character.armature) == (first.action, first.slot)
    assert character.walk.use_fake_user
    assert any('"Walk"' in note for note in first.remarks)
    assert second.action.use_fake_user
    assert len(bpy.data.objects) == 2


def test_a_new_action_moves_the_character_itself() -> None:
    character = make_character()
    request = make_request(character, output=Output.NEW_ACTION)
    reading = read(request, bpy.context.scene)
    syntheses = compute(reading, request)
    write(bpy.context, request, reading, syntheses)
    assert world_bones(character.armature, 8) == pytest.approx(
        wanted_bones(syntheses[0], character.armature, 7), abs=1e-4
    )


def test_an_nla_strip_plays_above_the_action_that_was_pushed_down() -> None:
    character = make_character()
    request = make_request(character, seeds=(1, 2), output=Output.NLA_STRIP, frame_start=5.5)
    reading = read(request, bpy.context.scene)
    syntheses = compute(reading, request)
    first, second = write(bpy.context, request, reading, syntheses)
    tracks = character.armature.animation_data.nla_tracks
    assert [track.strips[0].action for track in tracks] == [character.walk, first.action, second.action]
    assert [track.mute for track in tracks] == [False, False, True]
    assert tracks[1].strips[0].frame_start == 5.5
    assert tracks[1].strips[0].frame_end == 34.5
    assert any('"Walk"' in note for note in first.remarks)
    bpy.context.scene.frame_set(12, subframe=0.5)
    posed = world_bones(character.armature)
    assert posed == pytest.approx(wanted_bones(syntheses[0], character.armature, 7), abs=1e-4)


def test_the_pushed_down_action_plays_as_before_where_the_result_is_muted() -> None:
    character = make_character()
    before = [world_bones(character.armature, frame) for frame in (1, 20, 40)]
    run(character, output=Output.NLA_STRIP)
    character.armature.animation_data.nla_tracks[1].mute = True
    after = [world_bones(character.armature, frame) for frame in (1, 20, 40)]
    assert np.array(after) == pytest.approx(np.array(before), abs=1e-5)


def test_bones_of_a_visual_result_are_moved_only_by_keys() -> None:
    character = make_character()
    spine = character.armature.pose.bones["spine"]
    turn = spine.constraints.new("COPY_ROTATION")
    turn.target, turn.subtarget = character.armature, "hips"
    driver = character.armature.pose.bones["hand"].driver_add("location", 1)
    driver.driver.expression = "0.3"
    bpy.context.view_layer.update()
    request = make_request(character, visual=True)
    reading = read(request, bpy.context.scene)
    syntheses = compute(reading, request)
    (result,) = write(bpy.context, request, reading, syntheses)
    assert result.object.pose.bones["spine"].constraints[0].mute
    assert not turn.mute
    assert world_bones(result.object, 9) == pytest.approx(wanted_bones(syntheses[0], result.object, 8), abs=1e-4)


def test_a_channel_result_keeps_its_constraints() -> None:
    character = make_character()
    character.armature.pose.bones["spine"].constraints.new("LIMIT_ROTATION")
    (result,) = run(character)
    assert not result.object.pose.bones["spine"].constraints[0].mute


@pytest.mark.parametrize("output", ONTO_CHARACTER)
def test_visual_result_on_the_character_itself_notes_muted_constraints(output: Output) -> None:
    character = make_character()
    character.armature.pose.bones["spine"].constraints.new("LIMIT_ROTATION")
    (result,) = run(character, visual=True, output=output)
    assert character.armature.pose.bones["spine"].constraints[0].mute
    assert any("muted" in note for note in result.notes)


def test_playback_is_extended_only_when_asked() -> None:
    character = make_character()
    bpy.context.scene.frame_end = 20
    run(character)
    assert bpy.context.scene.frame_end == 20
    run(character, extend_playback=True)
    assert bpy.context.scene.frame_end == 30
    run(character, frames=5, extend_playback=True)
    assert bpy.context.scene.frame_end == 30


def test_selection_and_frame_are_left_alone() -> None:
    character = make_character()
    bpy.context.view_layer.objects.active = character.armature
    bpy.context.scene.frame_set(17)
    run(character)
    assert bpy.context.view_layer.objects.active == character.armature
    assert bpy.context.scene.frame_current == 17


@pytest.mark.parametrize("output", list(Output))
def test_running_the_recipe_of_a_result_makes_it_again(output: Output) -> None:
    character = make_character()
    (result,) = run(character, seeds=(12,), output=output, settings=Settings(patch_frames=5))
    recipe = recipe_of(result.action)
    assert recipe.seed == 12
    bpy.context.scene.frame_start = 5
    (again,) = generate(bpy.context, request_from_recipe(recipe))
    poses = [np.array([world_bones(each.object, frame) for frame in (1, 15, 30)]) for each in (result, again)]
    if output is Output.NEW_CHARACTER:
        assert recipe_of(result.object) == recipe
        step = poses[1][0, 0, :3, 3] - poses[0][0, 0, :3, 3]
        poses[1][:, :, :3, 3] -= step
    assert poses[1] == pytest.approx(poses[0], abs=1e-4)


def test_a_result_can_be_the_source_of_the_next() -> None:
    character = make_character()
    (result,) = run(character)
    request = Request(result.object, (ExampleSpec(result.action),), 20)
    (second,) = generate(bpy.context, request)
    assert second.object.name == "Rig Gen 002"
    assert second.action.name == "Walk Gen 002"


def test_limbs_can_be_matched_separately() -> None:
    (result,) = run(make_character(), part_mode=PartMode.LIMBS)
    assert recipe_of(result.action).part_mode is PartMode.LIMBS


def test_a_reading_is_the_same_until_a_key_changes() -> None:
    character = make_character()
    request = make_request(character)
    first = read(request, bpy.context.scene)
    assert same_reading(first, read(request, bpy.context.scene))
    assert not same_reading(first, read(replace(request, visual=True), bpy.context.scene))
    two = replace(request, examples=request.examples * 2)
    assert not same_reading(first, read(two, bpy.context.scene))
    curve = fcurves_of(character.walk)[0]
    curve.keyframe_points[10].co.y += 0.01
    curve.update()
    assert not same_reading(first, read(request, bpy.context.scene))


def test_a_change_of_the_scene_s_rate_is_a_change() -> None:
    character = make_character()
    request = make_request(character)
    first = read(request, bpy.context.scene)
    bpy.context.scene.render.fps = 60
    assert not same_reading(first, read(request, bpy.context.scene))


def test_a_broken_key_is_named() -> None:
    character = make_character()
    curve = fcurves_of(character.walk)[-1]
    curve.keyframe_points[3].co.y = float("nan")
    with pytest.raises(InputError, match='"Walk"'):
        read(make_request(character), bpy.context.scene)


@pytest.mark.parametrize("output", ONTO_CHARACTER)
def test_a_character_in_tweak_mode_says_so_before_anything_is_computed(output: Output) -> None:
    character = make_character()
    data = character.armature.animation_data
    data.nla_tracks.new().strips.new("Walk", 1, character.walk).select = True
    data.action = None
    data.nla_tracks[0].select = True
    data.nla_tracks.active = data.nla_tracks[0]
    data.use_tweak_mode = True
    with pytest.raises(InputError, match="tweak mode"):
        read(make_request(character, output=output), bpy.context.scene)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("frames", 0),
        ("seeds", ()),
        ("seeds", (-1,)),
        ("tolerance", -1.0),
        ("tolerance", float("nan")),
        ("frame_start", float("nan")),
        ("frames", 10**9),
    ],
)
def test_a_request_with_an_impossible_number_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError):
        make_request(make_character(), **{name: value})


def test_rig_shown_in_rest_position_gets_a_note() -> None:
    character = make_character()
    assert run(character)[0].notes == ()
    character.armature.data.pose_position = "REST"
    assert any("Rest Position" in note for note in run(character)[0].notes)


def test_a_result_that_was_renamed_keeps_its_place() -> None:
    character = make_character()
    (first,) = run(character)
    first.object.name = "Favorite"
    (second,) = run(character)
    assert second.object.matrix_world.translation.x > first.object.matrix_world.translation.x + 2.0


def test_no_character_gets_one_sentence() -> None:
    character = make_character()
    for armature in (None, character.body):
        with pytest.raises(InputError):
            read(replace(make_request(character), armature=armature), bpy.context.scene)


def test_two_examples_teach_one_result() -> None:
    character = make_character()
    run_action = make_walk(character.armature, "Run")
    request = Request(character.armature, (ExampleSpec(character.walk), ExampleSpec(run_action)), 50)
    assert len(generate(bpy.context, request)) == 1
    assert len(recipe_of(bpy.data.actions["Walk Gen 001"]).examples) == 2
