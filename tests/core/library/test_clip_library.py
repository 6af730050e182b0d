# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips: each clip's motion is restored, found by its tags, and readable from the library's file."""

import errno
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import InputError, Motion
from genmm_addon.core.library import (
    Clip,
    ClipLibrary,
    build_pose_index,
    library_of,
    load_clips,
    load_library,
    save_library,
)
from genmm_addon.core.library.library_file import library_arrays
from genmm_addon.core.motion import same_motion
from genmm_addon.core.motion.npz import save_arrays

TAGS = ({"style": "angry", "action": "walk"}, {"style": "old", "action": "walk"}, {"style": "old", "action": "run"})


@pytest.fixture
def motions() -> list[Motion]:
    return [walker(frames) for frames in (40, 25, 1)]


@pytest.fixture
def library(motions: list[Motion]) -> ClipLibrary:
    clips = [Clip(f"clip {n}", f"takes/{n}.bvh", 0, 0, tags, fingerprint=str(n)) for n, tags in enumerate(TAGS)]
    return library_of(motions, clips)


def test_each_clip_gives_its_motion_back(motions: list[Motion], library: ClipLibrary) -> None:
    assert library.frames == 66 and library.seconds == pytest.approx(2.2)
    for number, motion in enumerate(motions):
        for name, values in motion.channels().items():
            assert np.array_equal(library.motion(number).channels()[name], values)


def test_values_of_one_key_add_clips_and_several_keys_narrow_them(library: ClipLibrary) -> None:
    assert library.chosen({"style": ("angry", "old")}).tolist() == [0, 1, 2]
    assert library.chosen({"style": ("old",), "action": ("walk",)}).tolist() == [1]
    assert library.chosen({"style": ("o*",)}).tolist() == [1, 2]
    assert library.chosen({"mood": ("*",)}).tolist() == []
    assert library.chosen(text="TAKES/1").tolist() == [1]
    assert library.chosen(text="old run").tolist() == [2]


def test_only_an_asterisk_in_a_value_stands_for_others(motions: list[Motion]) -> None:
    tags = ({"take": "[loop]"}, {"take": "l"}, {"take": "walk?=1,\n2"})
    library = library_of(motions, [Clip(f"clip {n}", "", 0, 0, tags) for n, tags in enumerate(tags)])
    for asked, found in (("[loop]", [0]), ("?", []), ("*", [0, 1, 2]), ("walk?*2", [2]), ("*l*p]", [0]), ("", [])):
        assert library.chosen({"take": (asked,)}).tolist() == found, asked


def test_selected_clips_form_a_separate_library(motions: list[Motion], library: ClipLibrary) -> None:
    some = library.only([2, 0])
    assert [clip.name for clip in some.clips] == ["clip 2", "clip 0"] and some.frames == 41
    assert np.array_equal(some.motion(1).rotations, motions[0].rotations)
    assert library.only([]).frames == 0


def test_saved_library_is_loaded_unchanged(tmp_path: Path, library: ClipLibrary) -> None:
    save_library(tmp_path / "all.npz", library)
    back = load_library(tmp_path / "all.npz")
    assert back.clips == library.clips and back.skeleton.names == library.skeleton.names
    assert back.frames_per_second == library.frames_per_second and back.fingerprint == library.fingerprint
    for name in ("rotations", "translated", "translations"):
        assert np.array_equal(getattr(back, name), getattr(library, name))


@pytest.mark.parametrize("change", ["replaced", "cut short", "removed"])
def test_a_file_that_changes_while_its_library_is_in_use_is_reported(
    tmp_path: Path, library: ClipLibrary, change: str
) -> None:
    path = tmp_path / "all.npz"
    save_library(path, library)
    back = load_library(path)
    moved = back.motion(0)
    if change == "replaced":
        save_library(path, library.only([1, 0]))
    elif change == "cut short":
        os.truncate(path, 1000)  # in place, which ends a program that has mapped the file into memory
    else:
        path.unlink()
    assert np.array_equal(moved.rotations, library.motion(0).rotations)
    sentence = r'"all\.npz" was changed or removed while it was in use; try again\.'
    with pytest.raises(InputError, match=sentence):
        back.motion(1)
    with pytest.raises(InputError, match=sentence):
        back.at(np.array([3]))
    with pytest.raises(InputError, match=sentence):
        back.at_once()


