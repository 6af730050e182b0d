# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that edit actions of files, for many files of any kind at once, with other actions from files."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import walker
from characters import walking_sample
from commands import left_in, run, save
from gltf_files import write_gltf
from numpy.typing import NDArray

from genmm_addon.core.motion import read_bvh_motion
from genmm_addon.editing.transforming.record import recipe_of
from genmm_addon.files.import_file import ImportedCharacter, import_file

pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("extension")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def files(tmp_path: Path, capfd: Capture) -> Path:
    """Return a folder with a walk and a tired walk of the sample character, as BVH files."""
    walking_sample()
    shot = save(tmp_path, "shot")
    for action, name in (("GenMM Walk", "walk"), ("GenMM Walk Tired", "tired")):
        said = run(capfd, "repair", shot, "--action", action, "--kinds", "lost", "-o", tmp_path / f"{name}.bvh")
        assert said.status == 0, said.errors
    shot.unlink()
    return tmp_path


def test_inputs_are_edited_separately_and_a_broken_one_does_not_stop_the_others(files: Path, capfd: Capture) -> None:
    (files / "broken.bvh").write_text("HIERARCHY")
    output = files / "out" / "{name}_clean.bvh"
    said = run(capfd, "repair", files, "--everything", "--output", output)
    assert said.status == 2 and len(said.errors) == 1 and said.errors[0].startswith('"broken.bvh"')
    assert left_in(files / "out") == {"walk_clean.bvh", "tired_clean.bvh"}
    assert said.lines[-1] == "2 of 3 inputs done."


def test_a_note_says_that_only_one_of_several_actions_is_edited(tmp_path: Path, capfd: Capture) -> None:
    times = np.arange(0, 2, 1 / 24)
    write_gltf(tmp_path / "nods.glb", {"Long": {0: times}, "Short": {1: times[:20]}})
    words = ("repair", tmp_path / "nods.glb", "--force", "-o", tmp_path / "out.glb")
    said = run(capfd, *words)
    assert 'Only "Long' in said.told[0] and 'of 2 actions in "nods.glb" is edited; choose another' in said.told[0]
    assert not any("Only" in line for line in run(capfd, *words, "--action", "Short*").told)


def test_existing_results_are_only_overwritten_when_forced(files: Path, capfd: Capture) -> None:
    words = ("continue", files / "walk.bvh", files / "tired.bvh", "--frames", 5, "--output", files / "{name}_on.bvh")
    (files / "tired_on.bvh").write_text("kept")
    said = run(capfd, *words)
    assert said.status == 2 and len(said.errors) == 1 and "tired_on.bvh" in said.errors[0]
    assert (files / "tired_on.bvh").read_text() == "kept" and (files / "walk_on.bvh").exists()
    assert run(capfd, *words, "--force").status == 0
    assert (files / "tired_on.bvh").read_text() != "kept"


def test_each_of_several_inputs_gives_the_same_result_as_alone(files: Path, capfd: Capture) -> None:
    many, one = files / "many_{name}.bvh", files / "one.bvh"
    inputs = (files / "walk.bvh", files / "tired.bvh")
    assert run(capfd, "continue", *inputs, "--frames", 20, "--output", many).status == 0
    assert run(capfd, "continue", inputs[1], "--frames", 20, "--output", one).status == 0
    assert (files / "many_tired.bvh").read_bytes() == one.read_bytes()


def test_the_style_may_be_that_of_a_file_and_nothing_of_it_stays(files: Path, capfd: Capture) -> None:
    output = files / "restyled.blend"
    said = run(capfd, "restyle", files / "walk.bvh", "--style", files / "tired.bvh", "--output", output)
    assert said.status == 0, said.errors
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert {thing.type for thing in bpy.data.objects} == {"ARMATURE"} and len(bpy.data.objects) == 1
    assert {action.name for action in bpy.data.actions} == {"walk", "walk Restyled"}
    recipe = recipe_of(bpy.data.actions["walk Restyled"])
    assert recipe is not None and recipe.example == "tired"


