# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of scripts in a real Blender window, and the facts that they find; pictures are kept in build/screenshots.

To run these tests alone: pytest tests/gui --confcutdir=tests/gui
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from building.staging import copy_changed, package_files

ROOT = Path(__file__).resolve().parents[2]
BLENDER = ROOT.parent / "shared" / "tools" / "real-blender"
SCREENSHOTS = ROOT / "build" / "screenshots"
LIMIT = 1200
"""Seconds that a script in a window may take on a busy machine."""

Facts = dict[str, Any]


@cache
def copied_project() -> Path:
    """Return a copy of what windows import: one for all of them, so that Python compiles it once.

    It is under /tmp: the full Blender lives in a file system of its own and may see no other folder.
    """
    files = {f"genmm_addon/{name}": path for name, path in package_files().items()}
    for part in ("bench", "tests/gui", "tests/addon"):
        files |= {path.relative_to(ROOT).as_posix(): path for path in (ROOT / part).rglob("*.py")}
    with in_turn():
        return copy_changed(files, Path("/tmp", f"genmm-windows-{zlib.crc32(bytes(ROOT)):08x}"))


@contextmanager
def in_turn() -> Iterator[None]:
    """Let one process at a time do what is within."""
    with open(ROOT / "pyproject.toml", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def build_archive(folder: Path) -> Path:
    """Build the extension's zip, one process at a time; copy it to a folder and return the copy's path."""
    with in_turn():
        subprocess.run([sys.executable, str(ROOT / "build.py"), "zip"], check=True, cwd=ROOT)
        return Path(shutil.copy(next((ROOT / "dist").glob("*.zip")), folder))


def first_display() -> str:
    """Return the number of the first display to try, far apart for pytest's processes, so that no two take the same."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return str(100 + 100 * int(worker))


def run_in_time(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run a command and return its exit status; after LIMIT seconds, end it and all processes that it started.

    A window that kept running would use memory and processors and make later tests fail. Raises
    subprocess.TimeoutExpired after the limit.
    """
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True) as process:
        try:
            return process.wait(LIMIT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def drive(script: str, prepare: Callable[[Path], None] | None = None) -> Facts:
    """Run a script in a Blender window of its own; return its facts, and Blender's output as "log".

    prepare: called first, with the folder of Blender's settings. Skips the test if a program is missing.
    """
    programs = ("xvfb-run", "xdotool", "import")
    missing = [program for program in (*programs, str(BLENDER)) if shutil.which(program) is None]
    if missing:
        pytest.skip(f"No window can be opened here without {', '.join(missing)}.")
    # All under /tmp: the full Blender lives in a file system of its own and may see no other folder.
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        output, profile = (Path(scratch) / name for name in ("output", "profile"))
        output.mkdir()
        profile.mkdir()
        if prepare is not None:
            prepare(profile)
        project = copied_project()
        screen = ["xvfb-run", "-n", first_display(), "-a", "-s", "-screen 0 1600x1000x24"]
        scripts = project / "tests" / "gui"
        runner = [sys.executable, str(scripts / "run_in_window.py"), str(BLENDER), str(scripts / script), str(output)]
        # Mesa draws in Blender's own thread: others would only wait for one another.
        environment = {"LP_NUM_THREADS": "0"} | os.environ | {"BLENDER_USER_RESOURCES": str(profile)}
        status = run_in_time([*screen, *runner], Path(scratch), environment)
        log = (output / "blender.log").read_text(encoding="utf-8") if (output / "blender.log").exists() else ""
        assert status == 0, f"{script} ended with status {status}: {log[-2000:]}"
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for picture in output.glob("*.png"):
            shutil.copy(picture, SCREENSHOTS)
        found: Facts = json.loads((output / "facts.json").read_text(encoding="utf-8"))
    assert found["errors"] == [], "\n".join(found["errors"])
    return found | {"log": log.splitlines()}


def colors_of(picture: Path) -> int:
    """Return the number of colors in a picture."""
    command = ["identify", "-format", "%k", str(picture)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def different_pixels(picture: Path, other: Path) -> int:
    """Return the number of pixels that differ between two pictures of the same size."""
    command = ["compare", "-metric", "AE", str(picture), str(other), "null:"]
    # The exit status is 1 if they differ.
    told = subprocess.run(command, check=False, capture_output=True, text=True).stderr
    return round(float(told.split()[0]))
