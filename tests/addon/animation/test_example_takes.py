# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that hold several takes one after another: each is learned from by itself, unless the action is one take."""

import bpy
import numpy as np
import pytest
from characters import Character, make_character, make_request

from genmm_addon.animation import actions
from genmm_addon.animation.reading.example_takes import in_takes
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.core import InputError
from genmm_addon.core.examples import Repetition
from genmm_addon.generation.direction import PartSpec
from genmm_addon.generation.generate import compute
from genmm_addon.generation.request import PartMode
from genmm_addon.libraries.indexed_examples import ready_examples
from genmm_addon.requests.choices import ChosenExample, read_noticing
from genmm_addon.requests.edit_examples import stretch_examples

pytestmark = pytest.mark.usefixtures("extension")
TAKES = [(1.0, 40.0), (41.0, 80.0)]


@pytest.fixture
def character() -> Character:
    """Return a character whose walk is followed by the same walk 30 m away."""
    character = make_character()
    for curve in actions.fcurves_of(character.walk):
        away = 30.0 if curve.data_path.endswith("location") and curve.array_index == 1 else 0.0
        for frame, value in [(point.co.x, point.co.y) for point in curve.keyframe_points]:
            curve.keyframe_points.insert(frame + 40, value + away).interpolation = "LINEAR"
    return character


def ranges(specs: tuple[ExampleSpec, ...]) -> list[tuple[float | None, float | None]]:
    return [(spec.frame_start, spec.frame_end) for spec in specs]


def taken(character: Character, spec: ExampleSpec) -> tuple[ExampleSpec, ...]:
    reading = read_examples(character.armature, [spec], scene=bpy.context.scene)
    return in_takes(character.armature, [spec], reading, bpy.context.scene)[0]


def test_each_take_of_an_action_is_an_example(character: Character) -> None:
    assert ranges(taken(character, ExampleSpec(character.walk))) == TAKES


@pytest.mark.parametrize("repetition", [Repetition.TAKE, Repetition.CYCLE])
def test_an_action_that_is_said_to_be_one_take_keeps_its_jumps(character: Character, repetition: Repetition) -> None:
    spec = ExampleSpec(character.walk, repetition=repetition)
    assert taken(character, spec) == (spec,)


def test_takes_are_counted_in_the_frames_of_the_scene(character: Character) -> None:
    spec = ExampleSpec(character.walk, frame_start=11.0, frame_end=60.0)
    assert ranges(taken(character, spec)) == [(11.0, 40.0), (41.0, 60.0)]
    found = taken(character, ExampleSpec(character.walk, skip_first_frame=True))
    assert ranges(found) == [(2.0, 40.0), TAKES[1]] and not found[0].skip_first_frame


def test_a_request_says_its_takes_and_its_parts_draw_from_them(character: Character) -> None:
    plain = ExampleSpec(character.walk, frame_end=40.0)
    specs = (plain, ExampleSpec(character.walk))
    parts = (PartSpec("first", ("hips",), (0,)), PartSpec("both", ("spine",), (1, 0)))
    asked = make_request(character, part_mode=PartMode.PAINTED, parts=parts)
    choices = [ChosenExample(spec, notice_rest_start=True) for spec in specs]
    request, reading = read_noticing(asked, choices, bpy.context.scene)
    assert ranges(request.examples) == [(None, 40.0), *TAKES]
    assert [part.examples for part in request.parts] == [(0,), (1, 2, 0)]
    assert len(reading.names) == 3
    (note,) = [note for note in reading.notes if "jumps" in note]
    assert note == (
        'Action "Walk" jumps, so it is learned from take by take: frames 1 to 40, 41 to 80. Set Repetition to Take to '
        "keep the jumps."
    )


def test_a_part_that_names_no_example_still_names_none(character: Character) -> None:
    asked = make_request(character, part_mode=PartMode.PAINTED, parts=(PartSpec("arm", ("hips",), (0, 1)),))
    with pytest.raises(InputError, match="example that does not exist"):
        request, reading = read_noticing(asked, [ChosenExample(ExampleSpec(character.walk), True)], bpy.context.scene)
        compute(reading, request)


def test_an_edit_learns_from_takes_also_beside_what_it_replaces(character: Character) -> None:
    choice = stretch_examples(character.armature, bpy.context.scene, character.walk, [(55.0, 65.0)])
    examples = ready_examples(character.armature, bpy.context.scene, choice)
    assert [motion.frames for motion in examples.prepared.motions] == [40, 15, 16]
    assert examples.names == ("Walk",) * 3


def test_generated_motion_does_not_jump(character: Character) -> None:
    choices = [ChosenExample(ExampleSpec(character.walk), notice_rest_start=True)]
    request, reading = read_noticing(make_request(character, frames=200), choices, bpy.context.scene)
    (synthesis,) = compute(reading, request)
    hips = synthesis.motion.pose()[1][:, 0]
    assert np.linalg.norm(np.diff(hips, axis=0), axis=1).max() < 0.2
