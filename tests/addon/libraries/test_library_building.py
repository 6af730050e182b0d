# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries built from folders: every usable clip on one skeleton, and only changed files read again."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from bvh_files import lifting

from genmm_addon.core import InputError
from genmm_addon.core.library import ClipLibrary, TagPattern, load_library, near_duplicates, save_library
from genmm_addon.core.motion import read_bvh_motion
from genmm_addon.libraries import building
from genmm_addon.libraries.building import Built, Plan, build, merged
from genmm_addon.libraries.takes import files_in

pytestmark = pytest.mark.arrays
STYLES = Plan((TagPattern("{action}_{style}"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    takes = tmp_path / "takes"
    (takes / "more").mkdir(parents=True)
    for number, name in enumerate(("walk_old.bvh", "walk_angry.BVH", "more/run_old.bvh")):
        (takes / name).write_text(lifting(20 * number))
    (takes / ".hidden.bvh").write_text("another program's own")
    (takes / "notes.txt").write_text("no motion")
    return takes


def built(folder: Path, plan: Plan = STYLES, earlier: ClipLibrary | None = None) -> Built:
    return build(files_in(folder), plan, earlier)


def test_each_clip_of_a_folder_is_there_with_its_tags(folder: Path) -> None:
    library = built(folder).library
    assert [(clip.name, clip.source, dict(clip.tags)) for clip in library.clips] == [
        ("run_old", "more/run_old.bvh", {"action": "run", "style": "old"}),
        ("walk_angry", "walk_angry.BVH", {"action": "walk", "style": "angry"}),
        ("walk_old", "walk_old.bvh", {"action": "walk", "style": "old"}),
    ]
    for number, name in enumerate(("more/run_old.bvh", "walk_angry.BVH", "walk_old.bvh")):
        own = read_bvh_motion(folder / name).motion
        np.testing.assert_allclose(library.motion(number).pose()[1], own.pose()[1], atol=1e-6)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text on other systems")
def test_undecodable_file_name_is_accepted_in_a_library(folder: Path, tmp_path: Path) -> None:
    (folder / "walk_old.bvh").rename(folder / os.fsdecode(b"walk_\xfcber.bvh"))
    first = built(folder)
    assert dict(first.library.clips[1].tags) == {"action": "walk", "style": "?ber"}
    save_library(tmp_path / "kept.npz", first.library)
    assert built(folder, earlier=load_library(tmp_path / "kept.npz")).reused == 3


def test_building_again_reads_only_changed_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = built(folder)
    assert (first.read, first.reused) == (3, 0)
    (folder / "walk_old.bvh").write_text(lifting(77))
    (folder / "walk_angry.BVH").rename(folder / "walk_cross.bvh")
    (folder / "new_one.bvh").write_text(lifting(50))
    read: list[str] = []
    bvh_take = building.bvh_take
    monkeypatch.setattr(building, "bvh_take", lambda file, *rest: read.append(file.name) or bvh_take(file, *rest))
    second = built(folder, earlier=first.library)
    assert read == ["new_one.bvh", "walk_old.bvh"] and (second.read, second.reused) == (2, 2)
    assert second.library.clips[2].tags == {"action": "walk", "style": "cross"}
    assert second.library.fingerprint == built(folder).library.fingerprint


def test_a_clip_that_is_damaged_in_the_library_is_read_again(folder: Path, tmp_path: Path) -> None:
    first, path = built(folder).library, tmp_path / "takes.npz"
    save_library(path, first)
    data = bytearray(path.read_bytes())
    data[data.index(first.motion(1).rotations.tobytes()) + 1] ^= 1
    path.write_bytes(data)
    second = built(folder, earlier=load_library(path))
    assert (second.read, second.reused) == (1, 2)
    assert second.library.fingerprint == first.fingerprint


def test_a_t_pose_recorded_before_the_motion_is_left_out_also_when_built_again(folder: Path) -> None:
    head, _, rest = lifting(77).partition("Frame Time: ")
    time, _, lines = rest.partition("\n")
    with_t_pose = head.replace("Frames: 40", "Frames: 41") + f"Frame Time: {time}\n0 1 0{12 * ' 0'} 0 0 0\n{lines}"
    (folder / "walk_old.bvh").write_text(with_t_pose)
    first = built(folder).library
    own = read_bvh_motion(folder / "walk_old.bvh").motion
    assert own.frames == 41 and first.motion(2).frames == 40
    np.testing.assert_allclose(first.motion(2).pose()[1], own.slice(1, 41).pose()[1], atol=1e-6)
    assert built(folder, earlier=first).library.fingerprint == first.fingerprint


def test_takes_one_after_another_in_a_file_are_clips_each_also_when_built_again(folder: Path) -> None:
    lines = lifting(20).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    head, rows = lines[:first], lines[first:]
    # The second take is a step of ten sizes away.
    away = [" ".join([str(1000 + float(row.split()[0])), *row.split()[1:]]) for row in rows]
    head = [f"Frames: {2 * len(rows)}" if line.startswith("Frames:") else line for line in head]
    (folder / "walk_old.bvh").write_text("\n".join((*head, *rows, *away)))
    parted = built(folder).library
    assert [(clip.name, clip.source, dict(clip.tags), clip.frames) for clip in parted.clips][2:] == [
        ("walk_old 1", "walk_old.bvh:take 1", {"action": "walk", "style": "old"}, len(rows)),
        ("walk_old 2", "walk_old.bvh:take 2", {"action": "walk", "style": "old"}, len(rows)),
    ]
    again = built(folder, earlier=parted)
    assert again.reused == 4 and again.library.fingerprint == parted.fingerprint


def test_other_tags_need_no_reading(folder: Path) -> None:
    first = built(folder).library
    again = built(folder, Plan((TagPattern("{style}_*"),)), first)
    assert again.read == 0 and [clip.tags["style"] for clip in again.library.clips] == ["run", "walk", "walk"]
    assert built(folder, Plan((TagPattern("more/{a}"),)), first).untagged == 2


def test_another_rate_reads_all_again(folder: Path) -> None:
    first = built(folder).library
    again = built(folder, Plan(frames_per_second=15.0), first)
    assert again.read == 3 and again.library.motion(0).frames == 20
    assert again.library.fingerprint == built(folder, Plan(frames_per_second=15.0)).library.fingerprint


def test_clips_of_other_rates_are_brought_to_that_of_most(folder: Path) -> None:
    (folder / "fast.bvh").write_text(lifting(10, frame_time="0.0166667"))
    library = built(folder).library
    assert library.frames_per_second == 30 and library.motion(0).frames == 20
    assert library.clips[0].original_rate == 60


@pytest.mark.skipif(os.name == "nt", reason="pipes with names")
def test_a_pipe_that_is_called_as_a_clip_is_left_out_without_waiting_for_it(folder: Path) -> None:
    os.mkfifo(folder / "pipe.bvh")
    found = built(folder)
    assert len(found.library.clips) == 3 and [skipped.name for skipped in found.skipped] == ["pipe.bvh"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "does not begin with HIERARCHY"),
        (lifting(0)[:2000], "cut short"),
        (lifting(0).replace("20.0000", "nan", 1), "usable|number"),
        (lifting(0).replace("Frames: 40", "Frames: 1").partition("\n0 1 0.02 ")[0] + "\n", "it has a single frame"),
    ],
    ids=["empty", "cut", "nan", "one frame"],
)
def test_unusable_clip_is_reported_and_left_out(folder: Path, text: str, reason: str) -> None:
    text = text.replace("0 0 0 0 0.0000", "0 0 0 0 nan") if "usable" in reason else text
    (folder / "broken.bvh").write_text(text)
    found = built(folder)
    assert len(found.library.clips) == 3 and [skipped.name for skipped in found.skipped] == ["broken.bvh"]
    assert any(word in found.skipped[0].reason for word in reason.split("|"))


def test_a_body_of_other_names_and_proportions_comes_onto_the_skeleton_of_most(folder: Path) -> None:
    names = (("Hips", "pelvis"), ("Spine", "spine"), ("Head", "head"), ("LeftLeg", "thigh.L"), ("LeftFoot", "foot.L"))
    text = lifting(0)
    for name, other in names:
        text = text.replace(f" {name}\n", f" {other}\n")
    text = text.replace("OFFSET 0 1.0 0", "OFFSET 0 3.0 0").replace("OFFSET 0 -1.0 0", "OFFSET 0 -3.0 0")
    (folder / "giant.bvh").write_text(text)
    found = built(folder)
    assert found.retargeted == 1 and not found.skipped
    giant, own = found.library.motion(0), found.library.motion(1)
    assert giant.skeleton.names == own.skeleton.names
    travel = [np.linalg.norm(np.ptp(motion.pose()[1][:, 0, :2], axis=0)) for motion in (giant, own)]
    assert travel[0] == pytest.approx(travel[1] / 3, rel=0.1)


def test_another_creature_is_named_and_left_out(folder: Path) -> None:
    text = lifting(0).replace("OFFSET 0 1.0 0", "OFFSET 0 1.3 0")
    for number, name in enumerate(("Hips", "Spine", "Head", "LeftLeg", "LeftFoot")):
        text = text.replace(f" {name}\n", f" tentacle_{number}_x\n")
    (folder / "squid.bvh").write_text(text)
    found = built(folder)
    assert [skipped.name for skipped in found.skipped] == ["squid.bvh"]
    assert 'no counterpart in "more/run_old.bvh"' in found.skipped[0].reason


def test_a_skeleton_can_be_chosen(folder: Path) -> None:
    (folder / "tall.bvh").write_text(lifting(0).replace("OFFSET 0 1.0 0", "OFFSET 0 1.5 0"))
    assert built(folder).retargeted == 1
    chosen = built(folder, Plan(skeleton="tall"))
    assert chosen.retargeted == 3 and chosen.library.skeleton.rest_translations.max() == 1.5
    with pytest.raises(InputError, match='No clip is called "nobody"'):
        built(folder, Plan(skeleton="nobody"))


def test_where_the_hips_rest_is_a_place_and_no_proportion(folder: Path) -> None:
    (folder / "elsewhere.bvh").write_text(lifting(0).replace("OFFSET 0 1 0", "OFFSET 7 1 -90"))
    found = built(folder)
    assert found.retargeted == 0
    own = read_bvh_motion(folder / "elsewhere.bvh").motion
    np.testing.assert_allclose(found.library.motion(0).pose()[1], own.pose()[1], atol=1e-5)


def test_shards_merged_are_the_whole(folder: Path) -> None:
    files = files_in(folder)
    whole = build(files, STYLES).library
    shards = [build(files[start::2], STYLES).library for start in range(2)]
    together = merged(shards)
    assert together.library.fingerprint == whole.fingerprint
    again = merged([together.library, shards[0]])
    assert again.repeated == 2 and again.library.fingerprint == whole.fingerprint


def test_near_duplicates_go_and_others_stay(folder: Path) -> None:
    (folder / "walk_old2.bvh").write_text(lifting(0.2))
    found = built(folder, Plan(prune=True))
    assert found.pruned == 1 and near_duplicates(found.library) == []
    assert {clip.name for clip in found.library.clips} == {"run_old", "walk_angry", "walk_old"}


def test_folder_without_motion_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no"):
        files_in(tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        files_in(tmp_path / "none")
    (tmp_path / "broken.bvh").write_text("x")
    with pytest.raises(InputError, match=r'No file can be used; of "broken\.bvh"'):
        built(tmp_path)


def test_a_library_that_was_saved_serves_the_next_build(folder: Path, tmp_path: Path) -> None:
    save_library(tmp_path / "all.npz", built(folder).library)
    again = built(folder, earlier=load_library(tmp_path / "all.npz"))
    assert (again.read, again.reused) == (0, 3)


def test_mirrored_clips_double_a_library_and_are_not_read(folder: Path) -> None:
    (folder / "turn-left_old.bvh").write_text(two_legged())
    for path in [*folder.glob("walk*"), folder / "more" / "run_old.bvh"]:
        path.unlink()
    plan = Plan(STYLES.patterns, mirrored=True)
    found = built(folder, plan)
    own, other = found.library.clips
    assert (own.mirrored, other.mirrored, other.name) == (False, True, "turn-left_old mirrored")
    assert other.tags == {"action": "turn-right", "style": "old"}
    again = built(folder, plan, found.library)
    assert (again.read, again.reused) == (0, 1) and again.library.fingerprint == found.library.fingerprint
    lifted = [np.ptp(found.library.motion(number).pose()[1][..., 2], axis=0) for number in (0, 1)]
    names = found.library.skeleton.names
    left, right = names.index("LeftFoot"), names.index("RightFoot")
    assert lifted[0][left] > 5 * lifted[0][right]
    assert lifted[1][left] == pytest.approx(lifted[0][right], abs=1e-4)
    assert lifted[1][right] == pytest.approx(lifted[0][left], abs=1e-4)


def test_a_body_without_left_and_right_is_not_mirrored_and_says_so(folder: Path) -> None:
    for path in files_in(folder):
        path.path.unlink()
    joints = "ROOT Base\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    joints += "JOINT Tip\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    frames = "\n".join(f"0 {frame} 0" + 6 * f" {3 * frame}" for frame in range(9))
    motion = f"MOTION\nFrames: 9\nFrame Time: 0.0333333\n{frames}\n"
    (folder / "chain.bvh").write_text(f"HIERARCHY\n{joints}End Site\n{{\nOFFSET 0 1 0\n}}\n}}\n}}\n{motion}")
    with pytest.raises(InputError, match="cannot be mirrored: its skeleton has no left and right"):
        built(folder, Plan(mirrored=True))


def two_legged() -> str:
    """Return a BVH file of a body with two legs, the left of which swings."""
    lines = [
        "HIERARCHY",
        "ROOT Hips",
        "{",
        "OFFSET 0 1 0",
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
    ]
    for side, place in (("Left", 0.1), ("Right", -0.1)):
        lines += [f"JOINT {side}UpLeg", "{", f"OFFSET {place} 0 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
        lines += [f"JOINT {side}Foot", "{", "OFFSET 0 -0.9 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
        lines += ["End Site", "{", "OFFSET 0 0 0.2", "}", "}", "}"]
    lines += [
        "JOINT Head",
        "{",
        "OFFSET 0 0.7 0",
        "CHANNELS 3 Zrotation Xrotation Yrotation",
        "End Site",
        "{",
        "OFFSET 0 0.1 0",
        "}",
        "}",
    ]
    lines += ["}", "MOTION", "Frames: 40", "Frame Time: 0.0333333"]
    lines += [f"0 1 {0.02 * frame} 0 0 0 0 {40 * np.sin(frame / 4)} 0" + 12 * " 0" for frame in range(40)]
    return "\n".join(lines) + "\n"
