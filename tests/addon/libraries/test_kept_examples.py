# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a library on a character, and the index for filling gaps, stored on disk for another session."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from clip_libraries import walks

from genmm_addon.animation.reading import clips_on_character
from genmm_addon.core import InputError, Motion, resample
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.library import (
    PoseIndex,
    build_cluster_tree,
    build_pose_index,
    find_similar,
    library_of,
    rows_of,
    save_library,
)
from genmm_addon.core.motion import Gap
from genmm_addon.core.storage import ArrayInFile
from genmm_addon.libraries import indexed_examples as examples
from genmm_addon.libraries.choosing import LibraryChoice, choose_clips, folder_of, library_in
from genmm_addon.libraries.exploring import indexes
from genmm_addon.libraries.exploring.indexes import index_of, make_indexes, without_index
from genmm_addon.libraries.indexed_examples import ExampleChoice, FillingExamples, library_to_prepare, ready_examples
from genmm_addon.libraries.last_used import LastUsed
from genmm_addon.libraries.plain_armature import add_plain_armature

pytestmark = pytest.mark.usefixtures("extension")


class Counted:
    """Counters of how often clips are transferred and indexed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = {"retarget": 0, "index_motions": 0}
        for module, name in ((clips_on_character, "retarget"), (examples, "index_motions")):
            monkeypatch.setattr(module, name, self._counting(name, getattr(module, name)))

    def _counting(self, name: str, own: Any) -> Any:
        def counting(*given: Any, **how: Any) -> Any:
            self.times[name] += 1
            return own(*given, **how)

        return counting

    @property
    def both(self) -> tuple[int, int]:
        return self.times["retarget"], self.times["index_motions"]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    return Counted(monkeypatch)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "walks.npz"
    save_library(path, walks())
    return path


@pytest.fixture
def body() -> Object:
    bpy.context.scene.render.fps = round(walks().frames_per_second)
    return add_plain_armature(bpy.context, "Body", walks().skeleton)


def made_ready(body: Object, library: Path, **how: Any) -> FillingExamples:
    """Return the examples as the first press of a session makes them."""
    found = library_to_prepare(body, bpy.context.scene, ExampleChoice((), LibraryChoice((str(library),)), **how))
    assert found is not None
    return found.prepared()


def refused(*_: object, **__: object) -> None:
    raise AssertionError("indexed again")


def filled(ready: FillingExamples) -> list[bytes]:
    motion = ready.prepared.motions[0]
    gap = Gap(motion.slice(0, 11), motion.slice(30, 41))
    result = fill_gap(ready.prepared, gap, 20)[0].motion
    return [channel.tobytes() for channel in result.channels().values()]


@pytest.mark.parametrize("rate", [30, 24])
def test_first_run_of_a_session_reads_the_preparation_of_another(
    body: Object, library: Path, counted: Counted, rate: int
) -> None:
    bpy.context.scene.render.fps = rate
    first = made_ready(body, library)
    again = made_ready(body, library)
    assert counted.both == (1, 1)
    assert filled(first) == filled(again)
    for one, other in zip(first.prepared.motions, again.prepared.motions, strict=True):
        assert one.frames_per_second == other.frames_per_second == rate
        assert one.rotations.tobytes() == other.rotations.tobytes()
    for name, array in vars(first.prepared.index).items():
        if isinstance(array, np.ndarray):
            assert array.tobytes() == vars(again.prepared.index)[name].tobytes(), name
    assert (first.names, first.reading.keyed, first.key) == (again.names, again.reading.keyed, again.key)


def test_preparation_depends_on_settings_skeleton_and_library(body: Object, library: Path, counted: Counted) -> None:
    made_ready(body, library)
    made_ready(body, library, root_bone=walks().skeleton.names[0])
    made_ready(body, library, keep_contacts=False)
    assert counted.times["retarget"] == 2
    bpy.context.scene.render.fps = 24
    made_ready(body, library)
    retargeted, indexed = counted.both
    assert retargeted == 2, "clips are on the character at their own rate"
    other = add_plain_armature(bpy.context, "Longer", walks().skeleton)
    other.data.transform(other.matrix_basis @ other.matrix_basis.Scale(1.1, 4))
    made_ready(other, library)
    assert counted.both == (retargeted + 1, indexed + 1)
    save_library(library, walks().only([1, 2, 3]))
    made_ready(other, library)
    assert counted.both == (retargeted + 2, indexed + 2)


def cut(content: bytes) -> bytes:
    return content[:-64]


def changed_in_the_middle(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 64]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [cut, changed_in_the_middle])
def test_damaged_file_is_replaced(
    body: Object, library: Path, counted: Counted, damage: Callable[[bytes], bytes]
) -> None:
    bpy.context.scene.render.fps = 24
    expected = filled(made_ready(body, library))
    kept = sorted((library.parent / "walks.preparations").iterdir(), key=lambda path: path.suffix)
    assert [path.suffix for path in kept] == [".carried", ".index", ".resampled"]
    whole = [path.read_bytes() for path in kept]
    for number, (path, content) in enumerate(zip(kept, whole, strict=True)):
        path.write_bytes(damage(content))
        assert filled(made_ready(body, library)) == expected
        assert path.read_bytes() == content, path.suffix
        assert counted.both == (2, 1 + (number > 0)), "only what is in that file is made again"


def test_those_used_last_stay(body: Object, library: Path, counted: Counted) -> None:
    for rate in (24, 25, 30, 60):
        bpy.context.scene.render.fps = rate
        made_ready(body, library)
    kept = [path.suffix for path in (library.parent / "walks.preparations").iterdir()]
    assert sorted(kept) == [".carried", ".index", ".index", ".resampled", ".resampled"]


@pytest.mark.parametrize("rate", [30, 24])
def test_clips_stay_in_their_file_and_are_prepared_again_without_it(
    body: Object, library: Path, counted: Counted, rate: int
) -> None:
    bpy.context.scene.render.fps = rate
    choice = ExampleChoice((), LibraryChoice((str(library),)))
    found = ready_examples(body, bpy.context.scene, choice)
    assert found.prepared.motions[0] is not found.prepared.motions[0]
    assert ready_examples(body, bpy.context.scene, choice) is found
    expected, suffix = filled(found), ".carried" if rate == 30 else ".resampled"
    next((library.parent / "walks.preparations").glob(f"*{suffix}")).unlink()
    assert library_to_prepare(body, bpy.context.scene, choice) is not None
    assert filled(ready_examples(body, bpy.context.scene, choice)) == expected


def test_nothing_is_kept_in_a_folder_that_cannot_be_made(body: Object, library: Path, counted: Counted) -> None:
    expected = filled(made_ready(body, library))
    folder = library.parent / "walks.preparations"
    shutil.rmtree(folder)
    folder.write_text("a file of the user")
    again = made_ready(body, library)
    assert isinstance(again.prepared.motions, tuple) and filled(again) == expected


def test_clips_of_several_rates_keep_their_order(body: Object, library: Path, tmp_path: Path, counted: Counted) -> None:
    slower = [resample(walks().motion(number), 20.0)[0] for number in range(len(walks().clips))]
    save_library(tmp_path / "slower.npz", library_of(slower, walks().clips))
    libraries = LibraryChoice((str(library), str(tmp_path / "slower.npz")))
    ready = ready_examples(body, bpy.context.scene, ExampleChoice((), libraries))
    chosen = choose_clips(libraries)
    assert {motion.frames_per_second for motion in chosen.motions} == {20.0, 30.0}
    whole = clips_on_character.clips_on_character(body, chosen.motions, ())
    for motion, expected in zip(ready.prepared.motions, whole.motions, strict=True):
        assert motion.rotations.tobytes() == resample(expected, 30.0)[0].rotations.tobytes()


def test_the_index_that_is_searched_is_kept_as_well(
    body: Object, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    loaded = library_in(str(library))
    first = make_indexes([loaded])[loaded.fingerprint]
    monkeypatch.setattr(indexes, "build_pose_index", refused)
    again = make_indexes([loaded])[loaded.fingerprint]
    assert again is not first and again.rows.tobytes() == first.rows.tobytes()
    assert [path.suffix for path in (library.parent / "walks.preparations").iterdir()] == [".poses"]
    assert folder_of(walks().only([0])) is None, "which no file holds"


def test_a_large_index_stays_in_its_file_and_finds_the_same(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    monkeypatch.setattr("genmm_addon.core.library.cache.values_file.PIECE", 1)
    loaded = library_in(str(library))
    given = list[Sequence[Motion]]()
    monkeypatch.setattr("genmm_addon.core.library.clip_library.KEPT_BYTES", 0)

    def built(motions: Sequence[Motion], **_: object) -> PoseIndex:
        given.append(motions)
        return build_pose_index(motions)

    monkeypatch.setattr(indexes, "build_pose_index", built)
    index = make_indexes([loaded])[loaded.fingerprint]
    assert given[0][0] is not given[0][0], "none stays in memory"
    assert isinstance(index.rows, ArrayInFile) and isinstance(index.coarse_rows, ArrayInFile)
    whole = build_pose_index([loaded.motion(clip) for clip in range(len(loaded.clips))])
    rows = rows_of(whole.space, loaded.motion(0))[10:40]
    assert find_similar(index, rows) == find_similar(whole, rows)
    assert build_cluster_tree(index) == build_cluster_tree(whole)
    (path,) = (library.parent / "walks.preparations").iterdir()
    path.unlink()
    with pytest.raises(InputError, match="was changed or removed while it was in use"):
        find_similar(index, rows)


def test_an_index_whose_file_was_removed_is_made_again_in_the_same_session(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genmm_addon.core.library.cache.kept.LEAST_FRAMES", 1)
    monkeypatch.setattr("genmm_addon.core.library.cache.values_file.PIECE", 1)
    monkeypatch.setattr(indexes, "_kept", LastUsed(1))  # without those of other tests
    loaded = library_in(str(library))
    index = index_of(loaded)
    rows = rows_of(index.space, loaded.motion(0))[10:40]
    found = find_similar(index, rows)
    (path,) = (library.parent / "walks.preparations").iterdir()
    path.unlink()
    assert find_similar(index_of(loaded), rows) == found
    assert path.exists() and without_index([loaded]) == []
    path.unlink()
    assert without_index([loaded]) == [loaded], "the window makes it in the background, with progress"
