# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm fill` and `genmm continue`: the files that they write, and the requests that they refuse."""

from pathlib import Path

import bpy
import pytest
from commands import run, save

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import rotations
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.core.motion import read_bvh_motion

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """Return a .blend with the sample playing its walk, beside a library of other walks."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    actions.assign(sample.armature, walk)
    others = {name: motion for name, motion in sample_motions(30.0).items() if "Walk " in name}
    clips = [Clip(name, f"{name}.bvh", 0, 0) for name in others]
    save_library(tmp_path / "walks.npz", library_of(list(others.values()), clips))
    return save(tmp_path, "shot")


def test_a_range_is_filled_out_of_a_library_and_written(tmp_path: Path, capfd: Capture, shot: Path) -> None:
    output = tmp_path / "filled.blend"
    library = tmp_path / "walks.npz"
    said = run(capfd, "fill", shot, "--range", "41-71", "--library", library, "--output", output)
    assert said.status == 0 and 'from "GenMM Walk' in said.lines[-1]
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert generated_ranges(bpy.data.actions["GenMM Walk"]) == ((41.0, 71.0),)


def test_a_bvh_has_the_motion_and_keeps_the_rest(tmp_path: Path, capfd: Capture, shot: Path) -> None:
    plain, filled = tmp_path / "plain.bvh", tmp_path / "filled.bvh"
    assert run(capfd, "fill", shot, "--range", "41-71", "--output", plain).status == 0
    again = run(capfd, "fill", plain, "--range", "100-130", "--output", filled)
    assert again.status == 0, again.errors
    one, other = (read_bvh_motion(path).motion for path in (plain, filled))
    moved = rotations.angle_between(one.rotations, other.rotations).max(axis=1)
    assert moved[:100].max() < 2e-3 and moved[129:].max() < 2e-3 and moved[100:129].max() > 1e-2


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--range", "41-42"), "no frame to fill"),
        (("--range", "41-71", "--output", "filled.mp4"), "cannot be written"),
        (("--range", "41-71", "--action", "Run"), 'no action "Run"'),
        (("--range", "41-71", "--alternative", "0"), "must be 1 or more"),
        (("--blocking", "--action", "GenMM Wave"), "no poses with frames between"),
    ],
)
def test_impossible_fill_is_rejected_with_one_sentence(
    tmp_path: Path, capfd: Capture, shot: Path, words: tuple[str, ...], sentence: str
) -> None:
    output = () if "--output" in words else ("--output", tmp_path / "filled.blend")
    said = run(capfd, "fill", shot, *words, *output)
    assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert not (tmp_path / "filled.blend").exists()


def test_action_is_continued_connected_and_written(tmp_path: Path, capfd: Capture, shot: Path) -> None:
    longer, both = tmp_path / "longer.blend", tmp_path / "both.blend"
    last = bpy.data.actions["GenMM Walk"].frame_range[1]
    said = run(capfd, "continue", shot, "--frames", "40", "--library", tmp_path / "walks.npz", "--output", longer)
    assert said.status == 0, said.errors
    bpy.ops.wm.open_mainfile(filepath=str(longer))
    assert bpy.data.actions["GenMM Walk"].frame_range[1] == last + 40
    assert run(capfd, "continue", shot, "--connect", "GenMM Dance", "--output", both).status == 0
    bpy.ops.wm.open_mainfile(filepath=str(both))
    assert bpy.data.actions["GenMM Walk"].frame_range[1] > last + 200


def test_invalid_continue_options_are_rejected_with_one_sentence_and_write_nothing(
    tmp_path: Path, capfd: Capture, shot: Path
) -> None:
    output = tmp_path / "none.blend"
    for words in (("--frames", "0"), ("--connect", "Nothing"), ("--from", "soon"), ("--blend", "-1")):
        assert run(capfd, "continue", shot, *words, "--output", output).status == 2
    assert not output.exists()
