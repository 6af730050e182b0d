# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of bones: written and read, used in both directions, and refused where they do not fit."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from motions import build_skeleton
from test_matching import HUMAN

from genmm_addon.core import InputError, Skeleton
from genmm_addon.core.transfer import BoneMap, match_joints, read_bone_map, write_bone_map

SOURCE = build_skeleton(HUMAN)
TARGET = replace(SOURCE, names=tuple(f"x {name}" for name in SOURCE.names))
ALL = BoneMap(tuple(zip(SOURCE.names, TARGET.names, strict=True)), "all")
DAMAGED = {
    "a list": ("[1]", "is no bone map"),
    "another file": ('{"pairs": []}', "is no bone map"),
    "no JSON": ("{", "is not readable as JSON"),
    "a newer version": ('{"format": "GenMM bone map", "version": 2, "pairs": []}', "newer GenMM"),
    "no version": ('{"format": "GenMM bone map", "pairs": [["a", "b"]]}', "is no bone map"),
    "a version in words": ('{"format": "GenMM bone map", "version": "1", "pairs": [["a", "b"]]}', "is no bone map"),
    "version 0": ('{"format": "GenMM bone map", "version": 0, "pairs": [["a", "b"]]}', "is no bone map"),
    "no pairs": ('{"format": "GenMM bone map", "version": 1}', "pairs"),
    "an empty list of pairs": ('{"format": "GenMM bone map", "version": 1, "pairs": []}', "has no pair"),
    "only bones without a counterpart": (
        '{"format": "GenMM bone map", "version": 1, "pairs": [["a", null], [null, "b"]]}',
        "has no pair",
    ),
    "three names": ('{"format": "GenMM bone map", "version": 1, "pairs": [["a", "b", "c"]]}', "list of 2"),
    "numbers": ('{"format": "GenMM bone map", "version": 1, "pairs": [["a", 3]]}', "text"),
    "a bone of the target twice": (
        '{"format": "GenMM bone map", "version": 1, "pairs": [["a", "c"], ["b", "c"]]}',
        'more than one pair with "c" of the target',
    ),
    "a bone of the source twice": (
        '{"format": "GenMM bone map", "version": 1, "pairs": [["a", "b"], ["a", null]]}',
        'more than one pair with "a" of the source',
    ),
}


def renamed(skeleton: Skeleton, **names: str) -> Skeleton:
    return replace(skeleton, names=tuple(names.get(name, name) for name in skeleton.names))


def test_a_map_is_read_as_it_was_written(tmp_path: Path) -> None:
    bone_map = BoneMap((("Hüfte", "pelvis"), ("hat", ""), ("", "tail")), "Größe", "Mixamo", "Hero")
    write_bone_map(tmp_path / "map.json", bone_map)
    assert read_bone_map(tmp_path / "map.json") == bone_map
    assert json.loads((tmp_path / "map.json").read_text("utf-8"))["pairs"][1:] == [["hat", None], [None, "tail"]]


def test_entries_that_later_versions_add_do_not_matter(tmp_path: Path) -> None:
    values = {"format": "GenMM bone map", "version": 1, "pairs": [["a", "b"]], "author": "someone"}
    (tmp_path / "hero.json").write_text(json.dumps(values))
    assert read_bone_map(tmp_path / "hero.json") == BoneMap((("a", "b"),), "hero")


@pytest.mark.parametrize(("text", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_a_file_that_is_no_map_is_refused_in_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "map.json").write_text(text)
    with pytest.raises(InputError, match=re.escape(reason)) as refusal:
        read_bone_map(tmp_path / "map.json")
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).endswith(".")


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'missing\.json" cannot be read: No such file'):
        read_bone_map(tmp_path / "missing.json")
    with pytest.raises(InputError, match="cannot be written: it is a folder"):
        write_bone_map(tmp_path, ALL)
    (tmp_path / "kept.json").write_text("kept")
    (tmp_path / "kept.json").chmod(0o444)
    with pytest.raises(InputError, match="cannot be written: the existing file is write-protected"):
        write_bone_map(tmp_path / "kept.json", ALL)
    assert (tmp_path / "kept.json").read_text() == "kept"


@pytest.mark.parametrize("part", ["pairs", "name", "source", "target"])
def test_a_name_that_is_not_text_is_named_and_nothing_is_written(tmp_path: Path, part: str) -> None:
    broken = b"Z\xe4hne".decode("utf-8", "surrogateescape")
    pairs = (("Hips", "pelvis"), ("Jaw", broken if part == "pairs" else "jaw"))
    texts = {} if part == "pairs" else {part: broken}
    with pytest.raises(InputError) as refused:
        write_bone_map(tmp_path / "map.json", BoneMap(pairs, **texts))
    assert "Z\\udce4hne" in str(refused.value) and str(refused.value).encode("utf-8")
    assert not list(tmp_path.iterdir())


def test_a_map_of_very_many_bones_is_checked_at_once() -> None:
    start = time.process_time()
    assert len(BoneMap(tuple((f"{number}", f"x {number}") for number in range(50_000))).pairs) == 50_000
    assert time.process_time() - start < 3


def test_a_map_is_used_in_either_direction() -> None:
    assert ALL.between(SOURCE, TARGET) == ALL.pairs
    assert ALL.between(TARGET, SOURCE) == ALL.inverted().pairs


def test_bones_that_the_source_lacks_are_left_out_and_those_that_the_target_lacks_are_named() -> None:
    assert ALL.between(renamed(SOURCE, head="skull"), TARGET) == tuple(pair for pair in ALL.pairs if pair[0] != "head")
    assert ALL.lacking(renamed(SOURCE, head="skull"), TARGET) == ("head",)
    assert ALL.inverted().lacking(renamed(SOURCE, head="skull"), TARGET) == ("head",)
    assert ALL.lacking(SOURCE, TARGET) == ()
    with pytest.raises(InputError, match=r'that the target does not have: "x head"; rename'):
        ALL.between(SOURCE, renamed(TARGET, **{"x head": "skull"}))


def test_a_map_of_other_skeletons_is_refused() -> None:
    strange = replace(SOURCE, names=tuple(f"y {name}" for name in SOURCE.names))
    for source, target, side in ((strange, TARGET, "source"), (SOURCE, strange, "target")):
        with pytest.raises(InputError, match=f"is of another skeleton: the {side} has 0 of its"):
            ALL.between(source, target)


def test_a_map_that_turns_a_chain_around_is_refused() -> None:
    with pytest.raises(InputError, match=r'cyclic: "shin\.L" is below "thigh\.L"'):
        BoneMap((("thigh.L", "x shin.L"), ("shin.L", "x thigh.L"))).between(SOURCE, TARGET)


@pytest.mark.parametrize("trust", [0.0, 0.5, 1.0])
def test_bones_without_a_counterpart_have_none_and_the_others_are_matched_by_shape(trust: float) -> None:
    bone_map = BoneMap((("hips", "x hips"), ("thumb.L", ""), ("", "x toe.R")))
    names = match_joints(SOURCE, TARGET, given=bone_map.between(SOURCE, TARGET), trust=trust).names
    assert not {"thumb.L", "toe.R"} & names.keys()
    assert "x toe.R" not in names.values()
    assert names.items() <= dict(ALL.pairs).items()
    assert len(names) >= len(ALL.pairs) - 3
