# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a file: made where they are asked for, equal to those that were saved, and refused if they are no clips."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from motions import walker

from genmm_addon.core import InputError
from genmm_addon.core.library import Clip, library_of, load_library, save_library, stored_clips, values_of
from genmm_addon.core.library.stored_clips import StoredClips

ENTRIES: tuple[dict[str, Any], ...] = (
    {"name": "a", "source": "a.bvh", "start": 0, "frames": 30, "tags": {"style": "old"}, "of_later_version": 1},
    {"name": "b", "source": "b.bvh", "start": 30, "frames": 20, "mirrored": True},
)


def test_clips_and_their_values_are_those_of_the_file() -> None:
    clips = StoredClips("all.npz", ENTRIES)
    assert clips == (Clip("a", "a.bvh", 0, 30, {"style": "old"}), Clip("b", "b.bvh", 30, 20, mirrored=True))
    assert clips[-1].name == "b" and clips[:1] == (clips[0],) and len(clips) == 2
    for each in (clips, StoredClips("all.npz", ENTRIES), tuple(clips)):
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
    clips = StoredClips("all.npz", [ENTRIES[0], {**ENTRIES[1], field: value}])
    assert clips[0].name == "a"
    with pytest.raises(InputError, match=r'^"all\.npz" cannot be read as a library; build it again\.$'):
        _ = clips[1]
    if field != "tags":
        with pytest.raises(InputError, match=r'^"all\.npz" cannot be read as a library; build it again\.$'):
            clips.values(field)
