# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are killed, interrupted, or find no free space: files are complete, and none is made twice."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from commands import ended, left_in, nobody_left, run, saved_character, started

from genmm_addon.command_line.errors import Stopped
from genmm_addon.command_line.outputs.whole_files import is_whole, whole_file
from genmm_addon.core.motion import load_motion, save_arrays
from genmm_addon.core.storage import clear_leftovers

Capture = pytest.CaptureFixture[str]
KILLS = 3
"""Number of runs that are killed; each starts Blender. Kills during the writing of a file have a test of their own."""
SEEDS = 40
WRITING = ("whole_files.py", "unfinished.py", "npz.py")
"""Names of the modules that write files."""

pytestmark = [
    pytest.mark.processes,
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them"),
]


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


def wait_for_some(folder: Path, count: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and len(list(folder.glob("[0-9]*.npz"))) < count:
        time.sleep(0.002)


def test_killed_again_and_again_every_motion_is_made_once_and_whole(tmp_path: Path, hero: Path) -> None:
    out = tmp_path / "out"
    words = ("generate", hero, "--frames", 60, "--seeds", f"0-{SEEDS - 1}", "--resume", "--jobs", 2)
    output = ("-o", out / "{seed:03}.npz")
    chance = random.Random(5)
    known: dict[str, int] = {}
    for kill in range(KILLS):
        process = started(*words, *output, start_new_session=True)
        # The run is killed during its work, which begins with the next file.
        wait_for_some(out, min(len(known) + 1, SEEDS))
        time.sleep((kill + chance.random()) / KILLS * 0.06)
        process.kill()
        process.communicate()
        assert nobody_left(process.pid), "a process that synthesized lives on"
        found = {path.name: path.stat().st_mtime_ns for path in out.glob("[0-9]*.npz")}
        assert known.items() <= found.items(), f"a motion was made again after kill {kill}"
        assert all(is_whole(out / name) for name in found)
        known = found
    assert len(known) > 0
    said = ended(started(*words, *output))
    assert said.status == 0
    assert said.lines[-1] == f"{SEEDS - len(known)} motions written, {len(known)} already existed."
    assert left_in(out) == {f"{seed:03}.npz" for seed in range(SEEDS)}
    assert known.items() <= {path.name: path.stat().st_mtime_ns for path in out.iterdir()}.items()
    once = tmp_path / "once"
    ended(started("generate", hero, "--frames", 60, "--seeds", f"0-{SEEDS - 1}", "-o", once / "{seed:03}.npz"))
    for name in left_in(out):
        assert (out / name).read_bytes() == (once / name).read_bytes()


def killed_at(line: int, work: Callable[[], None]) -> bool:
    """Return whether a copy of this process was killed at the given line of those that write files, before its end."""
    child = os.fork()
    if not child:
        lines = 0

        def trace(frame: FrameType, event: str, _argument: object) -> Any:
            nonlocal lines
            if Path(frame.f_code.co_filename).name not in WRITING:
                return None
            lines += event == "line"
            if lines == line:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        work()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def test_file_interrupted_at_any_line_of_writing_is_complete_or_unchanged(tmp_path: Path) -> None:
    path, lines = tmp_path / "walk.npz", 0

    def write(value: float) -> None:
        with whole_file(path) as unfinished, unfinished.open("wb") as file:
            save_arrays(file, {"rotations": np.full((4, 2, 4), value), "seed": np.array(3)})

    write(1.0)
    before = path.read_bytes()
    while killed_at(lines + 1, lambda: write(2.0)):
        lines += 1
        with np.load(path) as arrays:
            assert set(arrays["rotations"].ravel()) <= {1.0, 2.0}
        assert is_whole(path) and len(left_in(tmp_path)) <= 2
        clear_leftovers(tmp_path)
        assert left_in(tmp_path) == {"walk.npz"}
        path.write_bytes(before)
    assert lines > 40, "the lines that write were not seen"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_ends_at_once_and_leaves_whole_files(tmp_path: Path, hero: Path, number: int) -> None:
    out = tmp_path / "out"
    words = ("generate", hero, "--frames", 200, "--seeds", "0-999", "--jobs", 2, "-o", out / "{seed:03}.npz")
    process = started(*words, start_new_session=True)
    wait_for_some(out, 3)
    # As in a terminal, all processes of the group receive the signal.
    os.killpg(process.pid, number)
    made = len(left_in(out))
    said = ended(process)
    assert len(left_in(out)) < made + SEEDS, "of a thousand"
    assert said.status == 1
    assert said.errors == ["Stopped. All files written so far are complete; use --resume to continue."]
    assert nobody_left(process.pid)
    assert 3 <= len(left_in(out)) < 1000
    assert not any(".unfinished" in name for name in left_in(out))
    assert all(load_motion(path).frames == 200 for path in out.iterdir())


@pytest.mark.parametrize("command", ["generate", "crowd"])
def test_interrupted_while_it_writes_it_leaves_nothing_of_the_file(
    tmp_path: Path, capfd: Capture, hero: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise Stopped

    monkeypatch.setattr(np.lib.format, "write_array", stop)
    said = run(capfd, command, hero, "-o", tmp_path / "x.npz")
    assert said.status == 1
    assert said.errors == ["Stopped. All files written so far are complete; use --resume to continue."]
    assert left_in(tmp_path) == {"hero.blend"}


@pytest.mark.parametrize("ending", ["npz", "blend", "bvh", "fbx", "glb"])
def test_without_room_nothing_half_written_is_left(tmp_path: Path, hero: Path, ending: str) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))

    out = tmp_path / "out"
    words = ("generate", hero, "--frames", 300, "-o", out / f"{{seed}}.{ending}")
    said = ended(started(*words, preexec_fn=little_room))
    assert said.status == 1
    assert said.errors == [f'"{out / f"0.{ending}"}" could not be written: File too large.']
    assert left_in(out) == set()


