# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm measure` and `genmm library search`: their results for a library, and their refusals."""

import re
from pathlib import Path

import bpy
import pytest
from commands import run, save

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.command_line.inputs import motion_sets
from genmm_addon.core import Motion, save_motion
from genmm_addon.core.library import Clip, ClipLibrary, library_of, load_library, save_library

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    walks = {name: motion for name, motion in sample_motions(30.0).items() if "Walk" in name}
    clips = [Clip(name, f"{name}.bvh", 0, 0) for name in walks]
    save_library(tmp_path / "walks.npz", library_of(list(walks.values()), clips))
    return tmp_path / "walks.npz"


def test_a_library_is_at_no_distance_from_itself(capfd: Capture, library: Path) -> None:
    said = run(capfd, "measure", library, "--library", library, "--json").answers[0]
    assert (said["fid"], said["precision"], said["recall"]) == (pytest.approx(0.0, abs=1e-3), 1.0, 1.0)
    assert said["windows"] == said["reference_windows"]


def test_one_walk_of_several_is_precise_and_recalls_less(tmp_path: Path, capfd: Capture, library: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for seed in range(2):
        save_motion(folder / f"walk_{seed:04}.npz", sample_motions(30.0)["GenMM Walk"])
    said = run(capfd, "measure", folder, "--library", library, "--json").answers[0]
    assert (said["motions"], said["precision"]) == (2, 1.0)
    assert said["recall"] < 0.8 and said["fid"] > 1.0 and said["multimodality"] > 0.0
    lines = run(capfd, "measure", folder, "--library", library).lines
    assert lines[0].startswith("2 motions, ") and lines[1].split() == ["FID", f"{said['fid']:.2f}"]


def test_a_stretch_of_a_clip_is_found_there_first_or_left_out(capfd: Capture, library: Path) -> None:
    words = ("library", "search", library, "--motion", "GenMM Walk", "--frames", "11-40", "--json")
    places = run(capfd, *words).answers
    best = places[0]
    assert (best["clip"], best["first_frame"], best["last_frame"], best["distance"]) == ("GenMM Walk", 11, 40, 0.0)
    others = run(capfd, *words, "--others", "--count", "3").answers
    assert len(others) == 3 and all(place["clip"] != "GenMM Walk" for place in others)


def test_several_libraries_are_one(tmp_path: Path, capfd: Capture, library: Path) -> None:
    whole = load_library(library)
    halves = [tmp_path / "first.npz", tmp_path / "rest.npz"]
    for path, numbers in zip(halves, ([0], [1, 2]), strict=True):
        save_library(path, whole.only(numbers))
    measured = [
        run(capfd, "measure", library, *words, "--json").answers[0]
        for words in (("--library", library), ("--library", halves[0], "--library", halves[1]))
    ]
    for name in ("fid", "precision", "recall", "windows", "reference_windows"):
        assert measured[0][name] == pytest.approx(measured[1][name], abs=1e-3)
    words = ("--motion", "GenMM Walk Tired", "--frames", "11-40", "--count", "3", "--json")
    places = run(capfd, "library", "search", *halves, *words).answers
    assert (places[0]["library"], places[0]["clip"], places[0]["first_frame"]) == ("rest.npz", "GenMM Walk Tired", 11)
    other = (*words[:-3], "--others", "--count", "1", "--json")
    best = run(capfd, "library", "search", *halves, *other).answers
    assert best[0]["clip"] != "GenMM Walk Tired" and best[0]["distance"] >= places[0]["distance"]
    assert [place["distance"] for place in places] == sorted(place["distance"] for place in places)


def test_a_library_of_clips_that_are_too_short_is_passed_over(tmp_path: Path, capfd: Capture, library: Path) -> None:
    whole = load_library(library)
    short = library_of([whole.motion(0).slice(0, 20)], [Clip("short", "short.bvh", 0, 0)])
    save_library(tmp_path / "short.npz", short)
    words = ("--motion", "GenMM Walk Tired", "--frames", "11-40", "--count", "2", "--json")
    expected = run(capfd, "library", "search", library, *words).answers
    for shards in ((tmp_path / "short.npz", library), (library, tmp_path / "short.npz")):
        said = run(capfd, "library", "search", *shards, *words)
        assert said.status == 0
        assert said.answers == [{"event": "stretch", "library": library.name, **place} for place in expected]
    save_motion(tmp_path / "long.npz", whole.motion(0).slice(0, 30))
    said = run(capfd, "library", "search", tmp_path / "short.npz", "--motion", tmp_path / "long.npz")
    assert said.status == 2
    assert said.errors == ["No clip to search in is as long as the stretch of 30 frames; choose a shorter one."]


def test_libraries_are_read_once_and_a_second_search_reads_the_query_alone(
    tmp_path: Path, capfd: Capture, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = load_library(library)
    shards = [tmp_path / f"{number}.npz" for number in range(2)]
    for number, path in enumerate(shards):
        save_library(path, whole.only([[0], [1, 2]][number]))
    opened, read = list[Path](), list[str]()

    def counted(path: Path) -> ClipLibrary:
        opened.append(path)
        return load_library(path)

    def noted(library: ClipLibrary, clip: int) -> Motion:
        read.append(library.clips[clip].name)
        return motion_of(library, clip)

    motion_of = ClipLibrary.motion
    monkeypatch.setattr(motion_sets, "load_library", counted)
    monkeypatch.setattr(ClipLibrary, "motion", noted)
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    names = [clip.name for clip in whole.clips[:3]]
    words = ("library", "search", *shards, "--motion", names[2], "--count", "3", "--json")
    places = run(capfd, *words).answers
    assert places[0]["library"] == "1.npz" and places[0]["distance"] == 0.0
    assert opened == shards and set(read) == set(names)
    read.clear()
    assert run(capfd, *words).answers == places
    assert set(read) == {names[0], names[2]}, "the query, and a clip for the skeleton that both libraries share"


def test_a_motion_file_is_looked_for_too(tmp_path: Path, capfd: Capture, library: Path) -> None:
    save_motion(tmp_path / "some.npz", sample_motions(30.0)["GenMM Walk Tired"].slice(20, 60))
    lines = run(capfd, "library", "search", library, "--motion", tmp_path / "some.npz", "--count", "1").lines
    # The velocities at its ends are not known exactly.
    assert re.fullmatch(r'"GenMM Walk Tired" frames 21 to 60: 0\.[0-4] % of the body size away', lines[0])


def test_an_action_of_a_blend_file_is_looked_for(tmp_path: Path, capfd: Capture, library: Path) -> None:
    bpy.context.scene.render.fps = 30
    bpy.ops.genmm.add_sample_character()
    path = save(tmp_path, "sample")
    words = ("library", "search", library, "--motion", path, "--frames", "11-40", "--count", "1", "--json")
    for name in ("GenMM Walk Proud", "GenMM Walk"):
        best = run(capfd, *words, "--action", name, "--armature", "GenMM Sample").answers
        assert (best[0]["clip"], best[0]["first_frame"], best[0]["distance"]) == (name, 11, 0.0)
    said = run(capfd, *words, "--action", "Nothing")
    assert said.status == 2 and 'has no action "Nothing"' in said.errors[0]
    said = run(capfd, "library", "search", library, "--motion", "GenMM Walk", "--action", "GenMM Walk")
    assert said.status == 2 and "--action and --armature apply to .blend" in said.errors[0]


def test_invalid_measure_and_find_commands_are_rejected_with_one_sentence(
    tmp_path: Path, capfd: Capture, library: Path
) -> None:
    (tmp_path / "empty").mkdir()
    cases: list[tuple[tuple[object, ...], str]] = [
        (("measure", tmp_path / "empty", "--library", library), "contains no .npz or .bvh file"),
        (("measure", tmp_path / "none.npz", "--library", library), "There is no file"),
        (("measure", library, "--library", tmp_path / "none.npz"), "There is no library"),
        (("measure", tmp_path / "a.fbx", "--library", library), "cannot be measured"),
        (("library", "search", library, "--motion", "Nobody"), '"Nobody" is neither a clip'),
        (
            ("library", "search", library, "--motion", "GenMM Walk", "--frames", "1-9000"),
            "choose --frames within this range",
        ),
    ]
    for words, sentence in cases:
        said = run(capfd, *words)
        assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0], words
