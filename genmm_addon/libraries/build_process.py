# SPDX-License-Identifier: GPL-3.0-or-later
"""Building of a library in the background, from files in another process or from the open file, until Blender ends."""

import atexit
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ..core import InputError
from ..core.library import LeftOut, TagPattern, save_library
from ..core.storage import parse_json
from .building import Plan, built_of
from .reading.file_actions import actions_of_file, read_actions
from .reading.interpreter import ADDON, SINGLE_THREADED, python
from .reading.pipes import ENDING
from .replacing import library_to_replace
from .takes import Take

BUILDER = ADDON / "command_line" / "processes" / "library_builder.py"
FOLDER, ASSETS, FILE = "FOLDER", "ASSETS", "FILE"
"""Sources of a library: a folder, an asset library, or the open file."""


@dataclass(frozen=True)
class BuildOrder:
    """A library to build into a file, with the options of `genmm library build`.

    source: a folder, the action assets of an asset library, or the actions of the open file. asset_library: its name in
    the preferences.
    """

    folder: str
    file: str
    pattern: str = ""
    mirrored: bool = False
    prune: bool = False
    source: str = FOLDER
    asset_library: str = ""

    def words(self) -> list[str]:
        """Return the words of the command. Raises InputError if the folder or file is missing."""
        self.check_file()
        assets = ["--assets"] if self.source == ASSETS else []
        words = [self._folder(), "--output", library_path(self.file), *assets]
        words += [f"--pattern={self.pattern}"] if self.pattern else []
        return [*words, *(["--mirrored"] if self.mirrored else []), *(["--prune"] if self.prune else [])]

    def check_file(self) -> None:
        """Raise InputError if there is no file to write to."""
        if not self.file:
            raise InputError("There is no file to write the library to; choose one.")

    def plan(self) -> Plan:
        """Return the plan for takes read from the open file. Raises InputError for an invalid pattern."""
        return Plan((TagPattern(self.pattern),) if self.pattern else (), prune=self.prune, mirrored=self.mirrored)

    def _folder(self) -> str:
        if self.source == ASSETS:
            asset_library: Any = bpy.context.preferences.filepaths.asset_libraries.get(self.asset_library)
            if asset_library is None:
                raise InputError("There is no such asset library in the preferences; choose one.")
            return str(bpy.path.abspath(asset_library.path))
        if not self.folder:
            raise InputError("There is no folder to build a library from; choose one.")
        return str(bpy.path.abspath(self.folder))


@dataclass(eq=False)
class LibraryBuild:
    """A build that runs or has ended; the window reads it, and a thread writes it.

    process: the process that builds, or None. reading: the main thread's steps while it reads the open file, None when
    it is done. share: of the work, 0 to 1. now: the file or action that was read last. problems: sentences on what was
    left out, or on why there is no library. notes: sentences on what is inexact. clips: the number of the library's
    clips; None until it is written.
    """

    file: str
    process: "subprocess.Popen[str] | None" = None
    reading: Iterator[None] | None = None
    share: float = 0.0
    now: str = ""
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    clips: int | None = None
    stopped: bool = False
    thread: threading.Thread | None = None

    @property
    def done(self) -> bool:
        """Return whether the build has ended or was stopped."""
        return self.reading is None and (self.thread is None or not self.thread.is_alive())

    def stop(self) -> None:
        """Ask the build to end; an existing library stays unchanged."""
        self.stopped, self.reading = True, None
        if self.process is not None:
            self.process.terminate()


_builds: list[LibraryBuild] = []


def current_build() -> LibraryBuild | None:
    """Return the running build, or the one that ended last; None before the first build."""
    return _builds[-1] if _builds else None


def is_building() -> bool:
    """Return whether a build runs."""
    build = current_build()
    return build is not None and not build.done


def library_path(file: str) -> str:
    """Return the absolute path of a library's file, with the required suffix."""
    return bpy.path.ensure_ext(bpy.path.abspath(file), ".npz")


def start_build(order: BuildOrder) -> LibraryBuild:
    """Start a build; one from the open file is continued by `read_on`. Raises InputError if it cannot start."""
    if is_building():
        raise InputError("A library is being built; wait for it, or stop it.")
    build = _of_this_file(order) if order.source == FILE else _by_process(order)
    _builds[:] = [build]
    if build.thread is not None:
        build.thread.start()
    return build