@pytest.mark.parametrize("ending", ["npz", "blend", "glb"])
def test_unusable_output_folder_is_reported_in_one_sentence(
    tmp_path: Path, capfd: Capture, hero: Path, ending: str
) -> None:
    said = run(capfd, "generate", hero, "--frames", 20, "-o", hero / f"{{seed}}.{ending}")
    assert said.status == 1 and len(said.errors) == 1 and "could not be written" in said.errors[0]
    assert left_in(tmp_path) == {"hero.blend"}


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk takes root on Linux")
@pytest.mark.parametrize("ending", ["npz", "blend", "fbx"])
def test_full_disk_is_reported(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("No disk can be mounted here.")
    try:
        said = run(capfd, "generate", hero, "--frames", 900, "--gallery", "-o", disk / f"{{seed}}.{ending}")
        assert left_in(disk) == set()
    finally:
        subprocess.run(["umount", disk], check=True)
    assert said.errors == [f'"{disk / f"0.{ending}"}" could not be written: No space left on device.']
    assert said.status == 1


def test_unreadable_archive_is_not_considered_complete(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    path = tmp_path / "0.npz"
    words = ("generate", hero, "--frames", 20, "--resume", "-o", path)
    assert run(capfd, *words).status == 0
    good = path.read_bytes()
    assert is_whole(path)
    for broken in _broken_archives(good):
        path.write_bytes(broken)
        assert not is_whole(path)
        said = run(capfd, *words)
        assert (said.status, said.lines[-1]) == (0, "1 motion written.")
        assert path.read_bytes() == good


def _broken_archives(good: bytes) -> Iterator[bytes]:
    """Yield the archive encrypted, with an unknown method, empty, cut, and with random bytes changed."""
    for place, value in ((8, 1), (10, 99)):  # the flags and the method in a directory entry
        changed = bytearray(good)
        start = changed.find(b"PK\x01\x02")
        while start >= 0:
            changed[start + place] = value
            start = changed.find(b"PK\x01\x02", start + 4)
        yield bytes(changed)
    yield b""
    yield good[:-30]
    yield good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 255]) + good[len(good) // 2 + 1 :]


def test_a_blend_that_was_cut_short_is_one_sentence(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    for share in (0.0, 0.01, 0.3, 0.7):
        cut = tmp_path / "cut.blend"
        cut.write_bytes(hero.read_bytes()[: int(share * hero.stat().st_size)])
        said = run(capfd, "generate", cut, "-o", tmp_path / "x_{seed}.npz")
        assert said.status == 2 and len(said.errors) == 1 and "cut" in said.errors[0]
    assert left_in(tmp_path) == {"hero.blend", "cut.blend"}


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("exit 3", "ended (status 3)"),
        ("kill -9 $$", "was ended by the signal SIGKILL"),
        ("exec 0<&- 1>&-; sleep 1; exit 4", "ended (status 4)"),
    ],
)
def test_worker_that_dies_is_reported(
    tmp_path: Path, capfd: Capture, hero: Path, monkeypatch: pytest.MonkeyPatch, ending: str, words: str
) -> None:
    from genmm_addon.command_line.processes import workers

    # A Python without NumPy cannot do the work.
    script = tmp_path / "python3"
    script.write_text(f"#!/bin/sh\n{ending}\n")
    script.chmod(0o755)
    monkeypatch.setattr(workers, "python", lambda: str(script))
    said = run(capfd, "generate", hero, "--seeds", "0-9", "--jobs", 2, "-o", tmp_path / "{seed}.npz")
    sentence = f"A process that synthesizes {words}, possibly out of memory; use fewer with --jobs."
    assert (said.status, said.errors) == (1, [sentence])
    assert left_in(tmp_path) == {"hero.blend", "python3"}


def test_log_option_keeps_the_output_of_blender(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    log = tmp_path / "blender.log"
    said = run(capfd, "generate", hero, "-o", tmp_path / "{seed}.blend", "--frames", 20, "--log", log)
    assert said.status == 0 and said.told == [f"1/1 {tmp_path / '0.blend'}", "1 motion written."]
    assert ".unfinished.blend" in log.read_text()
    assert run(capfd, "info", hero, "--log", tmp_path / "none" / "x.log").status == 2
