# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of our pages in a real browser: the system's Chromium, controlled by Playwright in `.venv/browser`."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from .blender_modules import RELEASES, ROOT, keeping_bytecode
from .tools import ready_environment

REQUIREMENTS = ("playwright==1.65.2", "numpy==2.4.1", "pytest==9.2.0")
"""Packages of the environment; Playwright controls the system's Chromium and downloads no browsers."""
FOLDER = ROOT / ".venv" / "browser"
TESTS = ROOT / "tests" / "browser"


def run_in_environment(*arguments: str | Path) -> int:
    """Run Python in the environment and return its status; pages with a server use a Blender of the other tests."""
    environment = keeping_bytecode() | {"PYTHONPATH": str(ROOT)}
    module = next((release.interpreter for release in RELEASES.values() if release.interpreter.exists()), None)
    if module is not None:
        environment["GENMM_BLENDER_PYTHON"] = str(module)
    command = [ready_environment(FOLDER, REQUIREMENTS), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def test_pages(options: argparse.Namespace) -> int:
    """Run the tests and return pytest's status. options.rest: further arguments of pytest."""
    return run_in_environment("-m", "pytest", TESTS, f"--confcutdir={TESTS}", "-rs", *options.rest)
