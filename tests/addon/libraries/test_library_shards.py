# SPDX-License-Identifier: GPL-3.0-or-later
"""Shards of a folder: merged they are the library of a single build, byte for byte, whatever files the folder has."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bvh_files import lifting
from test_bones_in_line import in_line, motions  # noqa: F401  # a fixture

from genmm_addon.core import InputError, Motion, Skeleton, save_bvh, transfer
from genmm_addon.core.library import ClipLibrary, LeftOut, TagPattern, load_library, save_library
from genmm_addon.core.transfer import JointMatch
from genmm_addon.libraries import building, one_skeleton
from genmm_addon.libraries.building import Plan, build, merged
from genmm_addon.libraries.takes import file_of, files_in

pytestmark = pytest.mark.arrays
COUNT = 18


def other_names(text: str) -> str:
    names = (("Hips", "pelvis"), ("Spine", "spine"), ("Head", "head"), ("LeftLeg", "thigh.L"), ("LeftFoot", "foot.L"))
    for name, other in names:
        text = text.replace(f" {name}\n", f" {other}\n")
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of several skeletons, rest offsets and rates, and of damaged files."""
    takes = tmp_path / "takes"
    (takes / "more").mkdir(parents=True)
    for number in range(COUNT):
        text = lifting(3 * number)
        if number % 3 == 0:
            # The hips rest elsewhere, which is no other skeleton, but is seen in the library's rest pose.
            text = text.replace("OFFSET 0 1 0", f"OFFSET {number} 1 -0.5")
        if number % 5 == 0:
            text = text.replace("OFFSET 0 1.0 0", "OFFSET 0 3.0 0")
        if number % 7 == 1:
            text = other_names(text)
        if number % 4 == 1:
            text = text.replace("Frame Time: 0.0333333", "Frame Time: 0.0166667")
        if number in (2, 11):
            text = text[:700]
        (takes / ("more" if number % 2 else ".") / f"walk_{number:02}.bvh").write_text(text)
    (takes / "more" / "a.bvh").write_text("no motion at all")
    return takes


def shards_of(folder: Path, count: int, plan: Plan = Plan()) -> list[ClipLibrary]:
    whole = files_in(folder)
    return [build(whole[start::count], plan, whole=whole).library for start in range(count)]


def stored(library: ClipLibrary, path: Path) -> bytes:
    save_library(path, library)
    return path.read_bytes()


@pytest.mark.parametrize("count", [2, 3, 5, 16, 19])
def test_shards_merged_are_the_single_build(folder: Path, tmp_path: Path, count: int) -> None:
    whole = build(files_in(folder), Plan())
    assert whole.retargeted > 3 and len(whole.skipped) == 3
    shards = shards_of(folder, count)
    expected = stored(whole.library, tmp_path / "one.npz")
    for order in (shards, shards[::-1]):
        loaded = []
        for number, shard in enumerate(order):
            save_library(tmp_path / f"{number}.npz", shard)
            loaded.append(load_library(tmp_path / f"{number}.npz"))
        assert stored(merged(loaded).library, tmp_path / "all.npz") == expected


