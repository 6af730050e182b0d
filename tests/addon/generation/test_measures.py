# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures and sources of a result, computed when it is made and stored with it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import pytest
from characters import make_character
from interface import registered, results_of, select

from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.core import Facing, Prepared, Settings, Synthesis, metrics, prepare, rotations, synthesize
from genmm_addon.core.evaluation import LegFlaw, LegFlawKind
from genmm_addon.generation.generate import Computed, Request, compute_and_measure, generate, prepare_reading, read
from genmm_addon.generation.measures import (
    PROPERTY,
    Measures,
    flawed_frames,
    measure,
    measures_of,
    said_to_show,
    said_visible,
    store_measures,
    visible_flaws,
    visible_frames,
    visible_transitions,
)
from genmm_addon.generation.request import Output, PartMode
from genmm_addon.generation.sources import PROPERTY as SOURCES
from genmm_addon.generation.sources import (
    SourceExample,
    Sources,
    played_result,
    sources_of,
    sources_of_synthesis,
    store_sources,
)
from genmm_addon.interface.results.shown import measured_lines
from genmm_addon.interface.results.transitions import flaws_of, frames_of, frames_offered


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def sample() -> bpy.types.Object:
    bpy.ops.genmm.add_sample_character()
    return bpy.context.object


def request_for(rig: bpy.types.Object, *actions: str, **values: Any) -> Request:
    specs = tuple(ExampleSpec(bpy.data.actions[name]) for name in actions)
    return Request(rig, specs, **{"frames": 200, **values})


def computed(request: Request) -> Computed:
    return compute_and_measure(read(request, bpy.context.scene), request)


def shown(sources: Sources, part: int) -> tuple[list[int], list[float]]:
    """Return the example, and the frame of its action, for every frame of the result."""
    found = [sources.of_frame(sources.frame_start + frame, part) for frame in range(sources.frames)]
    assert all(at is not None for at in found)
    return [at[0] for at in found], [at[1] for at in found]


def wanted(synthesis: Synthesis, part: int) -> tuple[list[int], list[float]]:
    return list(synthesis.source_examples[:, part]), list(synthesis.source_frames[:, part])


def test_coverage_is_the_cores_where_one_example_keeps_its_facing() -> None:
    request = request_for(sample(), "GenMM Dance", frames=150)
    reading = read(request, bpy.context.scene)
    made = compute_and_measure(reading, request)
    own = metrics.coverage(made.syntheses[0].motion, reading.reading.motions[0])
    assert made.measures[0].coverage == pytest.approx(own)
    assert 0 < own < 1


def test_a_long_result_shows_all_of_a_short_example() -> None:
    assert computed(request_for(sample(), "GenMM Walk", frames=900)).measures[0].coverage == 1.0


def test_half_of_the_examples_is_covered_by_the_other_half() -> None:
    rig = sample()
    request = request_for(rig, "GenMM Walk", "GenMM Dance", frames=60)
    made = computed(request)
    assert made.measures[0].coverage < 0.5


def test_a_walk_that_turns_elsewhere_shows_as_much() -> None:
    request = request_for(sample(), "GenMM Walk", frames=100)
    reading = read(request, bpy.context.scene)
    made = compute_and_measure(reading, request)
    prepared, synthesis = prepare(reading.reading.motions), made.syntheses[0]
    assert prepared.root.facing is Facing.FREE
    joint, skeleton = prepared.root.joint, synthesis.motion.skeleton
    turn = rotations.from_axis_angle(np.array(skeleton.up), np.array(1.0))
    rest = skeleton.rest_rotations[joint]
    turned = synthesis.motion.rotations.copy()
    upright = rotations.multiply(turn, rotations.multiply(rest, turned[:, joint]))
    turned[:, joint] = rotations.multiply(rotations.inverse(rest), upright)
    elsewhere = replace(synthesis, motion=replace(synthesis.motion, rotations=turned))
    (measures,) = measure(prepared, [elsewhere])
    assert 0 < measures.coverage < 1
    assert measures.coverage == pytest.approx(made.measures[0].coverage, abs=0.02)


