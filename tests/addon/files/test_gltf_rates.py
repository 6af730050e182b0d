# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame rates of glTF files, taken from the times of their keys."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from commands import run
from gltf_files import SWING, write_gltf
from numpy.typing import NDArray
from rigs import motion_files

from genmm_addon.animation.reading.examples import example_range, read_examples
from genmm_addon.core.motion import load_motion
from genmm_addon.files.gltf.key_rate import key_rate
from genmm_addon.files.import_file import ImportedCharacter, import_file

pytestmark = pytest.mark.arrays

USUAL = [20, 24 / 1.001, 24, 25, 30 / 1.001, 30, 48, 50, 60 / 1.001, 60, 72, 90, 100, 120 / 1.001, 120, 144, 240]


def even(rate: float, count: int = 90) -> NDArray[np.float64]:
    return np.arange(count) / rate


def read_rate(path: Path) -> float:
    (character,) = import_file(path, bpy.context)
    assert character.examples[0].frames_per_second is not None
    return character.examples[0].frames_per_second


def length(character: ImportedCharacter) -> float:
    """Return the angle that the hand turns through relative to its parent, in radians."""
    motion = read_examples(character.armature, character.examples, scene=bpy.context.scene, visual=False).motions[0]
    turned = motion.rotations[:, motion.skeleton.names.index("Hand")].astype(np.float64)
    dots = np.abs((turned[1:] * turned[:-1]).sum(axis=1)).clip(0, 1)
    return float(2 * np.arccos(dots).sum())


@pytest.mark.parametrize("rate", USUAL)
@pytest.mark.parametrize("decimals", [3, 9])
@pytest.mark.parametrize("start", [0.0, 1 / 24, 100.0])
def test_evenly_keyed_files_have_the_rate_of_their_keys(
    tmp_path: Path, rate: float, decimals: int, start: float
) -> None:
    times = np.round(even(rate, 400) + start, decimals)
    found = key_rate(write_gltf(tmp_path / "a.glb", {"Walk": {1: times}}))
    assert found.frames_per_second == pytest.approx(rate, rel=1e-9) and found.is_regular


@pytest.mark.parametrize(
    ("rate", "read"), [(12, 24), (15, 30), (10, 30), (8, 24), (5, 25), (1, 24), (33, 33), (62.5, 62.5)]
)
def test_any_other_even_rate_puts_every_key_on_a_frame(tmp_path: Path, rate: float, read: float) -> None:
    found = key_rate(write_gltf(tmp_path / "a.glb", {"Walk": {1: even(rate)}}))
    assert found.frames_per_second == pytest.approx(read) and found.is_regular


@pytest.mark.parametrize("rate", [24, 30, 60, 120])
def test_files_with_redundant_keys_removed_have_the_rate_of_the_remaining_keys(tmp_path: Path, rate: float) -> None:
    random = np.random.default_rng(0)
    curves = {joint: np.append(0, np.cumsum(random.integers(2, 7, 30))) / rate for joint in (0, 1, 2)}
    assert key_rate(write_gltf(tmp_path / "a.glb", {"Walk": curves})).frames_per_second == rate


def test_animations_of_several_rates_are_read_at_one_that_has_all_their_keys(tmp_path: Path) -> None:
    path = write_gltf(tmp_path / "a.glb", {"Walk": {1: even(30)}, "Run": {1: even(60)}, "Idle": {1: even(4)}})
    assert key_rate(path).frames_per_second == 60
    path = write_gltf(tmp_path / "a.glb", {"Walk": {1: even(24)}, "Run": {1: even(30)}})
    assert key_rate(path).frames_per_second == 120
    path = write_gltf(tmp_path / "a.glb", {"Walk": {1: even(24)}, "Run": {1: even(25)}})
    assert not key_rate(path).is_regular


@pytest.mark.parametrize("kind", [".glb", ".gltf"])
def test_the_keys_of_an_imported_file_are_on_frames_at_its_rate(tmp_path: Path, kind: str) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 25, 1.001
    for rate in (60, 24 / 1.001):
        (character,) = import_file(write_gltf(tmp_path / f"a{kind}", {"Walk": {1: even(rate)}}), bpy.context)
        assert character.examples[0].frames_per_second == pytest.approx(rate)
        start, end = example_range(character.armature, character.examples[0], scene)
        assert (end - start) == 89 and not character.notes
    assert scene.render.fps == 25 and scene.render.fps_base == pytest.approx(1.001)


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
def test_a_fast_hand_covers_its_whole_path(tmp_path: Path, interpolation: str) -> None:
    times = even(60, 120)
    path = write_gltf(tmp_path / "a.glb", {"Walk": {2: times * 1.0}}, interpolation)
    swing = np.sin(SWING * times + 2)
    (character,) = import_file(path, bpy.context)
    assert length(character) == pytest.approx(0.8 * np.abs(np.diff(swing)).sum(), rel=1e-3)


