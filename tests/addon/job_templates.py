# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of the farm templates in tests, run by Open Job Description's own command with Blender's module."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from commands import SCRIPT

TEMPLATES = Path(__file__).resolve().parents[2] / "farm"
OPENJD = (sys.executable, "-m", "openjd")

MARKS = [
    pytest.mark.processes,
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="the stand-in for the program is a shell script"),
]
"""Marks of tests that run jobs."""


def program_in(folder: Path) -> Path:
    """Return a program that calls Blender's module in the program's way: `blender --command genmm ...`."""
    program = folder / "blender"
    program.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" -P "{SCRIPT}" "$@"\n')
    program.chmod(0o755)
    return program


def job(folder: Path, template: str, values: Mapping[str, object], *more: str) -> subprocess.CompletedProcess[str]:
    """Run a template's job in a folder, with the program in it, and further words of the command."""
    given = {"Blender": program_in(folder), **values}
    words = [word for name, value in given.items() for word in ("-p", f"{name}={value}")]
    command = [*OPENJD, "run", str(TEMPLATES / f"{template}.yaml"), *words, *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