def test_diversity_is_of_several_variations() -> None:
    rig = sample()
    alone = computed(request_for(rig, "GenMM Walk", seeds=(1,))).measures
    several = computed(request_for(rig, "GenMM Walk", seeds=(1, 2, 3))).measures
    assert alone[0].diversity is None
    assert len({measures.diversity for measures in several}) == 1
    assert 0.1 < several[0].diversity < 2.0


def test_locked_feet_slide_less() -> None:
    rig = sample()
    locked, loose = (
        computed(request_for(rig, "GenMM Walk", settings=Settings(foot_locking=on), seeds=tuple(range(4)))).measures
        for on in (True, False)
    )
    assert np.mean([each.skate for each in locked]) < np.mean([each.skate for each in loose])
    assert locked[0].example_skate == loose[0].example_skate > 0


def test_character_without_feet_has_no_skating_measures() -> None:
    (measures,) = computed(request_for(sample(), "GenMM Walk", settings=Settings(feet=()))).measures
    assert measures.skate is None and measures.example_skate is None
    assert [name for name, _ in measured_lines(measures)] == ["Coverage"]


def test_long_motions_are_not_compared_with_the_examples() -> None:
    (long,) = computed(request_for(sample(), "GenMM Walk", frames=20_000)).measures
    assert long.coverage is None and long.skate is not None


def test_measures_survive_saving(tmp_path: object) -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Walk"))
    name, before, sources = result.action.name, measures_of(result.action), result.action[SOURCES]
    assert before is not None and before.coverage is not None
    path = f"{tmp_path}/kept.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert measures_of(bpy.data.actions[name]) == before
    assert bpy.data.actions[name][SOURCES] == sources


@pytest.mark.parametrize("value", [5, "", "[]", '{"coverage": "all"}', '{"coverage": NaN}', '{"speed": 1}'])
def test_malformed_measures_are_ignored(value: object) -> None:
    action = bpy.data.actions.new("Odd")
    action[PROPERTY] = value
    assert measures_of(action) is None
    store_measures(action, Measures(coverage=0.5))
    assert measures_of(action) == Measures(coverage=0.5)


@pytest.mark.parametrize("output", list(Output))
@pytest.mark.parametrize("mode", [PartMode.WHOLE_BODY, PartMode.LIMBS])
def test_every_frame_knows_where_it_came_from(output: Output, mode: PartMode) -> None:
    rig = sample()
    bpy.context.scene.frame_start = 11
    request = request_for(rig, "GenMM Dance", "GenMM Wave", output=output, part_mode=mode)
    synthesis = computed(request).syntheses[0]
    (result,) = generate(bpy.context, request)
    played = played_result(result.object)
    assert played is not None and played.action == result.action
    assert (played.sources.frame_start + played.offset, played.sources.frames) == (11.0, 200)
    assert [example.name for example in played.sources.examples] == ["GenMM Dance", "GenMM Wave"]
    assert len(played.sources.parts) == synthesis.source_frames.shape[1]
    for part in range(len(played.sources.parts)):
        examples, frames = shown(played.sources, part)
        assert examples == wanted(synthesis, part)[0]
        # Both actions begin at frame 1.
        assert np.array(frames) - 1 == pytest.approx(np.array(wanted(synthesis, part)[1]), abs=2e-3)


def test_sources_with_another_rate_and_a_range_point_to_the_frames_of_the_action() -> None:
    character = make_character()
    spec = ExampleSpec(character.walk, frame_start=5, frames_per_second=60.0)
    request = Request(character.armature, (spec,), frames=30)
    synthesis = computed(request).syntheses[0]
    (result,) = generate(bpy.context, request)
    sources = sources_of(result.action)
    assert sources.examples[0].step == pytest.approx(60 / 24)
    assert np.array(shown(sources, 0)[1]) - 5 == pytest.approx(synthesis.source_frames[:, 0], abs=2e-2)


def test_a_moved_strip_is_followed() -> None:
    rig = sample()
    generate(bpy.context, request_for(rig, "GenMM Walk", output=Output.NLA_STRIP))
    before = played_result(rig).offset
    strip = rig.animation_data.nla_tracks[-1].strips[0]
    strip.frame_start, strip.frame_end = strip.frame_start + 40, strip.frame_end + 40
    assert played_result(rig).offset == before + 40


