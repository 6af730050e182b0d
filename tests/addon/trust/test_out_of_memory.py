# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory: requests that are too large are refused before reading, and running out of memory is reported."""

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import left_in, run, save
from interface import new_character, results_of

from genmm_addon.animation import actions
from genmm_addon.core.examples import VARIABLE
from genmm_addon.core.motion import load_motion

pytestmark = pytest.mark.usefixtures("extension")
Capture = pytest.CaptureFixture[str]
NO_MEMORY = "There is not enough memory for this, and nothing was changed; "


def add_stray_key(character: Object, frame: float, curve: int = 0) -> None:
    """Add one distant key to a curve of what the character plays."""
    action, slot = actions.assigned(character) or (None, "")
    point = actions.fcurves_of(action, slot)[curve].keyframe_points.insert(frame, 0.5)
    point.interpolation = "LINEAR"


def refusal(operator: object, **values: object) -> str:
    """Return the report of an operator that refuses."""
    with pytest.raises(RuntimeError) as refused:
        operator(**values)  # type: ignore[operator]
    return str(refused.value).removeprefix("Error: ").strip()


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "60M")


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if an array with the length of an action is read."""

    def read(*_: object) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr("genmm_addon.animation.reading.examples.read_channels", read)
    monkeypatch.setattr("genmm_addon.animation.reading.examples.frames_of", read)


@pytest.mark.usefixtures("little_memory", "nothing_is_read")
@pytest.mark.parametrize("frame", [100_000, 1_000_000])
def test_generating_from_an_action_with_one_stray_key_is_refused_before_it_is_read(frame: int) -> None:
    hero = new_character()
    add_stray_key(hero, frame)
    said = refusal(bpy.ops.genmm.generate_motion, frames=40)
    assert said.startswith(f'Action "Hero Sway" has {frame:,} frames; that needs')
    assert "60 MB may be used" in said
    assert f"It has keys at 1-60 and one at {frame:,}: learn from 1-60" in said
    assert len(said.splitlines()) == 1 and results_of(hero) == []


@pytest.mark.usefixtures("nothing_is_read")
def test_stray_key_is_rejected_even_with_enough_memory() -> None:
    hero = new_character()
    add_stray_key(hero, 100_000)
    said = refusal(bpy.ops.genmm.generate_motion, frames=40)
    assert said.startswith('Action "Hero Sway" has 100,000 frames, nearly all of them without keys. It has keys at 1-6')
    assert results_of(hero) == []


@pytest.mark.usefixtures("little_memory", "nothing_is_read")
@pytest.mark.parametrize("operator", ["find_feet", "make_crowd"])
def test_all_operators_that_read_the_examples_reject_one_that_needs_too_much_memory(operator: str) -> None:
    hero = new_character()
    add_stray_key(hero, 100_000)
    assert "may be used" in refusal(getattr(bpy.ops.genmm, operator))
    assert results_of(hero) == []


@pytest.mark.usefixtures("little_memory", "nothing_is_read")
def test_a_row_is_added_for_an_action_that_is_too_long_to_read() -> None:
    hero = new_character()
    add_stray_key(hero, 100_000)
    assert bpy.ops.genmm.add_example(played=True) == {"FINISHED"}
    row = hero.genmm.examples[0]
    assert (row.frame_end, row.has_rest_start) == (100_000, False)


@pytest.mark.usefixtures("little_memory")
def test_a_range_that_leaves_the_stray_key_out_is_generated_from() -> None:
    hero = new_character()
    add_stray_key(hero, 100_000)
    bpy.ops.genmm.add_example(played=True)
    row = hero.genmm.examples[0]
    row.use_range, row.frame_start, row.frame_end = True, 1, 60
    assert bpy.ops.genmm.generate_motion(frames=40) == {"FINISHED"}


@pytest.mark.usefixtures("little_memory")
def test_the_range_that_is_proposed_can_be_generated_from() -> None:
    hero = new_character(frames=20)
    action, slot = actions.assigned(hero) or (None, "")
    frames = np.arange(21, 40_000, 150)
    for curve in actions.fcurves_of(action, slot):
        points, first = curve.keyframe_points, len(curve.keyframe_points)
        points.add(len(frames))
        for point, frame in zip(points[first:], frames, strict=True):
            point.co, point.interpolation = (float(frame), float(0.3 * np.sin(frame))), "LINEAR"
        curve.update()
    said = refusal(bpy.ops.genmm.generate_motion, frames=40)
    found = re.search(r"Learn from ([\d,]+) frames or fewer: set its frame range", said)
    assert found, said
    bpy.ops.genmm.add_example(played=True)
    row = hero.genmm.examples[0]
    row.use_range, row.frame_start, row.frame_end = True, 1, int(found[1].replace(",", ""))
    assert row.frame_end > 2000
    assert bpy.ops.genmm.generate_motion(frames=40) == {"FINISHED"}


def test_more_variations_than_fit_are_refused_with_how_many_do(monkeypatch: pytest.MonkeyPatch) -> None:
    hero = new_character()
    monkeypatch.setenv(VARIABLE, "60M")
    said = refusal(bpy.ops.genmm.generate_motion, frames=2000, variations=200)
    found = re.match(r"200 results of 2,000 frames need .* 60 MB may be used\. Make (\d+) or fewer at a time", said)
    assert found, said
    assert results_of(hero) == []
    assert bpy.ops.genmm.generate_motion(frames=2000, variations=int(found[1])) == {"FINISHED"}


def test_a_length_that_does_not_fit_is_refused_with_one_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    new_character()
    monkeypatch.setenv(VARIABLE, "200M")
    said = refusal(bpy.ops.genmm.generate_motion, frames=1_000_000)
    assert re.match(r"A result of 1,000,000 frames needs .* 200 MB may be used\. Make [\d,]+ frames or fewer\.$", said)


@pytest.mark.parametrize(
    "where",
    [
        "genmm_addon.animation.reading.examples.read_channels",
        "genmm_addon.core.examples.preparing.encode",
        "genmm_addon.core.synthesis.synthesize.compose",
        "genmm_addon.generation.generate.measure",
        "genmm_addon.generation.result_writing.write_action",
    ],
)
def test_running_out_of_memory_is_one_sentence_and_changes_nothing(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    hero = new_character()
    before = [len(bpy.data.actions), len(bpy.data.objects)]

    def out_of_memory(*_: object, **__: object) -> None:
        np.empty(1 << 45, np.float64)

    monkeypatch.setattr(where, out_of_memory)
    said = refusal(bpy.ops.genmm.generate_motion, frames=40, variations=2)
    assert said.startswith(NO_MEMORY)
    assert [len(bpy.data.actions), len(bpy.data.objects)] == before
    assert results_of(hero) == []


def test_running_out_of_memory_in_the_command_is_status_2_and_one_sentence(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_character()
    path = save(tmp_path, "hero")

    def out_of_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("genmm_addon.command_line.commands.generate.save_arrays", out_of_memory)
    said = run(capfd, "generate", path, "--frames", 40, "-o", tmp_path / "{name}_{seed}.npz")
    assert said.status == 2
    (sentence,) = said.errors
    assert sentence.startswith(NO_MEMORY)
    assert left_in(tmp_path) == {"hero.blend"}


@pytest.mark.usefixtures("little_memory", "nothing_is_read")
@pytest.mark.parametrize("command", ["generate", "crowd", "info"])
def test_the_command_refuses_a_stray_key_too_far_with_the_option_that_helps(
    tmp_path: Path, capfd: Capture, command: str
) -> None:
    add_stray_key(new_character(), 100_000)
    path = save(tmp_path, "hero")
    said = run(capfd, command, path)
    told = " ".join((*said.errors, *said.told))
    assert "It has keys at 1-60 and one at 100,000: learn from 1-60" in told
    assert said.status == (0 if command == "info" else 2)


def test_seeds_for_one_blend_that_do_not_fit_together_are_refused(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_character()
    path = save(tmp_path, "hero")
    monkeypatch.setenv(VARIABLE, "100M")
    said = run(capfd, "generate", path, "--frames", 300, "--seeds", "0-999", "-o", tmp_path / "out.blend")
    assert said.status == 2
    assert re.match(r"1,000 results of 300 frames need .* 100 MB may be used\. Make \d+ or fewer", said.errors[0])
    assert left_in(tmp_path) == {"hero.blend"}


def test_fewer_processes_are_started_where_the_memory_is_little_and_the_motions_are_the_same(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_character()
    path = save(tmp_path, "hero")
    arguments = ("generate", path, "--frames", 40, "--seeds", "0-1", "--jobs", 2)
    assert run(capfd, *arguments, "-o", tmp_path / "two_{seed}.npz").status == 0
    monkeypatch.setenv(VARIABLE, "100M")
    said = run(capfd, *arguments, "-o", tmp_path / "one_{seed}.npz")
    assert said.status == 0
    assert "Only 1 process instead of 2: each needs" in "\n".join(said.told + said.errors)
    for seed in range(2):
        two, one = (load_motion(tmp_path / f"{name}_{seed}.npz") for name in ("two", "one"))
        assert np.array_equal(two.rotations, one.rotations)
