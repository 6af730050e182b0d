# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrored examples: left and right exchanged in Blender, on rigs of common kinds."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import play, registered, select
from numpy.typing import NDArray
from rigify_human import FRAMES, generated_human, swaying
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading import examples
from genmm_addon.animation.reading.example_spec import Mirrored, numbers_used, used_examples
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, read_examples
from genmm_addon.animation.writing import write_action
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.command_line.arguments.parser import parser
from genmm_addon.command_line.inputs.asked import as_said
from genmm_addon.core import InputError, Loop
from genmm_addon.generation.direction import PartSpec
from genmm_addon.generation.generate import Request, generate, read
from genmm_addon.generation.recipe import from_json, recipe_from_request, recipe_of, request_from_recipe, to_json
from genmm_addon.generation.request import PartMode
from genmm_addon.generation.sources import sources_of
from genmm_addon.interface.examples.sides import has_sides
from genmm_addon.requests.choices import choice_of, keep_examples

SIDES = str.maketrans("LR", "RL")


@pytest.fixture
def sample() -> SampleCharacter:
    return add_sample_character(bpy.context)


def of(action: bpy.types.Action, mirrored: Mirrored = Mirrored.MIRRORED, **values: Any) -> ExampleSpec:
    return ExampleSpec(action, mirrored=mirrored, **values)


def reading(rig: Object, *specs: ExampleSpec, **values: Any) -> Reading:
    return read_examples(rig, specs, scene=bpy.context.scene, **values)


