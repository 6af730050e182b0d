# SPDX-License-Identifier: GPL-3.0-or-later
"""The job template that builds a library in shards, run by Open Job Description's own command."""

import shutil
import subprocess
from pathlib import Path

import job_templates
import pytest
from bvh_files import lifting
from commands import left_in, run

from genmm_addon.core.library import load_library

pytestmark = job_templates.MARKS


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    folder = tmp_path / "takes"
    folder.mkdir()
    for number in range(5):
        (folder / f"walk_{number}.bvh").write_text(lifting(10 * number))
    return folder


def job(folder: Path, takes: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the job: two shards, and their merge into a library."""
    values = {
        "Folder": takes,
        "Shards": "1-2",
        "ShardCount": 2,
        "ShardFolder": folder / "shards",
        "Library": folder / "all.npz",
    }
    return job_templates.job(folder, "library", values, "--step", "Merge", "--run-dependencies", *more)


def test_the_job_makes_the_library_that_one_machine_makes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], takes: Path
) -> None:
    ended = job(tmp_path, takes, "-p", "Pattern={action}_{take}")
    assert ended.returncode == 0, ended.stdout
    assert left_in(tmp_path / "shards") == {"shard_1.npz", "shard_2.npz"}
    assert ended.stdout.count("Running Task") == 2 + 1 and "openjd_progress: 100.0" in ended.stdout
    run(capfd, "library", "build", takes, "-o", tmp_path / "one.npz", "--pattern", "{action}_{take}", "--fps", 30)
    assert (tmp_path / "all.npz").read_bytes() == (tmp_path / "one.npz").read_bytes()
    assert dict(load_library(tmp_path / "all.npz").clips[0].tags) == {"action": "walk", "take": "0"}


def test_unusable_clips_are_notes_up_to_the_tolerance(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], takes: Path
) -> None:
    (takes / "cut.bvh").write_text(lifting(0)[:800])
    (takes / "walk_1a.bvh").write_text("not a motion")
    ended = job(tmp_path, takes, "-p", "Tolerance=2", "-p", "Skeleton=walk_4", "-p", "Copies=prune")
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.count('Note: "cut.bvh" was skipped') == 2 and "openjd_fail" not in ended.stdout
    said = run(capfd, "library", "info", tmp_path / "all.npz", "--json").objects[0]
    assert said["clips"] == 5 and sorted(said["left_out"]) == ["cut.bvh", "walk_1a.bvh"]
    (tmp_path / "all.npz").unlink()
    ended = job(tmp_path, takes, "-p", "Tolerance=20%")
    assert ended.returncode != 0 and not (tmp_path / "all.npz").exists()
    assert "2 of 7 files cannot be used, and --tolerate allows 20%" in ended.stdout


def test_the_library_is_the_same_wherever_its_files_are(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], takes: Path
) -> None:
    (takes / "cut.fbx").write_bytes(b"Kaydara FBX Binary  ")  # Blender's message names the file with its path
    ended = job(tmp_path, takes, "-p", "Tolerance=1")
    assert ended.returncode == 0, ended.stdout
    elsewhere = shutil.copytree(takes, tmp_path / "on another machine")
    run(capfd, "library", "build", elsewhere, "-o", tmp_path / "one.npz", "--fps", 30, "--tolerate", 1)
    assert (tmp_path / "all.npz").read_bytes() == (tmp_path / "one.npz").read_bytes()


def test_shards_may_be_more_than_the_files(tmp_path: Path, capfd: pytest.CaptureFixture[str], takes: Path) -> None:
    shards = [tmp_path / f"shard_{number}.npz" for number in range(1, 8)]
    for number, shard in enumerate(shards, start=1):
        assert run(capfd, "library", "build", takes, "-o", shard, "--shard", f"{number}/7").status == 0
    run(capfd, "library", "merge", *shards, "-o", tmp_path / "all.npz")
    run(capfd, "library", "build", takes, "-o", tmp_path / "one.npz")
    assert (tmp_path / "all.npz").read_bytes() == (tmp_path / "one.npz").read_bytes()


def test_failures_are_reported_in_the_format_a_farm_shows(tmp_path: Path, takes: Path) -> None:
    ended = job(tmp_path, takes, "-p", "Folder=nowhere")
    assert ended.returncode != 0 and "openjd_fail: There is no folder" in ended.stdout
