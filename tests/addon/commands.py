# SPDX-License-Identifier: GPL-3.0-or-later
"""Running the command `genmm` in tests: what it said, and the files that it is given."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Object
from interface import new_character

import genmm_addon
from genmm_addon.command_line.command import main

SCRIPT = Path(next(iter(genmm_addon.__path__))) / "batch.py"


@dataclass(frozen=True)
class Said:
    """The end of a command, and what it printed."""

    status: int
    lines: list[str]
    errors: list[str]

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Its lines as the JSON that each of them is."""
        return [json.loads(line) for line in self.lines]


def run(capture: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """The command, in this process."""
    capture.readouterr()
    status = main([str(argument) for argument in arguments])
    told = capture.readouterr()
    errors = [line.removeprefix("genmm: ") for line in told.err.splitlines() if line.startswith("genmm: ")]
    return Said(status, told.out.splitlines(), errors)


def started(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """The command in a process of its own, as a script of Blender's Python module."""
    words = [sys.executable, "-P", str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ), **options
    )


def saved_character(folder: Path, name: str = "Hero", frames: int = 60) -> tuple[Path, Object]:
    """A .blend with one character that plays an action of its own."""
    rig = new_character(name, frames=frames)
    rig.genmm.frames = frames
    return save(folder, name.lower()), rig


def save(folder: Path, name: str) -> Path:
    """The open file as a .blend."""
    path = folder / f"{name}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def left_in(folder: Path) -> set[str]:
    """The names of all files in a folder, but for the records of those that were written."""
    return {path.name for path in folder.rglob("*") if path.is_file() and path.parent.name != ".genmm"}


def ended(process: subprocess.Popen[str]) -> Said:
    out, err = process.communicate(timeout=120)
    errors = [line.removeprefix("genmm: ") for line in err.splitlines() if line.startswith("genmm: ")]
    return Said(process.returncode, out.splitlines(), errors)


def nobody_left(group: int) -> bool:
    """Return whether all processes of a group have ended, within a moment."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
