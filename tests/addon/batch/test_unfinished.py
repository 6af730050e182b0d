# SPDX-License-Identifier: GPL-3.0-or-later
"""Unfinished files: no two processes share one, and the next run removes those of a killed process."""

import os
import platform
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import ended, left_in, run, saved_character, started

from genmm_addon.command_line.errors import Failed
from genmm_addon.command_line.outputs.whole_files import is_whole, whole_file
from genmm_addon.core.storage import begin_unfinished, clear_leftovers, end_unfinished, this_host

Capture = pytest.CaptureFixture[str]

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.processes]


def dead_process() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def leave(folder: Path, name: str, days: float = 0.0) -> str:
    """Create an unfinished file of another process, last written a number of days ago, and return its name."""
    path = folder / name
    path.write_text("half")
    written = time.time() - days * 24 * 3600
    os.utime(path, (written, written))
    return name


def test_a_name_is_never_shared(tmp_path: Path) -> None:
    path = tmp_path / "walk.npz"
    begun = [begin_unfinished(path) for _ in range(20)]
    assert len(set(begun)) == len(left_in(tmp_path)) == 20
    for one in begun:
        assert one.name.startswith(f".{this_host()}.{os.getpid()}.")
        end_unfinished(one)
    assert left_in(tmp_path) == set()


@pytest.mark.parametrize("stem", ["x" * 200, "走り" * 30, ".", "a.b c"])
def test_a_name_fits_wherever_the_file_itself_does(tmp_path: Path, stem: str) -> None:
    path = tmp_path / f"{stem}.blend"
    with whole_file(path) as begun:
        assert len(os.fsencode(begun.name)) < 200
        begun.write_text("whole")
    assert left_in(tmp_path) == {path.name}


@pytest.mark.skipif(os.name == "nt", reason="links as POSIX has them")
def test_a_link_in_its_place_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda count: "0" * 2 * count)
    path, mine = tmp_path / "walk.npz", tmp_path / "mine.txt"
    mine.write_text("mine")
    begun = begin_unfinished(path)
    end_unfinished(begun)
    begun.symlink_to(mine)
    with pytest.raises(Failed, match=r'walk\.npz" could not be written: File exists\.'), whole_file(path) as other:
        other.write_text("not mine")
    assert mine.read_text() == "mine" and not path.exists()


def test_files_left_by_a_dead_process_of_this_host_are_removed(tmp_path: Path) -> None:
    dead, token = dead_process(), "0123456789abcdef"
    for ending in ("npz", "blend", "blend1", "blend@", "bvh", "fbx", "glb", "json"):
        leave(tmp_path, f".walk.{this_host()}.{dead}.{token}.unfinished.{ending}")
    clear_leftovers(tmp_path)
    assert left_in(tmp_path) == set()


def test_files_that_may_still_be_in_use_are_kept(tmp_path: Path) -> None:
    dead, token = dead_process(), "0123456789abcdef"
    kept = {
        leave(tmp_path, f".walk.{this_host()}.{os.getppid()}.{token}.unfinished.npz"),
        leave(tmp_path, f".walk.elsewhere.{dead}.{token}.unfinished.npz"),
        leave(tmp_path, ".walk.unfinished.npz"),
        leave(tmp_path, "walk.npz", days=9),
        leave(tmp_path, f"walk.{this_host()}.{dead}.{token}.unfinished.npz", days=9),
        leave(tmp_path, ".walk.unfinished.txt", days=9),
        leave(tmp_path, ".unfinished", days=9),
    }
    begun = begin_unfinished(tmp_path / "run.npz")
    clear_leftovers(tmp_path)
    assert left_in(tmp_path) == kept | {begun.name}
    end_unfinished(begun)


def test_files_unmodified_for_a_day_are_removed_regardless_of_their_process(tmp_path: Path) -> None:
    leave(tmp_path, f".walk.elsewhere.7.{'0' * 16}.unfinished.fbx", days=1.1)
    leave(tmp_path, f".walk.{this_host()}.{os.getppid()}.{'0' * 16}.unfinished.blend@", days=1.1)
    clear_leftovers(tmp_path)
    assert left_in(tmp_path) == set()


def test_files_that_only_resemble_unfinished_ones_stay(tmp_path: Path) -> None:
    names = (".draft.unfinished.blend", ".x.unfinished.npz", ".a.host.7.unfinished.json", f".{'0' * 32}.unfinished")
    kept = {leave(tmp_path, name, days=99) for name in names}
    folder = tmp_path / f".walk.elsewhere.7.{'0' * 16}.unfinished.fbx"
    folder.mkdir()
    link = tmp_path / f".walk.elsewhere.8.{'0' * 16}.unfinished.fbx"
    link.symlink_to(tmp_path / ".x.unfinished.npz")
    clear_leftovers(tmp_path)
    assert left_in(tmp_path) == kept | {link.name} and folder.is_dir()


def test_host_of_any_name_recognizes_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("render.farm.example", "", "ärger_3", "x" * 255):
        monkeypatch.setattr(platform, "node", lambda name=name: name)
        leave(tmp_path, f".walk.{this_host()}.{dead_process()}.{'0' * 16}.unfinished.npz")
        clear_leftovers(tmp_path)
        assert left_in(tmp_path) == set()


def test_next_run_removes_the_leftovers_of_a_killed_run(tmp_path: Path, capfd: Capture) -> None:
    hero, out = saved_character(tmp_path)[0], tmp_path / "out"
    words = ("generate", hero, "--frames", 20, "--resume", "-o", out / "{seed}.blend")
    assert run(capfd, *words).status == 0
    for companion in ("", "1", "@"):
        leave(out, f".1.{this_host()}.{dead_process()}.{'0' * 16}.unfinished.blend{companion}")
    assert run(capfd, *words).lines[-1] == "0 motions written, 1 already existed."
    assert left_in(out) == {"0.blend"}


def test_two_processes_may_write_the_same_files_at_once(tmp_path: Path) -> None:
    hero, out = saved_character(tmp_path)[0], tmp_path / "out"
    words = ("generate", hero, "--frames", 40, "--seeds", "0-29", "--jobs", 1, "--force", "-o", out / "{seed}.npz")
    both = [started(*words), started(*words)]
    for process in both:
        said = ended(process)
        assert (said.status, said.errors, said.lines) == (0, [], ["30 motions written."])
    assert left_in(out) == {f"{seed}.npz" for seed in range(30)}
    assert all(is_whole(path) for path in out.iterdir())
