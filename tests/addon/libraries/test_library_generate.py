# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion from a library: from the requested clips, on the character's own skeleton."""

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from clip_libraries import walks
from commands import run, saved_character

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import InputError, Motion, load_motion, prepare
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.core.motion import same_motion
from genmm_addon.generation import generate as generating
from genmm_addon.generation.generate import generate, read
from genmm_addon.generation.recipe import from_json, recipe_of, request_from_recipe, to_json
from genmm_addon.generation.request import Request
from genmm_addon.generation.sources import sources_of
from genmm_addon.libraries.choosing import LibraryChoice, choose_clips
from genmm_addon.libraries.clip_reading import forget_clips
from genmm_addon.libraries.kept_preparation import forget_preparation
from genmm_addon.libraries.mirrored import with_mirrored
from genmm_addon.libraries.plain_armature import add_plain_armature

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "walks.npz", walks())
    return tmp_path / "walks.npz"


def chosen(library: Path, **asked: object) -> list[str]:
    choice = LibraryChoice((str(library),), **asked)  # type: ignore[arg-type]
    return [clip.name for clip in choose_clips(choice).clips]


def test_tags_and_words_choose_clips(library: Path) -> None:
    assert chosen(library) == ["walk 0", "walk 1", "walk 2", "walk 3"]
    assert chosen(library, tags="style=old") == ["walk 1", "walk 2"]
    assert chosen(library, tags="style=old, style=sad", search="3.bvh") == ["walk 3"]
    with pytest.raises(InputError, match="No clip of the library has style=glad; there is angry, old, sad"):
        chosen(library, tags="style=glad")
    with pytest.raises(InputError, match='has the tag "mood"; there are style'):
        chosen(library, tags="mood=glad")
    with pytest.raises(InputError, match="ask for less"):
        chosen(library, tags="style=old", search="3.bvh")


def test_more_clips_than_asked_for_are_taken_evenly(library: Path) -> None:
    assert len(chosen(library, frames=150)) == 2
    assert len(chosen(library, frames=1)) == 1
    found = choose_clips(LibraryChoice((str(library),), frames=150))
    assert "2 of 4 clips are learned from" in found.notes[0]
    labeled = choose_clips(LibraryChoice((str(library),), frames=200), "style=sad 1-20, style=angry 21-40")
    assert {clip.tags["style"] for clip in labeled.clips} == {"angry", "sad"}


def test_clips_shorter_than_a_second_are_left_out_if_they_are_no_cycles(tmp_path: Path) -> None:
    walk = replace(sample_motions(30.0)["GenMM Walk"], frames_per_second=40.0)
    motions = [walk.slice(0, 90), walk.slice(40, 73), walk.slice(40, 66)]
    clips = [Clip(name, "", 0, 0, {}) for name in ("take", "cycle", "piece")]
    save_library(tmp_path / "short.npz", library_of(motions, clips))
    found = choose_clips(LibraryChoice((str(tmp_path / "short.npz"),)))
    assert found.names == ("take", "cycle")
    assert found.notes == ("1 clip shorter than 1 s left out.",)


def test_several_files_are_learned_from_at_once_and_names_stay_distinct(library: Path, tmp_path: Path) -> None:
    other = walks()
    save_library(tmp_path / "more.npz", other.only([1]))
    found = choose_clips(LibraryChoice((str(library), str(tmp_path / "more.npz")), tags="style=old"))
    assert found.names == ("1.bvh", "1.bvh", "walk 2")


@pytest.mark.parametrize("travel", [False, True])
def test_neither_the_order_of_libraries_nor_their_split_changes_the_clips(tmp_path: Path, travel: bool) -> None:
    whole = with_mirrored(walks())
    files = []
    for name, numbers in (("a", [1, 4, 7]), ("b", [0, 3, 5]), ("c", [2, 6])):
        save_library(tmp_path / f"{name}.npz", whole.only(numbers))
        files.append(str(tmp_path / f"{name}.npz"))
    save_library(tmp_path / "whole.npz", whole)
    for frames, labels in ((10_000, ""), (150, ""), (200, "style=sad 1-20, style=angry 21-40")):
        expected = choose_clips(LibraryChoice((str(tmp_path / "whole.npz"),), frames=frames), labels, travel=travel)
        for order in permutations(files):
            found = choose_clips(LibraryChoice(order, frames=frames), labels, travel=travel)
            assert found.names == expected.names and found.notes == expected.notes
            for mine, other in zip(found.motions, expected.motions, strict=True):
                assert same_motion(mine, other)