def test_a_file_with_only_a_new_time_of_change_is_read_on(tmp_path: Path, library: ClipLibrary) -> None:
    path = tmp_path / "all.npz"
    save_library(path, library)
    back = load_library(path)
    os.utime(path, (1.0, 1.0))
    assert same_motion(back.motion(1), library.motion(1))
    with pytest.raises(InputError, match="was changed or removed while it was in use"):
        back.at(np.array([3]))  # which no checksum covers


def test_a_file_replaced_by_one_of_the_same_size_is_not_called_damaged(tmp_path: Path, library: ClipLibrary) -> None:
    path = tmp_path / "all.npz"
    save_library(path, library)
    back, size = load_library(path), path.stat().st_size
    turned = np.array(library.rotations)[::-1].copy()
    save_library(path, ClipLibrary(library.skeleton, 30.0, library.clips, turned, library.translated))
    assert path.stat().st_size == size
    os.utime(path, (1.0, 1.0))  # a clock of few digits may give both files the same time
    with pytest.raises(InputError, match=r'"all\.npz" was changed or removed while it was in use; try again\.'):
        back.motion(0)


def test_a_file_that_cannot_be_opened_now_is_not_called_damaged(
    tmp_path: Path, library: ClipLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_library(tmp_path / "all.npz", library)
    back = load_library(tmp_path / "all.npz")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "open", refuse)
    for read in (lambda: back.motion(0), lambda: load_library(tmp_path / "all.npz")):
        with pytest.raises(InputError, match=r'all\.npz" cannot be read \(Too many open files\); try again\.'):
            read()


