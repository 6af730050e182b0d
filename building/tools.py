# SPDX-License-Identifier: GPL-3.0-or-later
"""Development tools in an environment of their own, `.venv/tools`: they see Blender through its stubs alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .blender_modules import ROOT, TEST_TOOLS, run, say, shown

REQUIREMENTS = ("ruff==0.17.5", "mypy==2.4.1", "fake-bpy-module-5.0==20260730", "numpy==2.4.1", *TEST_TOOLS)
FOLDER = ROOT / ".venv" / "tools"


def program(name: str) -> Path:
    """Return the path of one of the tools, or of their interpreter ("python")."""
    return FOLDER / ("Scripts" if os.name == "nt" else "bin") / (f"{name}.exe" if os.name == "nt" else name)


def ready_tools() -> None:
    """Make the environment, or bring it up to date; raise Refusal where that fails."""
    stamp, wanted = FOLDER / "installed.txt", " ".join(REQUIREMENTS)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say(f"Setting up the tools in {shown(FOLDER)} ...")
    run([sys.executable, "-m", "venv", FOLDER], "No virtual environment could be made")
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS]
    run([program("python"), *install], "pip could not install the tools")
    stamp.write_text(wanted, encoding="utf-8")