def heads(rig: Object, names: list[str], frames: list[int]) -> NDArray[np.float64]:
    """Return the places of bones in the world as Blender evaluates them, `(T, B, 3)`."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([posed.matrix_world @ posed.pose.bones[name].head for name in names])
    return np.array(found)


def played_mirrored(rig: Object, action: bpy.types.Action) -> None:
    """Make the rig play the mirror image of an action."""
    found = reading(rig, of(action), visual=False)
    start = int(action.frame_range[0])
    written = write_action(found.motions[0], found.keyed, rig, name="Mirrored", frame_start=start)
    actions.assign(rig, written.action, written.slot)


def other(name: str) -> str:
    return name[:-1] + name[-1].translate(SIDES) if name[-2:] in (".L", ".R") else name


def assert_reflected(before: NDArray[np.float64], after: NDArray[np.float64], order: list[int], size: float) -> None:
    """Check that distances equal those between counterparts, and that left and right have changed places."""
    apart, apart_after = (np.linalg.norm(one[:, :, None] - one[:, None], axis=-1) for one in (before, after))
    np.testing.assert_allclose(apart_after, apart[:, order][:, :, order], atol=size)
    corners = np.linalg.det(np.diff(before[:, order][:, :4], axis=1))
    np.testing.assert_allclose(np.linalg.det(np.diff(after[:, :4], axis=1)), -corners, atol=size)


def test_the_sample_walks_the_other_way_round(sample: SampleCharacter) -> None:
    rig, action, frames = sample.armature, sample.actions[0], [1, 30, 77, 150]
    names = [bone.name for bone in rig.data.bones]
    # Four bones that are not in a plane come first, so that the sign shows exchanged sides.
    names.sort(key=lambda name: name not in ("Hips", "Hand.L", "Foot.R", "Head"))
    order = [names.index(other(name)) for name in names]
    play(rig, action)
    before = heads(rig, names, frames)
    played_mirrored(rig, action)
    assert_reflected(before, heads(rig, names, frames), order, 1e-4)


@pytest.fixture
def human() -> Iterator[Object]:
    """Yield a rig as Rigify builds it, some of whose controls have keys, mostly of one side."""
    with generated_human() as rig:
        action, slot = swaying(rig, ("torso", "hand_ik.L", "foot_ik.R", "foot_heel_ik.L", "chest", "hips"))
        for bone in ("chest", "foot_heel_ik.L", "head"):
            rig.pose.bones[bone].rotation_mode = "XYZ"
            for axis in range(3):
                values = [0.2 * np.sin(frame / (5 + axis) + axis) for frame in range(FRAMES)]
                key(action, slot, f'pose.bones["{bone}"].rotation_euler', axis, list(enumerate(values, 1)))
        play(rig, action)
        yield rig


def test_the_skin_of_a_rigify_character_is_moved_the_other_way_round(human: Object) -> None:
    names = [bone.name for bone in human.data.bones if bone.use_deform and bone.name.startswith("DEF-")]
    first = ("DEF-spine", "DEF-hand.L", "DEF-foot.R", "DEF-spine.006")
    names.sort(key=lambda name: first.index(name) if name in first else 9)
    by_name = {name: number for number, name in enumerate(names)}
    # The second half of a limb is called "DEF-thigh.L.001".
    order = [by_name[name.replace(".L", "<").replace(".R", ".L").replace("<", ".R")] for name in names]
    frames = [1, 12, 21, 33]
    before = heads(human, names, frames)
    played_mirrored(human, human.animation_data.action)
    assert_reflected(before, heads(human, names, frames), order, 2e-3)


def test_switch_of_one_arm_is_mirrored_to_the_other_with_the_value_of_that_arm(human: Object) -> None:
    action = human.animation_data.action
    human.pose.bones["upper_arm_parent.R"]["IK_FK"] = 0.25
    found = reading(human, of(action, Mirrored.BOTH), visual=False)
    recorded, mirrored = found.motions
    left, right = (recorded.scalar_names.index(f'pose.bones["upper_arm_parent.{side}"]["IK_FK"]') for side in "LR")
    np.testing.assert_array_equal(mirrored.scalars[:, right], recorded.scalars[:, left])
    np.testing.assert_allclose(mirrored.scalars[:, left], 0.25)
    assert found.keyed.scalars[right].group == "upper_arm_parent.R"
    assert {"hand_ik.R", "foot_ik.L"} <= set(found.keyed.locations) and "foot_heel_ik.R" in found.keyed.rotations


def test_both_ways_come_after_all_that_are_as_recorded(sample: SampleCharacter) -> None:
    first, second = sample.actions[:2]
    specs = (of(first, Mirrored.BOTH), of(second, Mirrored.MIRRORED), of(first, Mirrored.AS_RECORDED))
    assert [(one.number, one.is_mirrored) for one in used_examples(specs)] == [
        (0, False),
        (1, True),
        (2, False),
        (0, True),
    ]
    assert numbers_used((0, 2), specs) == (0, 2, 3)
    assert numbers_used((5,), specs) == (9,)
    assert len(reading(sample.armature, *specs).motions) == 4


def test_each_frame_records_which_mirrored_example_it_comes_from(sample: SampleCharacter) -> None:
    request = Request(sample.armature, (of(sample.actions[0], Mirrored.BOTH),), frames=300, seeds=(3,))
    (result,) = generate(bpy.context, request)
    found = sources_of(result.action)
    assert found is not None
    assert [clip.title for clip in found.examples] == ["GenMM Walk", "GenMM Walk (mirrored)"]
    assert {int(row[2]) for row in found.parts[0].stretches} == {0, 1}
    recipe = recipe_of(result.action)
    assert recipe is not None and request_from_recipe(recipe).examples == request.examples


def test_example_used_mirrored_only_is_shown_mirrored_only(sample: SampleCharacter) -> None:
    request = Request(sample.armature, (of(sample.actions[0]),), frames=60)
    (result,) = generate(bpy.context, request)
    found = sources_of(result.action)
    assert found is not None and [clip.is_mirrored for clip in found.examples] == [True]


def test_sources_of_results_that_knew_no_mirroring_are_read_as_before(sample: SampleCharacter) -> None:
    (result,) = generate(
        bpy.context, Request(sample.armature, (of(sample.actions[0], Mirrored.AS_RECORDED),), frames=60)
    )
    values = json.loads(result.action["genmm_sources"])
    assert all(len(row) == 4 for row in values["examples"])
    values["examples"][0].append("upside down")
    result.action["genmm_sources"] = json.dumps(values)
    assert sources_of(result.action) is None


def test_a_part_draws_from_both_ways_of_its_example(sample: SampleCharacter) -> None:
    specs = (of(sample.actions[0], Mirrored.AS_RECORDED), of(sample.actions[1], Mirrored.BOTH))
    part = PartSpec("Arm", ("UpperArm.L", "LowerArm.L"), (1,))
    request = Request(sample.armature, specs, frames=60, part_mode=PartMode.PAINTED, parts=(part,))
    parts = read(request, bpy.context.scene).resolved.parts
    assert parts is not None and parts[0].examples == (1, 2)


def test_recipe_omits_mirroring_unless_requested(sample: SampleCharacter) -> None:
    plain = Request(sample.armature, (of(sample.actions[0], Mirrored.AS_RECORDED),), frames=60)
    assert "mirrored" not in to_json(recipe_from_request(plain, 0))
    both = replace(plain, examples=(of(sample.actions[0], Mirrored.BOTH),))
    text = to_json(recipe_from_request(both, 0))
    assert request_from_recipe(from_json(text)).examples == both.examples
    with pytest.raises(InputError, match="mirrored is not one of AS_RECORDED, MIRRORED, BOTH"):
        from_json(text.replace('"BOTH"', '"SIDEWAYS"'))


def test_a_character_without_left_and_right_says_so_in_one_sentence() -> None:
    rig = make_rig(("root", "spine", "tip"))
    rig.name = "Snake"
    action, slot = actions.new_action("Wriggle", rig)
    for axis in range(4):
        key(action, slot, 'pose.bones["spine"].rotation_quaternion', axis, [(1.0, float(axis == 0)), (30.0, 0.5)])
    with pytest.raises(
        InputError, match=r'The bones of "Snake" have no recognizable left and right sides, .*; use .* As Recorded\.'
    ):
        reading(rig, of(action))
    assert len(reading(rig, of(action, Mirrored.AS_RECORDED)).motions) == 1


def test_non_finite_keys_are_reported_before_mirroring(sample: SampleCharacter) -> None:
    action = sample.actions[0]
    for curve in actions.fcurves_of(action, ""):
        curve.keyframe_points[5].co[1] = float("nan")
    with pytest.raises(InputError, match="not a finite number at frame 5; repair its keys"):
        reading(sample.armature, of(action))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["both"], {"walk": Mirrored.BOTH, "run": Mirrored.BOTH}),
        (["walk: mirrored"], {"walk": Mirrored.MIRRORED, "run": Mirrored.AS_RECORDED}),
        (["both", "w*: recorded"], {"walk": Mirrored.AS_RECORDED, "run": Mirrored.BOTH}),
    ],
)
def test_the_command_line_mirrors_all_examples_or_those_that_it_names(
    words: list[str], expected: dict[str, Mirrored]
) -> None:
    options = parser().parse_args(["generate", *(word for each in words for word in ("--mirror", each))])
    for name, way in expected.items():
        assert as_said(ExampleSpec(bpy.data.actions.new(name)), options).mirrored is way


def test_unknown_choice_of_mirroring_is_rejected_with_one_sentence() -> None:
    with pytest.raises(InputError, match='not a choice of mirroring; write recorded, mirrored or both, or "walk: bot'):
        parser().parse_args(["generate", "--mirror", "walk: sideways"])


def test_example_row_stores_its_choice_of_mirroring_and_the_panel_detects_examples_without_sides(
    sample: SampleCharacter,
) -> None:
    with registered():
        settings = sample.armature.genmm
        keep_examples(sample.armature, settings, [of(sample.actions[0], Mirrored.BOTH)], bpy.context.scene)
        assert settings.examples[0].mirrored == "BOTH"
        assert choice_of(settings.examples[0]).spec.mirrored is Mirrored.BOTH
        assert has_sides(sample.armature, settings.examples[0], bpy.context.scene)
        rig = make_rig(("root", "spine", "tip"))
        action, slot = actions.new_action("Wriggle", rig)
        key(action, slot, 'pose.bones["spine"].rotation_quaternion', 1, [(1.0, 0.0), (30.0, 0.5)])
        row = rig.genmm.examples.add()
        row.action = action
        assert row.mirrored == "AS_RECORDED" and not has_sides(rig, row, bpy.context.scene)


@pytest.mark.parametrize(
    "direction",
    [
        {"part_mode": PartMode.LIMBS},
        {"loop": Loop.TRAVEL},
        {"labels": "style=calm 1-100, style=proud 101-200"},
    ],
    ids=lambda direction: next(iter(direction)),
)
def test_parts_loops_and_labels_take_mirror_images_too(sample: SampleCharacter, direction: dict[str, Any]) -> None:
    specs = (
        of(sample.actions[0], Mirrored.BOTH, tags=("style=calm",)),
        of(sample.actions[2], Mirrored.MIRRORED, tags=("style=proud",)),
    )
    (result,) = generate(bpy.context, Request(sample.armature, specs, frames=200, seeds=(2,), **direction))
    found = sources_of(result.action)
    assert found is not None
    assert [clip.title for clip in found.examples] == [
        "GenMM Walk",
        "GenMM Walk Proud (mirrored)",
        "GenMM Walk (mirrored)",
    ]
    examples = [found.of_frame(frame) for frame in range(1, 201)]
    if "labels" in direction:
        proud = [at is not None and at[0] == 1 for at in examples]
        assert not any(proud[:98]) and all(proud[102:])


def test_memory_is_estimated_for_both_ways(sample: SampleCharacter, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    monkeypatch.setattr(examples, "check_examples", lambda sizes, *_: counted.append(len(sizes)))
    reading(sample.armature, of(sample.actions[0], Mirrored.BOTH), of(sample.actions[1], Mirrored.MIRRORED))
    assert counted == [3]


def test_one_click_goes_from_a_mirrored_stretch_to_the_recorded_frame(sample: SampleCharacter) -> None:
    with registered():
        request = Request(sample.armature, (of(sample.actions[1]),), frames=60, seeds=(4,))
        (result,) = generate(bpy.context, request)
        select(result.object)
        bpy.context.scene.frame_set(20)
        found = sources_of(result.action)
        at = None if found is None else found.of_frame(20)
        assert at is not None
        assert bpy.ops.genmm.go_to_source() == {"FINISHED"}
        assert bpy.context.view_layer.objects.active == sample.armature
        assert sample.armature.animation_data.action == sample.actions[1]
        assert bpy.context.scene.frame_current_final == pytest.approx(at[1], abs=1e-3)