def test_shards_of_clips_that_come_by_mean_poses_are_the_single_build(
    motions: dict[str, Motion],  # noqa: F811
    tmp_path: Path,
) -> None:
    folder = tmp_path / "bodies"
    folder.mkdir()
    for kind, (name, motion) in enumerate(sorted(motions.items())):
        for part in range(3):
            piece = motion.slice(part * motion.frames // 3, (part + 1) * motion.frames // 3)
            flat = (kind + part) % 3 == 0
            save_bvh(folder / f"{name}_{part}.bvh", in_line(piece) if flat else piece)
    whole = build(files_in(folder), Plan())
    assert whole.retargeted and any(clip.by_mean_pose for clip in whole.library.clips) and not whole.skipped
    expected = stored(whole.library, tmp_path / "one.npz")
    for count in (2, 5):
        assert stored(merged(shards_of(folder, count)).library, tmp_path / "all.npz") == expected


@pytest.mark.parametrize(
    "plan",
    [
        Plan(skeleton="more/walk_15"),
        Plan(skeleton="walk_10.bvh", frames_per_second=24.0),
        Plan((TagPattern("{action}_{take}"),), frames_per_second=60.0),
    ],
    ids=["skeleton", "skeleton and rate", "pattern and rate"],
)
def test_shards_take_the_skeleton_of_any_file(folder: Path, tmp_path: Path, plan: Plan) -> None:
    expected = stored(build(files_in(folder), plan).library, tmp_path / "one.npz")
    for count in (2, 5):
        assert stored(merged(shards_of(folder, count, plan)).library, tmp_path / "all.npz") == expected


@pytest.mark.slow
def test_shards_agree_where_the_deciding_files_are_few_or_unusable(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most in (1, 4):
        monkeypatch.setattr(building, "MOST_DECIDING", most)
        expected = stored(build(files_in(folder), Plan()).library, tmp_path / "one.npz")
        assert stored(merged(shards_of(folder, 5)).library, tmp_path / "all.npz") == expected
    # The first file is the deciding one, and is damaged: the first that can be read decides.
    monkeypatch.setattr(building, "MOST_DECIDING", 1)
    assert files_in(folder)[0].name == "more/a.bvh"


def test_near_duplicates_and_sides_of_merged_shards_are_those_of_a_single_build(folder: Path, tmp_path: Path) -> None:
    for number in (3, 6):
        (folder / f"again_{number}.bvh").write_text(lifting(3 * number + 0.05))
    plan = Plan(prune=True)
    whole = build(files_in(folder), plan)
    assert whole.pruned
    together = merged(shards_of(folder, 3), plan)
    assert stored(together.library, tmp_path / "all.npz") == stored(whole.library, tmp_path / "one.npz")
    assert together.pruned == whole.pruned


def test_a_shard_built_again_has_the_same_bytes_and_reads_only_its_deciding_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_DECIDING", 3)
    whole = files_in(folder)
    first = build(whole[1::2], Plan(), whole=whole).library
    again = build(whole[1::2], Plan(), first, whole=whole)
    assert again.read == 0 and stored(again.library, tmp_path / "b.npz") == stored(first, tmp_path / "a.npz")


def test_a_shard_of_damaged_files_is_an_empty_library_that_names_them(folder: Path, tmp_path: Path) -> None:
    whole = files_in(folder)
    only = [file for file in whole if file.name == "more/a.bvh"]
    found = build(only, Plan(), whole=whole)
    assert not found.library.clips and [left.name for left in found.skipped] == ["more/a.bvh"]
    save_library(tmp_path / "none.npz", found.library)
    assert load_library(tmp_path / "none.npz").left_out == found.library.left_out
    with pytest.raises(InputError, match="No file can be used"):
        build(only, Plan())


def test_a_library_keeps_what_it_left_out_but_not_in_its_fingerprint(folder: Path, tmp_path: Path) -> None:
    library = build(files_in(folder), Plan()).library
    assert [left.name for left in library.left_out] == ["more/a.bvh", "more/walk_11.bvh", "walk_02.bvh"]
    save_library(tmp_path / "a.npz", library)
    assert load_library(tmp_path / "a.npz").left_out == library.left_out
    for name in ("more/a.bvh", "more/walk_11.bvh", "walk_02.bvh"):
        (folder / name).unlink()
    assert build(files_in(folder), Plan()).library.fingerprint == library.fingerprint
    assert all(isinstance(left, LeftOut) for left in library.left_out)


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("walk.bvh", "walk.bvh"),
        ("a/walk.BLEND:Walk: angry", "a/walk.BLEND"),
        ("walk.glb:x.fbx:y", "walk.glb"),
        ("walk.blend.bvh", "walk.blend.bvh"),
        ("Action of the open file", "Action of the open file"),
    ],
)
def test_the_file_of_a_clip_is_found_in_its_source(source: str, file: str) -> None:
    assert file_of(source) == file


def test_frames_of_merged_shards_are_numbers(folder: Path) -> None:
    assert np.isfinite(merged(shards_of(folder, 16)).library.rotations).all()


def test_counterparts_are_found_from_the_folder_alone_whatever_was_built_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matched: list[tuple[int, str]] = []

    def match_joints(source: Skeleton, target: Skeleton, **options: Any) -> JointMatch:
        matched.append((options["motions"][0].frames, source.names[0]))
        return transfer.match_joints(source, target, **options)

    monkeypatch.setattr(one_skeleton, "match_joints", match_joints)
    files = files_in(folder)
    build(files, Plan())
    first = list(matched)
    matched.clear()
    build(files, Plan())
    assert first and matched == first
