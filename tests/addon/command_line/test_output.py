# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of commands: results and progress apart, and events as JSON."""

import io
import json
import os
from pathlib import Path
from typing import Any

import bpy
import pytest
from bvh_files import walker
from commands import run, started

from genmm_addon.command_line import console
from genmm_addon.command_line.console import Console, Voice

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def library(tmp_path: Path, capfd: Capture, extension: None) -> Path:
    for name in ("walk_a.bvh", "walk_b.bvh"):
        (tmp_path / name).write_text(walker())
    run(capfd, "library", "build", tmp_path, "--pattern", "{action}_{take}", "-o", tmp_path / "all.npz")
    return tmp_path / "all.npz"


def test_results_are_on_standard_output_and_progress_is_not(tmp_path: Path, capfd: Capture, library: Path) -> None:
    words = ("generate", tmp_path / "walk_a.bvh", "--frames", 40, "--seeds", "0-1", "-o")
    said = run(capfd, *words, tmp_path / "text_{seed}.npz")
    assert said.lines == ["2 motions written."]
    assert [line for line in said.progress if line[:3] in ("1/2", "2/2")] == said.progress[-2:]
    assert run(capfd, *words, tmp_path / "quiet_{seed}.npz", "--quiet").told == []
    shown = run(capfd, "library", "info", library, "--quiet")
    assert shown.progress == [] and shown.lines == run(capfd, "library", "info", library).lines


def test_each_line_of_json_is_an_event(tmp_path: Path, capfd: Capture, library: Path) -> None:
    search = ("library", "search", library, "--motion", "walk_a", "--frames", "1-20", "--count", "2")
    for words, event in (
        (("info", tmp_path / "walk_a.bvh"), "file"),
        (("library", "info", library), "library"),
        (search, "stretch"),
        (("library", "clusters", library), "cluster"),
        (("measure", library, "--library", library), "measures"),
        (("edit", tmp_path / "walk_a.bvh"), "attributes"),
        (("repair", tmp_path / "walk_a.bvh", "--list"), "flaw"),
        (("library", "info", tmp_path / "none.npz"), "error"),
        (("library", "clusters", tmp_path / "none.npz"), "error"),
    ):
        said = run(capfd, *words, "--json")
        assert {each["event"] for each in said.objects[:-1]} <= {event, "note"}, (words, said.errors)
        assert [each["event"] for each in said.objects].count("end") == 1
        assert said.objects[-1]["event"] == "end" and said.objects[-1]["seconds"] >= 0


def test_the_former_json_is_kept_for_a_version(tmp_path: Path, capfd: Capture, library: Path) -> None:
    former: Any = run(capfd, "library", "info", library, "--old-json").objects
    (event,) = run(capfd, "library", "info", library, "--json").answers
    assert former == [[{name: value for name, value in event.items() if name != "event"}]]
    (measures,) = run(capfd, "measure", library, "--library", library, "--old-json").objects
    assert "fid" in measures and "event" not in measures


def test_progress_as_text_has_few_lines_and_always_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(console.time, "monotonic", lambda: now)
    lines, errors = io.StringIO(), io.StringIO()
    output = Console(lines, errors, Voice.TEXT)
    for number in range(1, 1001):
        now += 0.01
        output.progress("file", f"{number}/1000", number / 1000)
    told = errors.getvalue().split()
    assert told[0] == "1/1000" and told[-1] == "1000/1000" and 50 <= len(told) <= 110
    assert lines.getvalue() == ""


def test_a_farm_reads_progress_and_notes_on_standard_output() -> None:
    lines, errors = io.StringIO(), io.StringIO()
    output = Console(lines, errors, Voice.OPENJD)
    output.note("short")
    output.progress("file", "1/2 a", 0.5)
    assert lines.getvalue().splitlines() == ["Note: short", "1/2 a", "openjd_progress: 50.0"]
    assert errors.getvalue() == ""


def test_a_result_of_several_inputs_names_its_input() -> None:
    lines = io.StringIO()
    Console(lines, io.StringIO(), Voice.JSON).of_one("a.bvh", 0, 2).answer("x", "flaw", [{"first": 1}])
    assert json.loads(lines.getvalue()) == {"event": "flaw", "input": "a.bvh", "first": 1}


def test_what_blender_prints_as_it_starts_is_not_among_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 5.2 on, it says which color configuration it uses where OCIO names one."""
    monkeypatch.setenv("OCIO", os.path.join(bpy.utils.resource_path("LOCAL"), "datafiles/colormanagement/config.ocio"))
    process = started("info", "--json", tmp_path / "none.bvh")
    lines, errors = process.communicate(timeout=120)
    assert [json.loads(line)["event"] for line in lines.splitlines()] == ["error", "end"]
    assert "color_management" in errors or bpy.app.version < (5, 2)


@pytest.mark.parametrize("ending", [".bvh", ".GLB", ".npz"])
def test_no_log_is_appended_to_a_motion(tmp_path: Path, capfd: Capture, ending: str) -> None:
    walk, other = tmp_path / "walk.bvh", tmp_path / f"other{ending}"
    for path in (walk, other):
        path.write_text(walker())
    said = run(capfd, "info", walk, "--log", other)
    assert said.status == 2 and "would be a file with motion" in said.errors[0]
    assert other.read_text() == walker()