@pytest.mark.parametrize("ending", [".fbx", ".glb"])
def test_other_kinds_of_files_hold_the_same_motion(files: Path, capfd: Capture, ending: str) -> None:
    bvh, other = files / "blended.bvh", files / f"blended{ending}"
    for output in (bvh, other):
        said = run(capfd, "blend", files / "walk.bvh", "--with", files / "tired.bvh", "--output", output)
        assert said.status == 0, said.errors
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    there, here = (import_file(path, bpy.context)[0] for path in (bvh, other))
    frames = read_bvh_motion(bvh).motion.frames
    bpy.context.scene.render.fps = 30
    there_at, here_at = (after_a_second(character, frames) for character in (there, here))
    np.testing.assert_allclose(there_at, here_at, atol=0.01)


def after_a_second(character: ImportedCharacter, frames: int) -> NDArray[np.float64]:
    """Return the positions of some bones a second after the start of the only action, of `frames` frames at 30 fps."""
    (spec,) = character.examples
    assert spec.action is not None
    first, last = (float(frame) for frame in spec.action.frame_range)
    rate = spec.frames_per_second or 30.0
    assert (last - first) / rate == pytest.approx((frames - 1) / 30, abs=0.02)
    bpy.context.scene.frame_set(int(first + rate), subframe=(first + rate) % 1)
    rig = character.armature
    return np.array([rig.matrix_world @ rig.pose.bones[name].head for name in ("Head", "Foot.L", "Hand.R")])


def test_lists_for_several_inputs_name_each_input_and_write_nothing(files: Path, capfd: Capture) -> None:
    before = left_in(files)
    said = run(capfd, "edit", files / "*.bvh", "--example", files / "tired.bvh", "--json")
    answers = [found for found in said.objects if "values" in found]
    assert said.status == 0, said.errors
    assert [found["input"] for found in answers] == ["tired.bvh", "walk.bvh"] and left_in(files) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-o", "same.bvh"), "is the same file for every input; add {name} to it"),
        (("-o", "{name}.mp4"), "cannot be written"),
        (("-o", "{seed}.bvh"), "only {name}, the name of the input"),
        (("-o", "{name}"), "cannot be written"),
    ],
)
def test_invalid_outputs_are_rejected_with_one_sentence_before_any_work(
    files: Path, capfd: Capture, words: tuple[str, ...], sentence: str
) -> None:
    before = left_in(files)
    said = run(capfd, "restyle", files, "--style", files / "tired.bvh", *words)
    assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert left_in(files) == before


@pytest.mark.parametrize(
    ("style", "sentence"),
    [
        ("nowhere.bvh", '"nowhere.bvh" is neither an action nor a file'),
        ("Tired", 'no action "Tired"; choose one of this file, or a motion file'),
    ],
)
def test_missing_other_action_is_reported_in_one_sentence(
    files: Path, capfd: Capture, style: str, sentence: str
) -> None:
    said = run(capfd, "restyle", files / "walk.bvh", "--style", style, "--output", files / "made.bvh")
    assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert not (files / "made.bvh").exists()


def test_motion_file_is_continued_with_another_one_only_on_the_same_bones(files: Path, capfd: Capture) -> None:
    both, none = files / "both.bvh", files / "none.bvh"
    said = run(capfd, "continue", files / "walk.bvh", "--connect", files / "tired.bvh", "--output", both)
    assert said.status == 0, said.errors
    first, second, whole = (
        read_bvh_motion(files / name).motion.frames for name in ("walk.bvh", "tired.bvh", "both.bvh")
    )
    assert whole > max(first, second)
    (files / "other.bvh").write_text(walker())
    said = run(capfd, "continue", files / "walk.bvh", "--connect", files / "other.bvh", "--output", none)
    assert said.status == 2 and len(said.errors) == 1 and "different bones" in said.errors[0]
    assert not none.exists()
