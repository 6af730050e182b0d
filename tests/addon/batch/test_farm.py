# SPDX-License-Identifier: GPL-3.0-or-later
"""The job template for farms, run by Open Job Description's own command with a real Blender."""

import json
import subprocess
from pathlib import Path

import job_templates
import pytest
from commands import left_in, run, saved_character

pytestmark = job_templates.MARKS


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


def job(hero: Path, out: Path, *more: str, step: str = "Gather") -> subprocess.CompletedProcess[str]:
    """Run a step of the job, after all steps that it depends on."""
    values = {"InputFile": hero, "OutputFolder": out, "Frames": 40, "Seeds": "0-7", "SeedsPerTask": 3}
    return job_templates.job(hero.parent, "generate", values, "--step", step, "--run-dependencies", *more)


def test_a_local_run_does_the_whole_job(tmp_path: Path, hero: Path) -> None:
    out = tmp_path / "out"
    ended = job(hero, out)
    assert ended.returncode == 0, ended.stdout
    files = {f"motion_{seed:06}.npz" for seed in range(8)}
    assert left_in(out) == files | {"motions.json"}
    listed = json.loads((out / "motions.json").read_text())["motions"]
    assert {entry["file"] for entry in listed} == files
    assert ended.stdout.count("Running Task") == 3 + 1, "three chunks of seeds, and the gathering"
    for word in ("openjd_progress: 100.0", "openjd_status: Generating from hero"):
        assert word in ended.stdout


def test_failures_are_reported_in_the_format_a_farm_shows(tmp_path: Path, hero: Path) -> None:
    ended = job(hero, tmp_path / "out", "-p", "Character=Nobody")
    assert ended.returncode != 0
    assert 'openjd_fail: There is no armature "Nobody" in the scene of "hero.blend"; available: "Hero".' in ended.stdout
    assert left_in(tmp_path / "out") == set()


def test_two_workers_make_the_bytes_that_one_makes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], hero: Path
) -> None:
    for name, seeds in (("one", ["0-3"]), ("two", ["0-1", "2-3"])):
        for part in seeds:
            assert job(hero, tmp_path / name, "-p", f"Seeds={part}", step="Generate").returncode == 0
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.npz")} for name in ("one", "two"))
    assert len(one) == 4 and one == two
    run(capfd, "generate", hero, "--frames", 40, "--seeds", "0-3", "-o", tmp_path / "here" / "motion_{seed:06}.npz")
    assert {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()} == one
