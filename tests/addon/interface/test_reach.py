# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet at objects: the list, Generate, the action that plays, recipes and the command line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from interface import registered

from genmm_addon.animation.bone_places import PLACES, BonePlace
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import recipe_of

FRAMES = 90
MET = 1e-3
HAND, FOOT = "Hand.R", "Foot.L"


@pytest.fixture
def sample() -> Iterator[SampleCharacter]:
    """Yield the sample character, which plays its wave, its only example."""
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        (wave,) = [action for action in made.actions if action.name.endswith("Wave")]
        made.armature.animation_data.action = wave
        bpy.ops.genmm.add_example(action=wave.name)
        settings = made.armature.genmm
        settings.frames, settings.seed, settings.new_seed, settings.output = FRAMES, 1, False, "NEW_ACTION"
        yield made


def empty(place: tuple[float, float, float], name: str = "Handle") -> Object:
    target = bpy.data.objects.new(name, None)
    target.location = place
    bpy.context.scene.collection.objects.link(target)
    return target


def moving(target: Object, way: tuple[float, float, float], first: int, last: int) -> None:
    """Key the object at its present place at one frame, and displaced by `way` at another."""
    target.keyframe_insert("location", frame=first)
    target.location = np.array(target.location) + np.array(way)
    target.keyframe_insert("location", frame=last)


def head_at(character: Object, bone: str, frame: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = character.evaluated_get(graph)
    return np.array((evaluated.matrix_world @ evaluated.pose.bones[bone].matrix).translation)


def away(character: Object, bone: str, target: Object, frames: range) -> float:
    """Return the largest distance of a bone's head from an object, in heights of the character."""
    found = []
    for frame in frames:
        head = head_at(character, bone, frame)
        found.append(
            np.linalg.norm(
                head - np.array(target.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation)
            )
        )
    return float(max(found)) / float(character.dimensions.z)


def beside_hand(character: Object, frame: int, offset: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = head_at(character, HAND, frame) + np.array(offset)
    return float(x), float(y), float(z)


@pytest.mark.parametrize(
    "place",
    [
        BonePlace("hand.R", "Handle", 40, 70),
        BonePlace("hand at 3-4", 'a "box", open', -5, 7, turned=True),
        BonePlace("a at b", "c, d", 1, 1),
        BonePlace("hand.R", "", 1, 5, point=(0.5, -1.0, 1.25)),
    ],
)
def test_places_are_read_back_as_they_are_written(place: BonePlace) -> None:
    assert PLACES.parse(PLACES.text([place, place])) == (place, place)


@pytest.mark.parametrize("text", ["h", "h at Box", "h at Box 9-1", "h at (1 2) 1-5", "h at (1 2 3) 1-5 turned"])
def test_malformed_place_is_rejected_with_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"[.;]"):
        PLACES.parse(text)


def test_the_action_meets_an_object_that_moves_and_nothing_else_changes(sample: SampleCharacter) -> None:
    character = sample.armature
    before = [head_at(character, HAND, frame) for frame in (1, 240)]
    target = empty(beside_hand(character, 100, (0.05, -0.1, -0.1)))
    moving(target, (0.1, 0.0, 0.05), 100, 130)
    assert bpy.ops.genmm.reach_in_action(places=f"{HAND} at Handle 100-130") == {"FINISHED"}
    assert away(character, HAND, target, range(100, 131, 5)) < MET
    assert np.allclose([head_at(character, HAND, frame) for frame in (1, 240)], before, atol=1e-5)


def test_a_bone_turns_as_its_object(sample: SampleCharacter) -> None:
    character = sample.armature
    target = empty(beside_hand(character, 100, (0.0, -0.1, -0.05)))
    target.rotation_euler = (0.3, 0.2, 1.0)
    assert bpy.ops.genmm.reach_in_action(places=f"{HAND} at Handle 100-110 turned") == {"FINISHED"}
    head_at(character, HAND, 105)
    bone = (character.matrix_world @ character.pose.bones[HAND].matrix).to_quaternion()
    assert bone.rotation_difference(target.matrix_world.to_quaternion()).angle < 1e-2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{HAND} at Handle 100-130", "higher than the character reaches"),
        (f"{HAND} at Missing 100-130", "does not exist"),
        ("Tail at Handle 100-130", "no bone"),
        (f"{HAND} at Hanging 100-130", "depends on"),
        ("nonsense", "not a place; write it as hand.R"),
    ],
)
def test_impossible_places_are_rejected_and_change_nothing(sample: SampleCharacter, text: str, sentence: str) -> None:
    empty((0.0, 0.0, 30.0))
    empty((0.0, 0.0, 1.0), "Hanging").parent = sample.armature
    before = head_at(sample.armature, HAND, 110)
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.genmm.reach_in_action(places=text)
    assert np.array_equal(head_at(sample.armature, HAND, 110), before)


def test_generated_motion_meets_the_places_of_the_list_and_so_does_its_recipe(sample: SampleCharacter) -> None:
    character, target = sample.armature, empty((4.0, 2.0, 1.1))
    assert bpy.ops.genmm.add_row(rows="reaches", bone=HAND, object="Handle", first=40, last=60) == {"FINISHED"}
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert away(character, HAND, target, range(40, 61, 4)) < MET
    recipe = recipe_of(character.animation_data.action)
    assert recipe is not None and recipe.reaches == f"{HAND} at Handle 40-60"


def test_adding_without_an_object_makes_an_empty_at_the_bone(sample: SampleCharacter) -> None:
    head = head_at(sample.armature, FOOT, 30)
    assert bpy.ops.genmm.add_row(rows="reaches", bone=FOOT, first=30, last=40) == {"FINISHED"}
    (place,) = PLACES.parse(sample.armature.genmm.reaches)
    bpy.context.view_layer.update()
    assert np.allclose(np.array(bpy.data.objects[place.object].matrix_world.translation), head, atol=1e-5)
    assert bpy.ops.genmm.remove_row(rows="reaches", number=0) == {"FINISHED"}
    assert sample.armature.genmm.reaches == ""


def test_the_command_changes_the_action_of_a_file(
    sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    empty(beside_hand(sample.armature, 100, (0.05, -0.1, -0.1)))
    path, made = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    said = run(capfd, "reach", path, "--reach", f"{HAND} at Handle 100-120", "--output", made)
    assert said.status == 0
    bpy.ops.wm.open_mainfile(filepath=str(made))
    character = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    assert away(character, HAND, bpy.data.objects["Handle"], range(100, 121, 5)) < MET
    said = run(capfd, "reach", path, "--reach", "Tail at Handle 1-2", "--output", tmp_path / "no.blend")
    assert said.status == 2 and "no bone" in said.errors[0]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"bone": FOOT, "first": 40, "last": 30}, "before the first"),
        ({"bone": "No Such Bone", "first": 30, "last": 40}, "No Such Bone"),
        ({"bone": FOOT, "object": "No Such Object", "first": 30, "last": 40}, "No Such Object"),
    ],
)
def test_invalid_place_is_rejected_and_nothing_is_made(
    sample: SampleCharacter, asked: dict[str, str | int], said: str
) -> None:
    before = set(bpy.data.objects)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.genmm.add_row(rows="reaches", **asked)
    assert set(bpy.data.objects) == before
    assert sample.armature.genmm.reaches == ""