def test_only_the_clips_that_are_used_are_read(tmp_path: Path, library: ClipLibrary) -> None:
    motions = [library.at(np.arange(20_000) % library.frames), library.motion(1)]
    long = library_of(motions, library.clips[:2])
    save_library(tmp_path / "long.npz", long)
    tracemalloc.start()
    back = load_library(tmp_path / "long.npz")
    clip, poses = back.motion(1), back.at(np.array([20_010, 5, 19_999]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert same_motion(clip, long.motion(1)) and same_motion(poses, long.at(np.array([20_010, 5, 19_999])))
    assert peak < np.asarray(long.rotations).nbytes / 2


def test_a_large_library_is_indexed_clip_by_clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = [Clip(f"clip {number}", "", 0, 0) for number in range(40)]
    large = library_of([walker(1000, number) for number in range(len(clips))], clips)
    save_library(tmp_path / "large.npz", large)
    indexes, peaks = [], []
    for kept in (2**30, 0):
        monkeypatch.setattr("genmm_addon.core.library.clip_library.KEPT_BYTES", kept)
        tracemalloc.start()
        indexes.append(build_pose_index(load_library(tmp_path / "large.npz").motions))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    for name in ("rows", "squares", "ground", "turns", "starts", "stops", "coarse_rows"):
        assert np.array_equal(*(getattr(index, name) for index in indexes)), name
    assert peaks[1] < peaks[0] - 0.8 * np.asarray(large.rotations).nbytes


def test_motions_of_a_large_library_are_those_of_its_clips(
    tmp_path: Path, library: ClipLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_library(tmp_path / "all.npz", library)
    monkeypatch.setattr("genmm_addon.core.library.clip_library.KEPT_BYTES", 0)
    read = load_library(tmp_path / "all.npz").motions
    assert not isinstance(read, tuple) and isinstance(library.motions, tuple)
    for some, expected in (
        (read, library.motions),
        (read[1:], library.motions[1:]),
        (read[::-1], library.motions[::-1]),
    ):
        assert len(some) == len(expected) and all(map(same_motion, some, expected))
    assert same_motion(read[-1], library.motion(2)) and read[0] is not read[0]


def test_a_library_of_an_earlier_version_has_the_same_motions(tmp_path: Path, library: ClipLibrary) -> None:
    arrays = {name: values for name, values in library_arrays(library).items() if name != "checksums"}
    with (tmp_path / "early.npz").open("wb") as file:
        save_arrays(file, arrays)
    back = load_library(tmp_path / "early.npz")
    assert same_motion(back.at_once(), library.at_once()) and np.array_equal(back.checksums, library.checksums)
    save_library(tmp_path / "again.npz", back)
    save_library(tmp_path / "now.npz", library)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "now.npz").read_bytes()


def test_the_same_library_gives_the_same_bytes_and_another_another_fingerprint(
    tmp_path: Path, library: ClipLibrary
) -> None:
    for name in ("one", "two"):
        save_library(tmp_path / name, library.only([0, 1, 2]))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    changed = np.array(library.rotations)
    changed[3, 2] = [0.0, 1.0, 0.0, 0.0]
    moved = ClipLibrary(library.skeleton, 30.0, library.clips, changed, library.translated, library.translations)
    assert len({library.fingerprint, moved.fingerprint, library.only([1, 0, 2]).fingerprint}) == 3


def test_numpy_reads_the_arrays_under_their_names(tmp_path: Path, library: ClipLibrary) -> None:
    save_library(tmp_path / "all.npz", library)
    with np.load(tmp_path / "all.npz", allow_pickle=False) as arrays:
        assert arrays["rotations"].shape == (66, len(library.skeleton.names), 4)
        np.savez_compressed(tmp_path / "packed.npz", **arrays)
    assert load_library(tmp_path / "packed.npz").clips == library.clips


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused_by_name(tmp_path: Path, library: ClipLibrary, share: float) -> None:
    save_library(tmp_path / "whole.npz", library)
    data = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError, match=r'"cut\.npz" cannot be read as a library'):
        load_library(tmp_path / "cut.npz")
    with pytest.raises(InputError, match=r'"cut\.npz" cannot be read as a library'):
        load_clips(tmp_path / "cut.npz")


def test_clips_are_read_without_their_frames(tmp_path: Path, library: ClipLibrary) -> None:
    long = library_of([library.at(np.arange(20_000) % library.frames)], [library.clips[0]])
    save_library(tmp_path / "long.npz", long)
    tracemalloc.start()
    clips = load_clips(tmp_path / "long.npz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert clips == load_library(tmp_path / "long.npz").clips
    assert peak < np.asarray(long.rotations).nbytes / 2
    with pytest.raises(InputError, match="There is no library"):
        load_clips(tmp_path / "gone.npz")


def test_a_file_without_the_right_to_read_it_is_not_called_damaged(
    tmp_path: Path, library: ClipLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_library(tmp_path / "closed.npz", library)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # a user with all rights could read every file
    with pytest.raises(InputError, match=r'closed\.npz" may not be read; change its permissions') as refused:
        load_library(tmp_path / "closed.npz")
    assert "build it again" not in str(refused.value)


def test_a_byte_that_changed_on_the_disk_is_noticed(tmp_path: Path, library: ClipLibrary) -> None:
    path = tmp_path / "all.npz"
    save_library(path, library)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        place = archive.getinfo("rotations.npy").header_offset + 500
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r'The clip "clip 0" of "all\.npz" is damaged; build the library again\.'):
        load_library(path).motion(0)
    assert same_motion(load_library(path).motion(1), library.motion(1))


def test_invalid_libraries_are_rejected_with_one_sentence(tmp_path: Path, library: ClipLibrary) -> None:
    with pytest.raises(InputError, match="There is no library"):
        load_library(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(InputError, match=r'"text\.npz" cannot be read'):
        load_library(tmp_path / "text.npz")
    for kind, sentence in (("GenMM motion 1", "holds no library"), ("GenMM library 9", "newer version")):
        with (tmp_path / "other.npz").open("wb") as file:
            save_arrays(file, {"format": np.array(kind)})
        with pytest.raises(InputError, match=sentence):
            load_library(tmp_path / "other.npz")
    np.savez(tmp_path / "evil.npz", format=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match=r'"evil\.npz" cannot be read'):
        load_library(tmp_path / "evil.npz")


def test_clips_must_cover_the_frames(library: ClipLibrary) -> None:
    with pytest.raises(InputError, match="does not follow"):
        ClipLibrary(library.skeleton, 30.0, library.clips[1:], library.rotations[40:])
    with pytest.raises(InputError, match="40 frames, and its arrays 66"):
        ClipLibrary(library.skeleton, 30.0, library.clips[:1], library.rotations)
    with pytest.raises(InputError, match="at least one clip"):
        library_of([], [])
