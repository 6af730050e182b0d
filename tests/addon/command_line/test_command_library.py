# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library`: its output, its refusals, and the files that it leaves unchanged."""

import os
import signal
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bvh_files import lifting
from commands import left_in, run, save, saved_character, started

from genmm_addon.core.library import load_library

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    takes = tmp_path / "takes"
    takes.mkdir()
    for number, name in enumerate(("walk_old", "walk_angry", "run_old")):
        (takes / f"{name}.bvh").write_text(lifting(20 * number))
    return takes


def test_folder_becomes_a_library_and_info_describes_its_contents(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    out = tmp_path / "all.npz"
    said = run(capfd, "library", "build", folder, "--output", out, "--pattern", "{action}_{style}")
    assert said.status == 0 and said.progress == ["1/3 run_old.bvh", "2/3 walk_angry.bvh", "3/3 walk_old.bvh"]
    assert said.lines[-1] == f"{out}: 3 clips, 120 frames, 0.1 minutes."
    told: Any = run(capfd, "library", "info", out, "--json").objects
    assert told[0]["fingerprint"] == load_library(out).fingerprint
    assert (told[0]["clips"], told[0]["frames"], told[0]["tags"]["style"]) == (3, 120, {"angry": 1, "old": 2})
    text = run(capfd, "library", "info", out).lines
    assert "3 clips" in text[0] and text[2:] == [
        "  action: run (1), walk (2)",
        "  style: angry (1), old (2)",
        "  copies: 0; near-duplicates: 0",
    ]


def test_a_broken_clip_is_named_and_the_others_are_kept(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    (folder / "broken.bvh").write_text("HIERARCHY\n")
    out = tmp_path / "all.npz"
    said = run(capfd, "library", "build", folder, "-o", out, "--json")
    assert said.status == 2 and len(load_library(out).clips) == 3
    assert said.errors == [
        '"broken.bvh" was skipped: "broken.bvh" is cut short: it has no MOTION section; save or download it again.'
    ]
    end = said.objects[-1]
    assert (end["clips"], end["read"], end["skipped"], end["status"]) == (3, 3, 1, 2)
    again = run(capfd, "library", "build", folder, "-o", out, "--json").objects[-1]
    assert (again["read"], again["reused"]) == (0, 3)


def test_invalid_library_commands_are_rejected_and_change_no_file(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine.npz").write_bytes(b"something else")
    out = tmp_path / "out.npz"
    cases: list[tuple[tuple[Any, ...], str]] = [
        (("build", tmp_path / "empty", "-o", out), "has no .bvh"),
        (("build", tmp_path / "none", "-o", out), "There is no folder"),
        (("build", tmp_path / "mine.npz", "-o", out), 'mine.npz" is neither a folder nor one of .blend, .bvh, '),
        (("info", tmp_path / "empty"), 'empty" is a folder; choose the library, which is a .npz file.'),
        (("build", folder, "-o", tmp_path / "out.bvh"), "a library is a .npz file"),
        (("build", folder, "-o", tmp_path / "mine.npz"), "it is not written over; remove it or choose another name."),
        (("build", folder, "-o", out, "--pattern", "walk"), "has no field"),
        (("build", folder, "-o", out, "--fps", "nan"), '--fps must be a number, not "nan".'),
        (("build", folder, "-o", out, "--shard", "4/3"), "is not a shard"),
        (("merge", out, "-o", tmp_path / "all.npz"), "There is no library"),
        (("merge", out, "-o", tmp_path / "mine.npz"), '"mine.npz" is there and cannot be read as a library'),
        (("info", tmp_path / "mine.npz"), "cannot be read as a library"),
        (("dance",), 'Unknown command "dance"; choose from '),
        ((), "COMMAND is required; see genmm library --help."),
    ]
    before = left_in(tmp_path)
    for words, sentence in cases:
        said = run(capfd, "library", *words)
        assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0], words
    assert left_in(tmp_path) == before and (tmp_path / "mine.npz").read_bytes() == b"something else"


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_reported(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    said = run(capfd, "library", "build", folder, "-o", closed / "all.npz")
    assert said.status == 1 and "could not be written" in said.errors[0]


@pytest.mark.processes
@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_unwritable_place_is_reported_before_clips_are_read(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    out = folder / "walk_old.bvh" / "all.npz"
    said = run(capfd, "library", "build", folder, "--output", out)
    assert said.status == 1 and said.lines == []
    assert len(said.errors) == 1 and f'"{out}" could not be written' in said.errors[0]
    assert not run(capfd, "library", "build", tmp_path / "none", "--output", tmp_path / "new" / "all.npz").lines
    assert sorted(tmp_path.iterdir()) == [folder]


def test_a_build_that_is_stopped_leaves_the_old_library_whole(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    out = tmp_path / "all.npz"
    run(capfd, "library", "build", folder, "-o", out)
    before = out.read_bytes()
    for number in range(400):
        (folder / f"more_{number:03}.bvh").write_text(lifting(number))
    process = started("library", "build", folder, "-o", out)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert "Stopped. All files written so far are complete.\n" in errors
    assert process.returncode == 1 and out.read_bytes() == before and left_in(tmp_path) >= {"all.npz"}
    assert not [name for name in left_in(tmp_path) if "unfinished" in name]


def test_a_tolerance_makes_notes_of_unusable_files(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    (folder / "broken.bvh").write_text(lifting(0)[:300])
    out = tmp_path / "out.npz"
    for tolerance, status in (("1", 0), ("25%", 0), ("100%", 0), ("0", 2), ("24.9%", 2), ("0%", 2)):
        said = run(capfd, "library", "build", folder, "-o", out, "--tolerate", tolerance)
        assert said.status == status and out.exists() == (status == 0), tolerance
        assert any('"broken.bvh" was skipped' in line for line in (said.errors if status else said.progress))
        out.unlink(missing_ok=True)
    for wrong in ("-1", "101%", "many", "1.5", "nan%"):
        said = run(capfd, "library", "build", folder, "-o", out, "--tolerate", wrong)
        assert said.status == 2 and not out.exists(), wrong


def test_the_sentence_on_the_skeleton_has_its_name_and_count(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    assert not any("skeleton" in line for line in run(capfd, "library", "build", folder, "-o", tmp_path / "a.npz").told)
    (folder / "tall.bvh").write_text(lifting(0).replace("OFFSET 0 1.0 0", "OFFSET 0 1.5 0"))
    said = run(capfd, "library", "build", folder, "-o", tmp_path / "b.npz")
    assert any("which 3 of 4 compared clips have; there are 2 in all" in line for line in said.told)
    said = run(capfd, "library", "build", folder, "-o", tmp_path / "b.npz", "--skeleton", "tall")
    assert any('The skeleton is that of "tall.bvh"' in line for line in said.told)


def test_shards_and_merge_come_to_the_whole(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    for number in (1, 2):
        run(capfd, "library", "build", folder, "-o", tmp_path / f"{number}.npz", "--shard", f"{number}/2")
    said = run(capfd, "library", "merge", tmp_path / "1.npz", tmp_path / "2.npz", "-o", tmp_path / "all.npz")
    assert said.status == 0 and said.lines[-1].endswith("all.npz: 3 clips, 120 frames, 0.1 minutes.")
    run(capfd, "library", "build", folder, "-o", tmp_path / "whole.npz")
    assert (tmp_path / "all.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_missing_shard_is_named_and_nothing_merged(tmp_path: Path, capfd: Capture, folder: Path) -> None:
    shards = tmp_path / "shards"
    shards.mkdir()
    for number in (1, 2, 3):
        run(capfd, "library", "build", folder, "-o", shards / f"{number}.npz", "--shard", f"{number}/3")
    (shards / "2.npz").unlink()
    said = run(capfd, "library", "merge", shards, "-o", tmp_path / "all.npz")
    assert said.status == 2 and not (tmp_path / "all.npz").exists()
    assert said.errors == ["Shard 2 of 3 is missing, and with it a share of the clips; build it with --shard 2/3."]
    # Shards of an earlier split may be beside all of the last.
    for number in (1, 2):
        run(capfd, "library", "build", folder, "-o", shards / f"{number}.npz", "--shard", f"{number}/2")
    assert run(capfd, "library", "merge", shards, "-o", tmp_path / "all.npz").status == 0


def test_actions_of_a_blend_bring_tags_catalogs_and_marked_ranges(tmp_path: Path, capfd: Capture) -> None:
    takes = tmp_path / "takes"
    takes.mkdir()
    _, rig = saved_character(takes)
    action = rig.animation_data.action
    name = action.name
    action.asset_mark()
    action.asset_data.tags.new("style=old")
    action.asset_data.tags.new("outdoors")
    action.asset_data.catalog_id = "11111111-2222-3333-4444-555555555555"
    (takes / "blender_assets.cats.txt").write_text(
        "# This is an Asset Catalog Definition file\nVERSION 1\n\n"
        "11111111-2222-3333-4444-555555555555:Walks/Tired:Walks-Tired\n"
    )
    start = action.frame_range[0]
    for frame, text in (
        (start + 20, "omit=yes"),
        (start + 30, "omit="),
        (start + 40, "mood=sad"),
        (start + 3, "hello"),
    ):
        action.pose_markers.new(text).frame = int(frame)
    save(takes, "hero")
    out = tmp_path / "all.npz"
    said = run(capfd, "library", "build", takes, "-o", out)
    assert said.status == 0, said.errors
    library = load_library(out)
    asset = {"style": "old", "outdoors": "", "catalog": "Walks/Tired"}
    assert [(clip.frames, dict(clip.tags)) for clip in library.clips] == [
        (20, asset),
        (10, asset),
        (20, asset | {"mood": "sad"}),
    ]
    assert all(clip.source.startswith(f"hero.blend:{name} [") for clip in library.clips)
    assert list(bpy.data.objects) == [rig], "the open file stays as it is"
    again = run(capfd, "library", "build", takes, "-o", out, "--json").objects[-1]
    assert (again["read"], again["reused"]) == (0, 3)


def test_a_real_folder_of_gltf_files_is_read(tmp_path: Path, capfd: Capture) -> None:
    gltf = Path("/work/shared/motions/gltf/RobotExpressive.glb")
    if not gltf.exists():
        pytest.skip("no real motions here")
    (tmp_path / "takes").mkdir()
    (tmp_path / "takes" / "robot.glb").write_bytes(gltf.read_bytes())
    said = run(capfd, "library", "build", tmp_path / "takes", "-o", tmp_path / "all.npz")
    library = load_library(tmp_path / "all.npz")
    assert said.status in (0, 2) and len(library.clips) >= 10
    assert np.isfinite(library.rotations).all()