def test_libraries_of_several_skeletons_and_rates_are_learned_from_together(library: Path, tmp_path: Path) -> None:
    walk = walks().motion(3)
    skeleton = replace(walk.skeleton, rest_translations=2 * walk.skeleton.rest_translations, typical_positions=None)
    twice = Motion(skeleton, 24.0, walk.rotations, walk.translated, 2 * walk.translations)
    save_library(tmp_path / "big.npz", library_of([twice], [Clip("big", "big.bvh", 0, 0)]))
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    choice = LibraryChoice((str(tmp_path / "big.npz"), str(library)))
    reading = read(Request(armature, (), 60, library=choice), bpy.context.scene)
    assert [spec.clip for spec in reading.examples] == ["walk 0", "walk 1", "walk 2", "walk 3", "big"]
    big, same = reading.reading.motions[4], reading.reading.motions[3]
    assert (big.frames_per_second, same.frames_per_second) == (24.0, 30.0)
    np.testing.assert_allclose(big.pose()[1], same.pose()[1], atol=0.01)
    (result,) = generate(bpy.context, Request(armature, (), 60, library=choice))
    assert sources_of(result.action) is not None


def test_a_result_says_its_clips_and_is_made_again_by_its_recipe(library: Path) -> None:
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    request = Request(armature, (), 80, library=LibraryChoice((str(library),), tags="style=old"))
    (result,) = generate(bpy.context, request)
    sources = sources_of(result.action)
    assert sources is not None and {clip.name for clip in sources.examples} <= {"walk 1", "walk 2"}
    recipe = recipe_of(result.action)
    assert recipe is not None and recipe.library.fingerprints == (walks().fingerprint,)
    again = request_from_recipe(from_json(to_json(recipe)), armature=armature)
    (second,) = generate(bpy.context, again)
    assert keys_of_action(result.action) == keys_of_action(second.action)
    save_library(library, walks().only([1, 2, 3]))
    assert any("has changed since" in note for note in read(again, bpy.context.scene).notes)


def keys_of_action(action: Any) -> list[tuple[float, float]]:
    if hasattr(action, "layers") and action.layers:
        curves = [curve for bag in action.layers[0].strips[0].channelbags for curve in bag.fcurves]
    else:
        curves = list(action.fcurves)
    return [(point.co[0], point.co[1]) for curve in curves for point in curve.keyframe_points]


def test_recipe_without_a_library_omits_it(tmp_path: Path) -> None:
    _, rig = saved_character(tmp_path)
    from genmm_addon.generation.recipe import recipe_from_request

    assert "library" not in json.loads(to_json(recipe_from_request(Request(rig, (), 10), 0)))


def test_library_without_a_character_generates_motion_on_the_bones_of_the_library(
    library: Path, tmp_path: Path, capfd: Capture
) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    out = tmp_path / "out.npz"
    said = run(capfd, "generate", "--library", library, "--tags", "style=old", "--frames", 90, "-o", out)
    assert said.status == 0, said.errors
    made, library_made_of = load_motion(out), walks()
    own = [library_made_of.motion(number) for number in (1, 2)]
    assert made.frames == 90 and set(made.skeleton.names) == set(own[0].skeleton.names)
    for name in made.skeleton.names:
        height = made.pose()[1][:, made.skeleton.names.index(name), 2]
        there = np.concatenate([motion.pose()[1][:, motion.skeleton.names.index(name), 2] for motion in own])
        assert height.min() == pytest.approx(there.min(), abs=0.05)
        assert height.max() == pytest.approx(there.max(), abs=0.05)
    again = run(capfd, "generate", "--library", library, "--tags", "style=old", "--frames", 90, "-o", out, "--resume")
    assert again.lines[-1] == "0 motions written, 1 already existed."
    other = run(capfd, "generate", "--library", library, "--tags", "style=sad", "--frames", 90, "-o", out, "--resume")
    assert other.status == 2


