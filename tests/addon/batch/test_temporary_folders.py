# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary folders: those that this process made are removed, and no other, whatever its name."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import SCRIPT, ended, saved_character, started

pytestmark = [
    pytest.mark.processes,
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="signals and file systems as POSIX has them"),
]
NAMES = ("blender_work", "blender_abcdef", "genmm_work")


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


@pytest.fixture(params=NAMES)
def users_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Provide a temporary folder with a file of the user, in which Blender can make no folder for want of inodes."""
    small = tmp_path / "small"
    small.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "nr_inodes=3", "tmpfs", str(small)]
    if not sys.platform.startswith("linux") or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("No small file system can be mounted here.")
    try:
        folder = small / request.param
        folder.mkdir()
        (folder / "thesis.txt").write_text("precious")
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_a_temporary_folder_that_blender_did_not_make_stays(tmp_path: Path, hero: Path, users_folder: Path) -> None:
    out = tmp_path / "out"
    env = os.environ | {"TMPDIR": str(users_folder)}
    for words in (("info", hero), ("generate", hero, "--seeds", "0-3", "--jobs", 2, "-o", out / "{seed}.bvh")):
        command = [sys.executable, "-P", str(SCRIPT), *map(str, words)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert [path.name for path in users_folder.iterdir()] == ["thesis.txt"]


def test_a_second_signal_leaves_a_folder_that_blender_did_not_make(
    tmp_path: Path, hero: Path, users_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(users_folder))
    process = started("generate", hero, "--seeds", "0-999", "--jobs", 1, "-o", tmp_path / "out" / "{seed}.bvh")
    until = time.monotonic() + 60
    while time.monotonic() < until and not list((tmp_path / "out").glob("[0-9]*")):
        time.sleep(0.01)
    # Signals that arrive together, so that the second one comes before the first one has ended the process.
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
        process.send_signal(number)
    assert ended(process).status == 1
    assert [path.name for path in users_folder.iterdir()] == ["thesis.txt"]
