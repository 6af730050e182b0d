# SPDX-License-Identifier: GPL-3.0-or-later
"""A library that is built by another Blender while this one is worked in; it ends with this one."""

import atexit
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ..core import InputError

SCRIPT = Path(__file__).parents[1] / "batch.py"
SINGLE_THREADED = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
"""Leaves the cores to the window."""
SECONDS_TO_END = 10.0
"""A process that was asked to end has so long for it."""


@dataclass(frozen=True)
class BuildOrder:
    """The library to build: of a folder, into a file, with the words of `genmm library build` beside these."""

    folder: str
    file: str
    pattern: str = ""
    mirrored: bool = False
    prune: bool = False

    def words(self) -> list[str]:
        """Return the words of the command. Raises InputError where folder or file are missing."""
        if not self.folder:
            raise InputError("There is no folder to build a library from; choose one.")
        if not self.file:
            raise InputError("There is no file to write the library to; choose one.")
        words = ["library", "build", bpy.path.abspath(self.folder), "--output", library_path(self.file), "--json"]
        words += [f"--pattern={self.pattern}"] if self.pattern else []
        return [*words, *(["--mirrored"] if self.mirrored else []), *(["--prune"] if self.prune else [])]


@dataclass(eq=False)
class LibraryBuild:
    """A build that runs or has ended. Read by the window, written by a thread that listens to the process.

    share: of the files that are read, 0 to 1. now: the file that was read last. problems: sentences on files that are
    left out, or why there is no library. clips: how many the library has; None until it is there.
    """

    file: str
    process: "subprocess.Popen[str]"
    share: float = 0.0
    now: str = ""
    problems: list[str] = field(default_factory=list)
    clips: int | None = None
    stopped: bool = False
    thread: threading.Thread | None = None

    @property
    def done(self) -> bool:
        """The process has ended, and all that it said was heard."""
        return self.thread is None or not self.thread.is_alive()

    def stop(self) -> None:
        """Ask the process to end; the library that was there stays whole."""
        self.stopped = True
        self.process.terminate()


_builds: list[LibraryBuild] = []


def current_build() -> LibraryBuild | None:
    """Return the build that runs, or else the one that ended last; None before the first."""
    return _builds[-1] if _builds else None


def is_building() -> bool:
    """Return whether a build runs."""
    build = current_build()
    return build is not None and not build.done


def library_path(file: str) -> str:
    """Return the whole path of a library's file, with the ending that it needs."""
    return bpy.path.ensure_ext(bpy.path.abspath(file), ".npz")


def start_build(order: BuildOrder) -> LibraryBuild:
    """Start to build. Raises InputError where one runs already, or the order is not whole."""
    if is_building():
        raise InputError("A library is being built; wait for it, or stop it.")
    words = order.words()
    process = subprocess.Popen(
        [*_program(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=os.environ | SINGLE_THREADED,
    )
    build = LibraryBuild(library_path(order.file), process)
    build.thread = threading.Thread(target=_listen, args=(build,), name="GenMM library", daemon=True)
    _builds[:] = [build]
    build.thread.start()
    return build


def forget_build() -> None:
    """Forget a build that has ended."""
    if not is_building():
        _builds.clear()


def stop_all() -> None:
    """End what runs, and wait until it has; for the end of Blender."""
    build = current_build()
    if build is None or build.thread is None:
        return
    if not build.done:
        build.stop()
        try:
            build.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            build.process.kill()
    build.thread.join()


def _program() -> list[str]:
    """Return the words that start a Blender like this one with our script."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--background", "--factory-startup", "--python", str(SCRIPT), "--"]
    return [sys.executable, "-P", str(SCRIPT)]


def _listen(build: LibraryBuild) -> None:
    """Take in what the process says, line by line; touches no Blender data."""
    assert build.process.stdout is not None
    for line in build.process.stdout:
        _hear(build, line)
    status = build.process.wait()
    if build.clips is None and not build.stopped and not build.problems:
        build.problems.append(f"The build ended on its own, with status {status}; build again.")


def _hear(build: LibraryBuild, line: str) -> None:
    try:
        said: dict[str, Any] = json.loads(line)
        event = said["event"]
    except (ValueError, TypeError, KeyError):
        return  # a line of Blender's own
    if event == "file":
        build.share, build.now = float(said["progress"]), str(said["file"])
    elif event == "error":
        build.problems.append(str(said["text"]))
    elif event == "end":
        build.share, build.clips = 1.0, int(said["clips"])


def register() -> None:
    """Have builds ended when Blender ends."""
    atexit.register(stop_all)


def unregister() -> None:
    """End what runs."""
    atexit.unregister(stop_all)
    stop_all()