def test_labels_over_time_show_the_clips_with_their_tags(library: Path, tmp_path: Path, capfd: Capture) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    out = tmp_path / "out.npz"
    words = ("--library", library, "--labels", "style=sad 1-60, style=angry 61-120", "--frames", 120, "-o", out)
    assert run(capfd, "generate", *words).status == 0
    with np.load(out) as arrays:
        shown = arrays["source_examples"][:, 0]
    assert np.mean(shown[:56] == 3) > 0.9 and np.mean(shown[64:] == 0) > 0.9


WRONG = (
    (("--tags", "style=old"), "--tags: "),
    (("--search", "old"), "set one with --library"),
    (("--library", "LIBRARY", "--tags", "walk: style=old"), "with --library; write tags only"),
    (("--library", "LIBRARY", "--action", "Walk"), "cannot be combined with --library; leave them out"),
    (("--library", "LIBRARY", "--library-frames", "0"), "must be 1 or more"),
    (("--library", "LIBRARY", "--tags", "style="), "asks for no tag"),
    (("--library", "nowhere.npz"), "There is no library"),
)


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_options_unsupported_with_a_library_are_rejected_with_one_sentence(
    library: Path, tmp_path: Path, capfd: Capture, words: tuple[str, ...], sentence: str
) -> None:
    given = [str(library) if word == "LIBRARY" else word for word in words]
    said = run(capfd, "generate", *given, "-o", tmp_path / "out.npz")
    assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert not (tmp_path / "out.npz").exists()


def test_a_second_result_is_prepared_no_more_and_is_the_one_that_a_first_would_be(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    request = Request(armature, (), 60, library=LibraryChoice((str(library),)))
    prepared = list[int]()

    def counting(motions: Any, _: Path, **how: Any) -> Any:
        prepared.append(1)
        return prepare(motions, **how)

    monkeypatch.setattr(generating, "prepare_kept", counting)
    forget_preparation()
    results = [generate(bpy.context, replace(request, seeds=(seed,)))[0] for seed in (1, 2)]
    assert len(prepared) == 1
    forget_clips()
    forget_preparation()
    (fresh,) = generate(bpy.context, replace(request, seeds=(2,)))
    assert len(prepared) == 2 and keys_of_action(fresh.action) == keys_of_action(results[1].action)
    generate(bpy.context, replace(request, settings=replace(request.settings, patch_frames=9)))
    assert len(prepared) == 3, "for other settings"
    armature.pose.bones[0].rotation_mode = "XYZ"
    save_library(library, walks().only([1, 2, 3]))
    generate(bpy.context, request)
    assert len(prepared) == 4, "of another library"


def test_preparation_is_kept_beside_the_library_for_later_sessions(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = list[int]()

    def counting(motions: Any, **how: Any) -> Any:
        prepared.append(1)
        return prepare(motions, **how)

    monkeypatch.setattr("genmm_addon.core.library.cache.kept.prepare", counting)
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    request = Request(armature, (), 60, library=LibraryChoice((str(library),)))
    results = []
    for _ in range(2):
        forget_clips()
        forget_preparation()
        results.append(generate(bpy.context, request)[0])
    assert len(prepared) == 1 and keys_of_action(results[0].action) == keys_of_action(results[1].action)
    kept = (library.parent / "walks.preparations").iterdir()
    assert sorted(path.suffix for path in kept) == [".carried", ".preparation"]
    save_library(library, walks().only([1, 2, 3]))
    forget_clips()
    forget_preparation()
    generate(bpy.context, request)
    assert len(prepared) == 2, "of another library"


def test_along_a_path_clips_that_stay_in_place_or_go_backwards_are_left_out(tmp_path: Path) -> None:
    walk = walks().motion(0)
    stays = walk.take(np.zeros(60, np.int64))
    backwards = walk.take(np.arange(walk.frames)[::-1])
    motions = [walk, stays, backwards, walks().motion(1)]
    clips = [Clip(name, f"{name}.bvh", 0, 0) for name in ("walk", "stays", "backwards", "more")]
    save_library(tmp_path / "mixed.npz", library_of(motions, clips))
    choice = LibraryChoice((str(tmp_path / "mixed.npz"),))
    found = choose_clips(choice, travel=True)
    assert found.names == ("walk", "more") and "2 clips left out" in found.notes[0]
    assert choose_clips(choice).names == ("walk", "stays", "backwards", "more")
