# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of the command `genmm` in tests: their output, and input files for them."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import bpy
import pytest
from bpy.types import Object
from interface import new_character

import genmm_addon
from genmm_addon.command_line import console
from genmm_addon.command_line.command import main

SCRIPT = Path(next(iter(genmm_addon.__path__))) / "batch.py"


@dataclass(frozen=True)
class Said:
    """The exit status and output of a command: results, errors, and progress with notes."""

    status: int
    lines: list[str]
    errors: list[str]
    progress: list[str]

    @property
    def told(self) -> list[str]:
        """Return progress and notes, and then the lines of the results."""
        return [*self.progress, *self.lines]

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Return the lines of the output, each parsed as JSON."""
        return [json.loads(line) for line in self.lines]

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Return the events before the last one, which is the end."""
        *answers, end = self.objects
        assert end["event"] == "end" and end["status"] == self.status
        return answers


def run(capture: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """Run the command in this process; it prints all lines of progress, also those of fast work."""
    capture.readouterr()
    with mock.patch.object(console, "INSTANT_SECONDS", 0.0):
        status = main([str(argument) for argument in arguments])
    told = capture.readouterr()
    said = _said(status, told.out, told.err)
    if "--json" in arguments and said.lines:
        assert (said.objects[-1]["event"], said.objects[-1]["status"]) == ("end", status)
    return said


def _said(status: int, lines: str, aside: str) -> Said:
    errors = [line.removeprefix("genmm: ") for line in aside.splitlines() if line.startswith("genmm: ")]
    progress = [line for line in aside.splitlines() if not line.startswith("genmm: ")]
    return Said(status, lines.splitlines(), errors, progress)


def started(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the command in a separate process, as a script of Blender's Python module."""
    words = [sys.executable, "-P", str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ), **options
    )


def saved_character(folder: Path, name: str = "Hero", frames: int = 60) -> tuple[Path, Object]:
    """Return a saved .blend, with one character that plays an action, and the character."""
    rig = new_character(name, frames=frames)
    rig.genmm.frames = frames
    return save(folder, name.lower()), rig


def save(folder: Path, name: str) -> Path:
    """Save the open file as a .blend, and return its path."""
    path = folder / f"{name}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def left_in(folder: Path) -> set[str]:
    """Return the names of all files in a folder, without the records of written files."""
    return {path.name for path in folder.rglob("*") if path.is_file() and path.parent.name != ".genmm"}


def ended(process: subprocess.Popen[str]) -> Said:
    out, err = process.communicate(timeout=120)
    return _said(process.returncode, out, err)


def nobody_left(group: int) -> bool:
    """Return whether all processes of a group end; those that do not are waited for a minute."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
