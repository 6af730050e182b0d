# SPDX-License-Identifier: GPL-3.0-or-later
"""The job templates that edit each file of a folder, run by Open Job Description's own command."""

import shutil
import subprocess
from pathlib import Path

import job_templates
import pytest
from clip_libraries import sample_motions
from commands import left_in, run

from genmm_addon.core import load_bvh, save_bvh
from genmm_addon.core.library import Clip, library_of, save_library

OWN = {
    "restyle": {"StyleFile": "tired.bvh", "OutputFormat": "bvh"},
    "repair": {"Kinds": "jitter,slides"},
    "natural": {"Frames": "20-40", "OutputFormat": "bvh"},
    "retarget": {"CharacterFile": "tired.bvh", "OutputFormat": "bvh"},
}
"""Parameters of each template that it needs, or that differ from the defaults."""

pytestmark = job_templates.MARKS


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """Return a folder of three walks, with a file among them that is cut short."""
    folder = tmp_path / "takes"
    folder.mkdir()
    walk = sample_motions(30.0)["GenMM Walk"]
    for number in range(3):
        save_bvh(folder / f"walk_{number}.bvh", walk.slice(10 * number, 10 * number + 60))
    (folder / "walk_1b.bvh").write_text((folder / "walk_1.bvh").read_text()[:900])
    save_bvh(tmp_path / "tired.bvh", sample_motions(30.0)["GenMM Walk Tired"].slice(0, 90))
    return folder


def job(folder: Path, takes: Path, name: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a template's job in two shards."""
    values = {"Folder": takes, "OutputFolder": folder / "out", "Shards": "1-2", "ShardCount": 2}
    return job_templates.job(folder, name, values | OWN[name], *more)


@pytest.mark.parametrize("name", sorted(path.stem for path in job_templates.TEMPLATES.glob("*.yaml")))
def test_each_template_passes_the_check(name: str) -> None:
    command = [*job_templates.OPENJD, "check", str(job_templates.TEMPLATES / f"{name}.yaml")]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("name", OWN)
def test_a_bad_file_does_not_end_a_job(tmp_path: Path, takes: Path, name: str) -> None:
    ended = job(tmp_path, takes, name)
    assert ended.returncode == 0, ended.stdout
    assert left_in(tmp_path / "out") == {f"walk_{number}.bvh" for number in range(3)}
    assert "Note: " in ended.stdout and '"walk_1b.bvh" is cut short' in ended.stdout
    assert "openjd_fail" not in ended.stdout
    assert all(load_bvh(tmp_path / "out" / f"walk_{number}.bvh").frames == 60 for number in range(3))


def test_more_bad_files_than_tolerated_fail_a_job(tmp_path: Path, takes: Path) -> None:
    ended = job(tmp_path, takes, "repair", "-p", "Tolerance=40%")
    assert ended.returncode != 0 and "1 of 2 inputs cannot be edited, and --tolerate allows 40%" in ended.stdout


def test_a_wrong_parameter_is_no_bad_file(tmp_path: Path, takes: Path) -> None:
    ended = job(tmp_path, takes, "restyle", "-p", "StyleFile=tried.bvh")
    assert ended.returncode != 0 and 'tried.bvh" is neither an action nor a file' in ended.stdout


WRONG = {
    "restyle": ("--style", "tried.bvh"),
    "natural": ("--range", "20-40", "--library", "missing.npz"),
    "repair": ("--tags", "style=tired"),
    "retarget": ("--onto", "missing.blend"),
    "edit": ("--example", "cut.bvh", "--attribute", "speed=1.1x"),
    "ground": ("--ground", "missing.obj"),
    "reach": ("--reach", "nowhere"),
}
"""Commands with an option that is wrong for any input."""


@pytest.mark.parametrize("command", WRONG)
def test_a_wrong_option_is_not_tolerated_in_a_shard_of_one_file(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (takes / "walk_1b.bvh").rename("cut.bvh")
    words = (takes, "--shard", "3/3", "--tolerate", "1", "-o", "{name}_done.bvh")
    said = run(capfd, command, *words, *WRONG[command])
    assert said.status == 2 and len(said.errors) == 1
    assert not any(line.startswith("Note") for line in said.told)


def test_a_shard_of_one_unusable_file_is_tolerated(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("restyle", takes, "--style", tmp_path / "tired.bvh", "-o", tmp_path / "{name}.bvh", "--shard", "3/4")
    assert run(capfd, *words, "--tolerate", 1).status == 0
    assert run(capfd, *words, "--tolerate", 0).status == 2


def test_a_shard_of_unreadable_files_is_tolerated_unlike_options_that_suit_no_file(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("restyle", "-o", tmp_path / "{name}.bvh", "--tolerate", "100%", "--style", tmp_path / "tired.bvh")
    (takes / "empty.fbx").touch()
    said = run(capfd, *words, takes / "walk_1b.bvh", takes / "empty.fbx")
    assert said.status == 0 and 'Note: "empty.fbx" is empty; save or download it again.' in said.told
    said = run(capfd, *words, takes, "--action", "jump")
    assert said.status == 2 and "None of 5 inputs can be used" in said.errors[0]


def test_shards_take_turns_and_may_be_more_than_the_files(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("repair", takes, "--tolerate", "1", "-o", tmp_path / "{name}_done.bvh", "--shard")
    for number, files in ((2, {"walk_1"}), (5, set())):
        said = run(capfd, *words, f"{number}/5")
        assert said.status == 0 and not said.errors
        assert {path.stem.removesuffix("_done") for path in tmp_path.glob("*_done.bvh")} == files
        for path in tmp_path.glob("*_done.bvh"):
            path.unlink()


def test_libraries_may_be_a_folder_and_unset_options_empty(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    walk = sample_motions(30.0)["GenMM Walk"]
    (tmp_path / "shards").mkdir()
    for number in range(2):
        library = library_of([walk.slice(40 * number, 40 * number + 90)], [Clip(f"w{number}", f"{number}.bvh", 0, 0)])
        save_library(tmp_path / "shards" / f"{number}.npz", library)
    empty = ("--tags", "", "--labels", "", "--library-frames", "", "--settings", ".", "--armature", "")
    said = run(capfd, "generate", "--library", tmp_path / "shards", *empty, "--frames", 60, "-o", tmp_path / "a.npz")
    assert said.status == 0, said.errors
    files = [word for number in (1, 0) for word in ("--library", tmp_path / "shards" / f"{number}.npz")]
    assert run(capfd, "generate", *files, "--frames", 60, "-o", tmp_path / "b.bvh").status == 0
    assert run(capfd, "generate", *files[2:], *files[:2], "--frames", 60, "-o", tmp_path / "c.bvh").status == 0
    assert (tmp_path / "b.bvh").read_bytes() == (tmp_path / "c.bvh").read_bytes()
    (tmp_path / "none").mkdir()
    said = run(capfd, "generate", "--library", tmp_path / "none", "--frames", 60, "-o", tmp_path / "d.npz")
    assert said.status == 2 and "contains no library" in said.errors[0]


def test_inputs_of_one_name_do_not_replace_each_others_results(
    tmp_path: Path, takes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(takes / "walk_1.bvh", again)
    words = ("repair", takes, again, "-o", tmp_path / "{name}_done.bvh", "--force")
    numbers = range(1, 5)
    ended = [run(capfd, *words, "--tolerate", 1, "--shard", f"{number}/4") for number in numbers]
    notes = [line for said in ended for line in said.told if "would be written twice" in line]
    assert [said.status for said in ended].count(0) == len(numbers) and len(notes) == 1
    assert run(capfd, *words).status == 2