def test_rates_of_sources_are_kept_and_those_of_old_results_are_one() -> None:
    motion = computed(request_for(sample(), "GenMM Walk", frames=60)).syntheses[0].motion
    rates = np.repeat([0.5, 1.0, 1.5], 20)
    frames = 3 + np.concatenate(([0.0], np.cumsum(rates[:-1])))
    timed = Synthesis(
        motion, np.zeros((60, 1), np.int64), frames[:, None], Facing.FREE, "hips", source_rates=rates[:, None]
    )
    made = sources_of_synthesis(timed, ("Whole Body",), (SourceExample("Walk", 1.0, 90),), 1.0)
    assert made.parts[0].stretches[:, 4].tolist() == [0.5, 1.0, 1.5]
    action = bpy.data.actions.new("Timed")
    store_sources(action, made)
    assert shown(sources_of(action), 0)[1] == pytest.approx(1 + frames)
    action[SOURCES] = '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,0,0]]]]}'
    assert shown(sources_of(action), 0)[1] == list(range(1, 10))


def test_frames_at_the_original_speed_are_stored_in_the_former_format() -> None:
    (result,) = generate(bpy.context, request_for(sample(), "GenMM Walk"))
    (part,) = json.loads(result.action[SOURCES])["parts"]
    assert all(len(row) == 4 for row in part[1])


