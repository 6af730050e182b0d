# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard streams that are closed, full or without a reader: no traceback, and files are written as ever."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bvh_files import walker
from commands import SCRIPT

from genmm_addon.command_line.outputs.whole_files import is_whole

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(os.name == "nt" or shutil.which("sh") is None, reason="redirections of a shell"),
]
CLOSED = (">&-", "2>&-", "<&- >&- 2>&-")
FULL = (">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full")


def status_of(redirected: str, folder: Path, *words: object) -> int:
    """Return the status of a command under a redirection, which prints no traceback where one can be seen."""
    script = f'"$@" {redirected}'
    command = ["sh", "-c", script, "sh", sys.executable, "-P", str(SCRIPT), *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(walker())
    return path


@pytest.mark.parametrize("redirected", CLOSED)
def test_closed_streams_do_not_change_the_exit_status(tmp_path: Path, walk: Path, redirected: str) -> None:
    assert status_of(redirected, tmp_path, "info", walk) == 0
    assert status_of(redirected, tmp_path, "info", tmp_path / "none.bvh") == 2
    assert status_of(redirected, tmp_path, "info", "--nonsense") == 2
    assert status_of(redirected, tmp_path, "--help") == 0
    words = ("generate", walk, "--frames", 70, "--seeds", "0-1", "--jobs", 2, "-o", tmp_path / "{seed}.bvh")
    assert status_of(redirected, tmp_path, *words) == 0
    assert all(is_whole(tmp_path / f"{seed}.bvh") for seed in range(2))


@pytest.mark.parametrize("redirected", FULL)
def test_full_streams_give_a_status_and_no_traceback(tmp_path: Path, walk: Path, redirected: str) -> None:
    is_heard = redirected.startswith("2>")
    assert status_of(redirected, tmp_path, "info", walk) == (0 if is_heard else 1)
    assert status_of(redirected, tmp_path, "info", tmp_path / "none.bvh") in (1, 2)
    assert status_of(redirected, tmp_path, "info", "--nonsense") == 2
    assert status_of(redirected, tmp_path, "info", walk, "--log", tmp_path / "none" / "log") == 2