def test_an_odd_last_key_does_not_change_the_rate(tmp_path: Path) -> None:
    assert (
        key_rate(write_gltf(tmp_path / "a.glb", {"Run": {1: np.append(even(24, 20), 0.8213)}})).frames_per_second == 24
    )


def test_a_few_poses_at_odd_times_do_not_make_a_high_rate(tmp_path: Path) -> None:
    times = [0, 0.37, 0.81, 1.2417, 1.77]
    assert key_rate(write_gltf(tmp_path / "a.glb", {"Run": {1: times}})).frames_per_second <= 60


def test_keys_at_irregular_times_are_sampled_densely_with_a_note(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    times = np.cumsum(random.uniform(0.02, 0.05, 300))
    (character,) = import_file(write_gltf(tmp_path / "a.glb", {"Walk": {2: times}}), bpy.context)
    swing = np.sin(SWING * times + 2)
    assert length(character) == pytest.approx(0.8 * np.abs(np.diff(swing)).sum(), rel=0.01)
    (note,) = character.notes
    assert "irregular times" in note and "frames per second" in note


@pytest.mark.parametrize("times", [[0, 1e30, 3e38], [-3e38, 0, 1], [0, 1e-40, 1], [0, np.nan, 1]])
def test_times_that_no_motion_has_are_left_out(tmp_path: Path, times: list[float]) -> None:
    assert 24 <= key_rate(write_gltf(tmp_path / "a.glb", {"Walk": {1: times}})).frames_per_second <= 60


def test_a_file_with_one_key_is_read_at_24(tmp_path: Path) -> None:
    assert read_rate(write_gltf(tmp_path / "a.glb", {"Pose": {1: [0.5]}})) == 24


@pytest.mark.parametrize(
    "change",
    [
        {"sparse": {"count": 1}},
        {"bufferView": 99},
        {"componentType": 5123},
        {"count": 80},
    ],
)
def test_unreadable_times_are_assumed_evenly_spaced_between_their_bounds(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = write_gltf(tmp_path / "a.gltf", {"Walk": {1: even(60, 61)}})
    content = json.loads(path.read_text())
    accessor = content["accessors"][content["animations"][0]["samplers"][0]["input"]]
    accessor |= change
    if "count" in change:
        accessor["max"] = [79 / 60]
        content["buffers"][0]["uri"] = "data:,"
    path.write_text(json.dumps(content))
    assert key_rate(path).frames_per_second == 60


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"animations": [{"samplers": [{"input": 7}]}], "accessors": []}',
        '{"animations": [{"samplers": [{"input": 0}]}], "accessors": [{"count": 1e12}]}',
        '{"animations": [{"samplers": [{"input": 0}]}], "accessors": [{"count": 5, "min": [0], "max": [1e400]}]}',
        '{"animations": [{"samplers": [{"input": []}]}]}',
        '{"animations": [{"samplers": 3}]}',
        "[1]",
        "[" * 100_000,
    ],
)
def test_a_file_without_readable_times_has_the_default_rate(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.gltf").write_text(text)
    assert key_rate(tmp_path / "odd.gltf").frames_per_second == 24
    assert key_rate(tmp_path / "gone.gltf").frames_per_second == 24


@pytest.mark.parametrize("path", motion_files((".glb", ".gltf")), ids=lambda path: path.name)
def test_real_files_are_regular_at_24_or_30(path: Path) -> None:
    found = key_rate(path)
    assert found.frames_per_second in (24, 30) and found.is_regular


def test_the_command_generates_at_the_rate_of_the_keys_unless_another_is_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extension: None
) -> None:
    path = write_gltf(tmp_path / "a.glb", {"Walk": {joint: even(60, 120) for joint in (0, 1, 2)}})
    for options, rate in (((), 60), (("--fps", 30), 30)):
        said = run(capfd, "generate", path, "--frames", 40, *options, "-o", tmp_path / "b.npz", "--force")
        assert said.status == 0, said
        assert load_motion(tmp_path / "b.npz").frames_per_second == rate
