# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend: a new action beside the old one, with a recipe and undo, or a sentence if they cannot work."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import action_of, walking_sample
from commands import run, save
from numpy.typing import NDArray

from genmm_addon.animation.actions import assign
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.editing.transforming.record import EditRecipe, recipe_of, recipe_text
from genmm_addon.editing.transforming.restyling import tempo_notes

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]
WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"


@pytest.fixture
def character() -> Object:
    return walking_sample()


def joints(character: Object, frames: range) -> NDArray[np.float64]:
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([np.array(character.matrix_world @ bone.head) for bone in character.pose.bones])
    return np.array(found)


def test_a_walk_in_a_tired_style_is_a_new_action_and_the_old_one_stays(character: Object) -> None:
    frames = range(1, 100, 7)
    before = joints(character, frames)
    names = [bone.name for bone in character.pose.bones]
    assert bpy.ops.genmm.restyle(other_action=TIRED) == {"FINISHED"}
    made = action_of(character)
    assert made.name == f"{WALK} Restyled" and made.frame_range[:] == bpy.data.actions[WALK].frame_range[:]
    there = joints(character, frames)
    # A tired walker lowers the head.
    assert there[:, names.index("Head"), 2].mean() < before[:, names.index("Head"), 2].mean() - 0.01
    recipe = recipe_of(made)
    assert recipe is not None and (recipe.content, recipe.example, recipe.strength) == (WALK, TIRED, 1.0)
    assert bpy.data.actions[WALK].use_fake_user
    assign(character, bpy.data.actions[WALK])
    np.testing.assert_allclose(joints(character, frames), before, atol=1e-5)


def test_the_styles_tempo_makes_the_action_longer(character: Object) -> None:
    assert bpy.ops.genmm.restyle(other_action=TIRED, keep_timing=False) == {"FINISHED"}
    assert action_of(character).frame_range[1] > bpy.data.actions[WALK].frame_range[1] + 5


@pytest.mark.parametrize(("tempo", "said"), [(1.2, "1.2 times"), (0.5, "0.5 times"), (1.1, ""), (0.9, "")])
def test_a_note_says_that_keep_timing_plays_the_style_at_another_tempo(tempo: float, said: str) -> None:
    notes = tempo_notes(tempo)
    assert len(notes) == bool(said) and all(said in note and "without Keep Timing" in note for note in notes)


def test_a_blend_lies_between_and_its_share_may_have_keys(character: Object) -> None:
    assert bpy.ops.genmm.blend_action(other_action=TIRED, share=0.5) == {"FINISHED"}
    recipe = recipe_of(action_of(character))
    assert recipe is not None and recipe.share == 0.5 and "50%" in recipe_text(recipe)
    assign(character, bpy.data.actions[WALK])
    for frame, share in ((1, 0.0), (120, 1.0)):
        character.genmm.blend_share = share
        character.keyframe_insert("genmm.blend_share", frame=frame)
    assert bpy.ops.genmm.blend_action(other_action=TIRED, share=0.5) == {"FINISHED"}
    recipe = recipe_of(action_of(character))
    assert recipe is not None and recipe.share == -1.0 and "over time" in recipe_text(recipe)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"other_action": "GenMM Wave"}, "another action"),
        ({"other_action": WALK}, "the action itself"),
        ({"other_action": "Nothing"}, 'no action "Nothing"'),
        ({"source": "LIBRARY"}, "No library is chosen"),
    ],
)
def test_impossible_requests_to_restyle_are_rejected_and_change_nothing(
    character: Object, values: dict[str, str], sentence: str
) -> None:
    actions = set(bpy.data.actions.keys())
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.genmm.restyle(**values)
    assert set(bpy.data.actions.keys()) == actions and action_of(character).name == WALK


def test_the_posture_of_another_action_can_be_taken(character: Object) -> None:
    assert bpy.ops.genmm.restyle(other_action="GenMM Wave", posture_only=True) == {"FINISHED"}
    assert action_of(character).name == f"{WALK} Restyled"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": 1}', '{"kind": "style", "content": "a", "clips": 3}'])
def test_unreadable_recipe_is_ignored(character: Object, text: str) -> None:
    action_of(character)["genmm_transformed"] = text
    assert recipe_of(action_of(character)) is None


def test_a_recipe_in_words() -> None:
    assert (
        recipe_text(EditRecipe("style", "Walk", tags="style=old", strength=0.5))
        == "Walk, style of style=old, strength 0.5"
    )


def test_the_commands_write_files(tmp_path: Path, capfd: Capture, character: Object) -> None:
    others = {name: motion for name, motion in sample_motions(30.0).items() if name != WALK}
    tags = {TIRED: {"style": "tired"}}
    clips = [Clip(name, f"{name}.bvh", 0, 0, tags=tags.get(name, {})) for name in others]
    library = tmp_path / "others.npz"
    save_library(library, library_of(list(others.values()), clips))
    shot = save(tmp_path, "shot")
    blend, plain = tmp_path / "restyled.blend", tmp_path / "blended.bvh"
    said = run(capfd, "restyle", shot, "--library", library, "--tags", "style=tired", "--output", blend)
    assert said.status == 0 and TIRED in said.lines[-1], said.errors
    said = run(capfd, "blend", shot, "--with", TIRED, "--share", "0.25", "--output", plain)
    assert said.status == 0 and "25%" in said.lines[-1] and plain.is_file(), said.errors
    for words, sentence in (
        (("--style", TIRED, "--strength", "2"), "strength"),
        (("--style", "GenMM Wave"), "another action"),
        (("--style", TIRED, "--tags", "style=old"), "--tags"),
    ):
        refused = run(capfd, "restyle", shot, *words, "--output", tmp_path / "none.blend")
        assert refused.status == 2 and sentence in refused.errors[-1], refused
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert recipe_of(bpy.data.actions[f"{WALK} Restyled"]) is not None
