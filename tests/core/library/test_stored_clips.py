# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a file: made where they are asked for, equal to those that were saved, and refused if they are no clips."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import InputError
from genmm_addon.core.library import Clip, library_of, load_library, save_library, stored_clips, values_of
from genmm_addon.core.library.library_file import library_arrays
from genmm_addon.core.library.stored_clips import StoredClips, stops_of
from genmm_addon.core.motion.npz import save_arrays
from genmm_addon.core.storage import PIECE, ArrayInFile, checksums_of

ENTRIES: tuple[dict[str, Any], ...] = (
    {"name": "a", "source": "a.bvh", "start": 0, "frames": 30, "tags": {"style": "old"}, "of_later_version": 1},
    {"name": "b", "source": "b.bvh", "start": 30, "frames": 20, "mirrored": True},
)


def test_clips_and_their_values_are_those_of_the_file() -> None:
    clips = StoredClips("all.npz", json.dumps(ENTRIES).encode())
    assert clips == (Clip("a", "a.bvh", 0, 30, {"style": "old"}), Clip("b", "b.bvh", 30, 20, mirrored=True))
    assert clips[-1].name == "b" and clips[:1] == (clips[0],) and len(clips) == 2
    for each in (clips, StoredClips("all.npz", json.dumps(ENTRIES).encode()), tuple(clips)):
        assert values_of(each, "mirrored") == [False, True] and values_of(each, "fingerprint") == ["", ""]


def test_a_library_makes_only_the_clips_that_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = [Clip(f"clip {number}", f"{number}.bvh", 0, 0) for number in range(9)]
    save_library(tmp_path / "all.npz", library_of([walker(30, number) for number in range(9)], clips))
    made = list[str]()
    make = stored_clips.clip_of

    def noted(values: Mapping[str, Any]) -> Clip:
        made.append(values["name"])
        return make(values)

    monkeypatch.setattr(stored_clips, "clip_of", noted)
    library = load_library(tmp_path / "all.npz")
    assert library.motion(4).frames == 30 and library.chosen().tolist() == list(range(9)) and made == []
    assert library.clips[7].source == "7.bvh" and library.clips[7].name == "clip 7" and made == ["clip 7"]


@pytest.mark.parametrize("field, value", [("name", 3), ("source", None), ("frames", True), ("tags", {"style": 1})])
def test_fields_that_no_clip_has_are_refused_with_the_name_of_the_file(field: str, value: object) -> None:
    clips = StoredClips("all.npz", json.dumps([ENTRIES[0], {**ENTRIES[1], field: value}]).encode())
    assert clips[0].name == "a"
    with pytest.raises(InputError, match=r'^"all\.npz" cannot be read as a library; build it again\.$'):
        _ = clips[1]
    if field != "tags":
        with pytest.raises(InputError, match=r'^"all\.npz" cannot be read as a library; build it again\.$'):
            clips.values(field)


def test_a_library_whose_listed_lengths_are_not_those_of_its_clips_is_refused() -> None:
    text = json.dumps(ENTRIES).encode()
    assert stops_of(StoredClips("all.npz", text)).tolist() == [30, 50]
    listed = StoredClips("all.npz", text, np.array([30, 51]))
    assert listed[0].name == "a"
    with pytest.raises(InputError, match=r'^"all\.npz" cannot be read as a library; build it again\.$'):
        _ = listed[1]


def test_files_of_earlier_versions_give_the_same_library(tmp_path: Path) -> None:
    clips = [Clip(f"clip {number}", f"{number}.bvh", 0, 0) for number in range(3)]
    library = library_of([walker(30, number) for number in range(3)], clips)
    save_library(tmp_path / "new.npz", library)
    arrays = {name: values for name, values in library_arrays(library).items() if name != "stops"}
    with (tmp_path / "old.npz").open("wb") as file:
        save_arrays(file, arrays)
    new, old = load_library(tmp_path / "new.npz"), load_library(tmp_path / "old.npz")
    assert new.clips == old.clips == library.clips and new.stops.tolist() == old.stops.tolist() == [30, 60, 90]
    assert new.fingerprint == old.fingerprint and np.array_equal(new.motion(2).rotations, old.motion(2).rotations)


def test_names_are_looked_for_without_making_clips() -> None:
    text = json.dumps([{**ENTRIES[0], "name": 'gehen für "zwei"'}], ensure_ascii=False).encode()
    for written in (text, json.dumps(json.loads(text)).encode()):
        clips = StoredClips("all.npz", written)
        assert clips.may_have('gehen für "zwei"') and clips.may_have("a.bvh") and not clips.may_have("gehen")


def test_what_is_read_of_an_array_in_a_file_is_compared_with_its_checksums(tmp_path: Path) -> None:
    values, path = np.arange(3 * PIECE / 8).reshape(-1, 2), tmp_path / "rows"
    values.tofile(path)
    checksums = checksums_of(values.reshape(-1).view(np.uint8))
    array = ArrayInFile(path, 0, values.dtype, values.shape, path.stat().st_size, checksums=checksums)
    for rows in (slice(0, len(values)), slice(3, 9), slice(PIECE // 16 - 2, PIECE // 16 + 2), np.array([9, 4])):
        assert np.array_equal(array[rows], values[rows])
    content = bytearray(path.read_bytes())
    content[PIECE + 5] ^= 1
    path.write_bytes(content)
    assert np.array_equal(array[:8], values[:8]), "the first piece is whole"
    with pytest.raises(InputError, match='"rows" is damaged; delete it, and try again'):
        _ = array[PIECE // 16 + 8 : PIECE // 16 + 9]


def test_an_array_in_a_file_may_have_no_columns(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"")
    array = ArrayInFile(tmp_path / "rows", 0, np.dtype(np.float32), (9, 0, 3), 0)
    assert array[2:5].shape == (3, 0, 3) and array[np.array([8, 1])].shape == (2, 0, 3)
