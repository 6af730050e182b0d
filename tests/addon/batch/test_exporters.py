# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports by several Blenders at once: the files equal those of one Blender, and no process outlives the command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import walker
from commands import ended, left_in, nobody_left, run, saved_character, started

from genmm_addon.command_line.outputs.exports import Scored
from genmm_addon.command_line.outputs.whole_files import is_whole
from genmm_addon.command_line.processes import exporters
from genmm_addon.command_line.processes.exporters import Further
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.generate import Request, read

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


@pytest.fixture
def by_others(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Make a further Blender write every file, after waiting for its start; return these files."""
    written: list[Path] = []
    write = Further.write

    def has_room(further: Further) -> bool:
        until = time.monotonic() + 60
        while not further.ready and not further.failed and time.monotonic() < until:
            if any(future.done() and future.exception() for future in further.asked):
                break  # The Blender has died and will never have room again.
            time.sleep(0.01)
        assert further.failed == []
        return True

    def noted(further: Further, file: exporters.File) -> object:
        written.append(file[0])
        return write(further, file)

    monkeypatch.setattr(Further, "has_room", has_room)
    monkeypatch.setattr(Further, "write", noted)
    # Nothing is taken back at the end either.
    monkeypatch.setattr(exporters.Future, "cancel", lambda _future: False)
    return written


def rotations(path: Path) -> list[np.ndarray]:
    """Return the rotations of each bone, of every character and action in the file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    requests = [Request(found.armature, found.examples, frames=1) for found in import_file(path, bpy.context)]
    readings = [read(request, bpy.context.scene).reading for request in requests]
    return [motion.rotations for reading in readings for motion in reading.motions]


@pytest.mark.processes
def test_bvh_files_are_the_same_bytes(tmp_path: Path, capfd: Capture, hero: Path, by_others: list[Path]) -> None:
    words = ("generate", hero, "--frames", 30, "--seeds", "0-7", "--fps", 30, "-o")
    said = run(capfd, *words, tmp_path / "one" / "{seed}.bvh", "--jobs", 1)
    assert (said.status, said.errors) == (0, [])
    said = run(capfd, *words, tmp_path / "two" / "{seed}.bvh", "--jobs", 3)
    assert (said.status, said.errors) == (0, [])
    assert said.told == [f"{seed + 1}/8 {tmp_path / 'two' / f'{seed}.bvh'}" for seed in range(8)] + [
        "8 motions written."
    ]
    assert len(by_others) == 8
    for seed in range(8):
        assert (tmp_path / "one" / f"{seed}.bvh").read_bytes() == (tmp_path / "two" / f"{seed}.bvh").read_bytes()
    assert len(left_in(tmp_path / "two")) == 8


@pytest.mark.parametrize("ending", ["blend", "fbx", "glb"])
def test_other_files_hold_the_same_motion(
    tmp_path: Path, capfd: Capture, hero: Path, ending: str, by_others: list[Path]
) -> None:
    words = ("generate", hero, "--frames", 30, "--seeds", "5-6", "--result", "new-character", "-o")
    for name, jobs in (("one", 1), ("two", 2)):
        said = run(capfd, *words, tmp_path / name / f"{{seed}}.{ending}", "--jobs", jobs)
        assert (said.status, said.errors) == (0, [])
    assert len(by_others) == 2
    one, two = (rotations(tmp_path / name / f"6.{ending}") for name in ("one", "two"))
    assert len(one) == len(two) > 0
    assert all(np.array_equal(first, second) for first, second in zip(one, two, strict=True))


def test_parallel_exporters_share_motion_files_and_examples_learned_together(
    tmp_path: Path, capfd: Capture, by_others: list[Path]
) -> None:
    for name in ("walk", "wave"):
        (tmp_path / f"{name}.bvh").write_text(walker())
    words = ("generate", tmp_path / "walk.bvh", tmp_path / "wave.bvh", "--together", "--frames", 70, "--seeds", "0-2")
    for name, jobs in (("one", 1), ("two", 2)):
        said = run(capfd, *words, "-o", tmp_path / name / "{seed}.bvh", "--jobs", jobs)
        assert (said.status, said.errors) == (0, [])
    assert len(by_others) == 3
    for seed in range(3):
        assert (tmp_path / "one" / f"{seed}.bvh").read_bytes() == (tmp_path / "two" / f"{seed}.bvh").read_bytes()


def test_without_a_further_blender_this_one_writes_all_and_says_so(
    tmp_path: Path, capfd: Capture, hero: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_folder: object) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-c", "raise SystemExit(3)"]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(exporters, "_start", broken)
    has_room = Further.has_room

    def waiting(further: Further) -> bool:
        until = time.monotonic() + 60
        while not further.failed and time.monotonic() < until:
            time.sleep(0.01)
        return has_room(further)

    monkeypatch.setattr(Further, "has_room", waiting)
    said = run(capfd, "generate", hero, "--frames", 20, "--seeds", "0-2", "--jobs", 2, "-o", tmp_path / "{seed}.bvh")
    assert (said.status, said.errors) == (0, [])
    assert said.told[-2].startswith("Note: Some export processes could not be used: A process that exports ended (st")
    assert said.lines[-1] == "3 motions written."


def test_exporting_blender_that_dies_is_reported(
    tmp_path: Path, capfd: Capture, hero: Path, by_others: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    have_written = exporters._have_written

    def dying(process: "subprocess.Popen[bytes]", path: Path, made: Scored) -> None:
        process.kill()
        process.wait()
        have_written(process, path, made)

    monkeypatch.setattr(exporters, "_have_written", dying)
    out = tmp_path / "out"
    said = run(capfd, "generate", hero, "--frames", 20, "--seeds", "0-2", "--jobs", 2, "-o", out / "{seed}.bvh")
    killed = "was ended by the signal SIGKILL" if os.name != "nt" else "ended (status 1)"
    sentence = f"A process that exports {killed}, possibly out of memory; use fewer with --jobs."
    assert (said.status, said.errors) == (1, [sentence])
    assert left_in(out) == set()


def test_unsaved_changes_are_exported_by_this_blender(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    bpy.data.objects["Hero"].location.x = 3
    bpy.ops.ed.undo_push(message="so that the file differs from what is open")
    assert exporters.source_of(None, "Hero", None, (), Scored(*[None] * 4)) is None


@pytest.mark.processes
@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize(("ending", "number"), [("fbx", signal.SIGKILL), ("glb", signal.SIGTERM)])
def test_no_further_blender_outlives_the_command(
    tmp_path: Path, hero: Path, ending: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, out = tmp_path / "temporary", tmp_path / "out"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    words = ("generate", hero, "--frames", 40, "--seeds", "0-499", "--jobs", 3, "-o", out / f"{{seed}}.{ending}")
    process = started(*words, start_new_session=True)
    until = time.monotonic() + 90
    # Several files are begun at the same time once the other Blenders work.
    while time.monotonic() < until and len(list(out.glob(".*.unfinished.*"))) < 2:
        time.sleep(0.005)
    process.send_signal(number)
    said = ended(process)
    assert nobody_left(process.pid)
    if number == signal.SIGTERM:
        assert said.status == 1
        assert not any(name.startswith(".") for name in left_in(out))
        assert list(temporary.iterdir()) == []
    assert all(is_whole(path) for path in out.glob("[!.]*"))
    said = ended(started(*words[:5], "0-1", "--resume", "-o", out / f"{{seed}}.{ending}"))
    assert said.status == 0 and not any(name.startswith(".") for name in left_in(out))