def test_the_sources_of_a_thousand_frames_are_small() -> None:
    (result,) = generate(bpy.context, request_for(sample(), "GenMM Walk", frames=1000))
    assert len(result.action[SOURCES]) < 2000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"frame_start":1,"frames":9,"examples":[],"parts":[]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,1,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,8,0,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,0,18]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,0]],"parts":[["b",[[0,9,0,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,1e99,1]],"parts":[["b",[[0,9,0,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,0.5,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[["x",9,0,0]]]]}',
        '{"frame_start":1,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,0,0,0]]]]}',
        '{"frame_start":NaN,"frames":9,"examples":[["a",1,9,1]],"parts":[["b",[[0,9,0,0]]]]}',
    ],
)
def test_malformed_sources_are_ignored(text: str) -> None:
    action = bpy.data.actions.new("Odd")
    action[SOURCES] = text
    assert sources_of(action) is None


def test_going_to_the_source_shows_the_example_at_that_frame() -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Dance"))
    assert rig.animation_data.action.name == "GenMM Walk"
    bpy.data.actions["GenMM Walk"].use_fake_user = False
    select(result.object)
    bpy.context.scene.frame_set(77)
    example, frame = sources_of(result.action).of_frame(77)
    assert example == 0
    assert bpy.ops.genmm.go_to_source() == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == rig
    assert rig.animation_data.action.name == "GenMM Dance"
    assert bpy.context.scene.frame_current == int(frame)
    assert bpy.data.actions["GenMM Walk"].use_fake_user


def test_go_to_source_is_rejected_outside_the_generated_motion() -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Dance"))
    select(result.object)
    bpy.context.scene.frame_set(201)
    with pytest.raises(RuntimeError, match="from frame 1 to 200"):
        bpy.ops.genmm.go_to_source()
    select(rig)
    with pytest.raises(RuntimeError, match="plays nothing that was generated"):
        bpy.ops.genmm.go_to_source()


def test_every_part_leads_to_its_source() -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Dance", part_mode=PartMode.LIMBS, seeds=(4,)))
    sources = sources_of(result.action)
    frames = []
    for number in range(1, len(sources.parts) + 1):
        select(result.object)
        bpy.context.scene.frame_set(100)
        bpy.ops.genmm.go_to_source(part=number)
        frames.append(bpy.context.scene.frame_current)
    assert frames == [int(sources.of_frame(100, part)[1]) for part in range(len(sources.parts))]
    select(result.object)
    with pytest.raises(RuntimeError, match="no part 9"):
        bpy.ops.genmm.go_to_source(part=9)


def test_results_say_how_good_they_are_in_words() -> None:
    rig = sample()
    rig.genmm.frames, rig.genmm.variations = 200, 2
    bpy.ops.genmm.generate_motion()
    measures = measures_of(results_of(rig)[0].animation_data.action)
    lines = dict(measured_lines(measures))
    assert set(lines) == {"Coverage", "Diversity", "Foot Skate"}
    assert lines["Coverage"].endswith("% of the examples") and "cm/s" in lines["Foot Skate"]


def with_a_jump(prepared: Prepared, at: int) -> Synthesis:
    """Return a result that continues at a very different moment of the dance without a crossfade."""
    dance = prepared.motions[0]
    frames = np.concatenate((np.arange(at), np.arange(170, 270))).astype(float)
    motion = dance.take(frames.astype(np.int64))
    source = frames[:, None]
    return Synthesis(motion, np.zeros((len(frames), 1), np.int64), source, prepared.root.facing, "Hips")


def test_a_jump_with_no_crossfade_is_named_by_its_frame() -> None:
    request = request_for(sample(), "GenMM Dance")
    prepared = prepare_reading(read(request, bpy.context.scene), request)
    synthesis = with_a_jump(prepared, 80)
    assert visible_transitions(prepared, synthesis) == (80,)
    smooth = replace(synthesis, source_frames=np.arange(180.0)[:, None], motion=prepared.motions[0].slice(0, 180))
    assert visible_transitions(prepared, smooth) == ()


def test_transitions_that_may_show_are_kept_with_the_result_and_one_click_goes_there() -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Walk", frame_start=101, output=Output.NEW_ACTION))
    measures = measures_of(result.action)
    assert measures is not None and measures.visible_transitions is not None
    store_measures(result.action, replace(measures, visible_transitions=(11, 239)))
    played = played_result(rig)
    assert played is not None and frames_of(played) == (112, 340)
    assert said_visible((112, 340)) == "2 cuts may show: frames 112, 340"
    assert bpy.ops.genmm.go_to_frame(rows="cuts", frame=340) == {"FINISHED"}
    assert bpy.context.scene.frame_current == 340


def test_knees_and_feet_that_may_show_are_kept_with_the_result_and_one_click_goes_there() -> None:
    rig = sample()
    (result,) = generate(bpy.context, request_for(rig, "GenMM Walk", frame_start=101, output=Output.NEW_ACTION))
    measures = measures_of(result.action)
    assert measures is not None and measures.leg_flaws is not None
    flaws = (LegFlaw(LegFlawKind.SLIDE, 11), LegFlaw(LegFlawKind.KNEE, 20), LegFlaw(LegFlawKind.SLIDE, 90))
    store_measures(result.action, replace(measures, leg_flaws=flaws))
    played = played_result(rig)
    assert played is not None
    assert flaws_of(played) == {LegFlawKind.KNEE: (121,), LegFlawKind.SLIDE: (112, 191)}
    assert said_to_show((112, 191), "foot slide") == "2 foot slides may show: frames 112, 191"
    assert bpy.ops.genmm.go_to_frame(rows="leg_flaws", frame=191) == {"FINISHED"}
    assert bpy.context.scene.frame_current == 191


def test_feet_on_rising_ground_are_not_measured() -> None:
    request = request_for(sample(), "GenMM Walk")
    prepared = prepare_reading(read(request, bpy.context.scene), request)
    result = synthesize(prepared, 100)
    assert visible_flaws(prepared, result) is not None
    assert visible_flaws(prepared, replace(result, rise=np.zeros(100))) is None


def test_older_results_have_no_transition_measures() -> None:
    action = bpy.data.actions.new("old")
    action[PROPERTY] = '{"coverage": 0.5, "diversity": null, "skate": 1.0, "example_skate": 2.0}'
    measures = measures_of(action)
    assert measures is not None and measures.coverage == 0.5 and measures.visible_transitions is None
    assert visible_frames(action) is None
    assert measures.leg_flaws is None and flawed_frames(action) is None


def test_of_many_transitions_the_nearest_have_a_button() -> None:
    every = tuple(range(0, 1000, 10))
    offered = frames_offered(every, 505)
    assert len(offered) == 12 and offered == tuple(sorted(offered)) and {500, 510} <= set(offered)