def read_on(seconds: float) -> bool:
    """Read actions of the open file for some seconds on the main thread; return whether there are more to read."""
    build, end = current_build(), time.monotonic() + seconds
    while build is not None and build.reading is not None and time.monotonic() < end:
        try:
            next(build.reading, None)
        except InputError as error:
            build.problems.append(str(error))
            build.reading = None
    return build is not None and build.reading is not None


def forget_build() -> None:
    """Forget a build that has ended."""
    if not is_building():
        _builds.clear()


def stop_all() -> None:
    """Stop the running build and wait for its end; called when Blender ends."""
    build = current_build()
    if build is None:
        return
    if not build.done:
        build.stop()
    if build.process is not None:
        try:
            build.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            build.process.kill()
    if build.thread is not None:
        build.thread.join()


def _by_process(order: BuildOrder) -> LibraryBuild:
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
    build.thread = threading.Thread(target=_listen, args=(build, process), name="GenMM library", daemon=True)
    return build


def _program() -> list[str]:
    """Return the words that start a build: on the Python beside Blender, or in a Blender like this one."""
    program = python()
    if program is not None:
        return [program, "-I", str(BUILDER), "--blender", bpy.app.binary_path]
    batch = str(ADDON / "batch.py")
    words = ["--background", "--factory-startup", "--python", batch, "--", "library", "build", "--json"]
    return [bpy.app.binary_path, *words]


def _listen(build: LibraryBuild, process: "subprocess.Popen[str]") -> None:
    """Process the lines that the process prints; touches no Blender data."""
    assert process.stdout is not None
    for line in process.stdout:
        _hear(build, line)
    status = process.wait()
    if build.clips is None and not build.stopped and not build.problems:
        build.problems.append(f"The build ended on its own, with status {status}; build again.")


def _hear(build: LibraryBuild, line: str) -> None:
    try:
        message: dict[str, Any] = parse_json(line)
        event = message["event"]
    except (ValueError, TypeError, KeyError):
        return  # a line printed by Blender itself
    if event == "file":
        build.share, build.now = float(message["progress"]), str(message["file"])
    elif event == "error":
        build.problems.append(str(message["text"]))
    elif event == "note":
        build.notes.append(str(message["text"]))
    elif event == "end":
        build.share, build.clips = 1.0, int(message["clips"])


def _of_this_file(order: BuildOrder) -> LibraryBuild:
    order.check_file()
    build, plan = LibraryBuild(library_path(order.file)), order.plan()
    library_to_replace(Path(build.file))
    build.reading = _reading(build, plan)
    return build


def _reading(build: LibraryBuild, plan: Plan) -> Iterator[None]:
    """Read an action in each step, then start a thread that makes the library from them."""
    actions, takes = actions_of_file(), list[Take | LeftOut]()
    for number, (name, read) in enumerate(read_actions(actions), start=1):
        takes += read
        build.now, build.share = name, number / len(actions)
        yield
    build.thread = threading.Thread(target=_put_together, args=(build, takes, plan), name="GenMM library", daemon=True)
    build.thread.start()
    build.reading = None


def _put_together(build: LibraryBuild, takes: list[Take | LeftOut], plan: Plan) -> None:
    """Write the library of the takes as a whole or not at all; touches no Blender data."""
    path = Path(build.file)
    try:
        built = built_of(takes, plan)
        build.problems += [f'"{skip.name}" is left out: {skip.reason}' for skip in built.skipped]
        build.notes += built.notes
        path.parent.mkdir(parents=True, exist_ok=True)
        library_to_replace(path)  # another file may have appeared meanwhile
        if not build.stopped:
            save_library(path, built.library)
            build.share, build.clips = 1.0, len(built.library.clips)
    except InputError as error:
        build.problems.append(str(error))
    except OSError as error:
        build.problems.append(f'"{path}" cannot be written: {error.strerror}; check its folder and the disk.')


def register() -> None:
    """Register the end of builds with that of Blender."""
    atexit.register(stop_all)


def unregister() -> None:
    """Stop the running build."""
    atexit.unregister(stop_all)
    stop_all()
