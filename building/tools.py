# SPDX-License-Identifier: GPL-3.0-or-later
"""Development tools in a separate environment, `.venv/tools`, which knows Blender only through its stubs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .blender_modules import ROOT, TEST_TOOLS, install, run, say, shown

REQUIREMENTS = ("ruff==0.17.5", "mypy==2.4.1", "fake-bpy-module-5.0==20260730", "numpy==2.4.1", *TEST_TOOLS)
FOLDER = ROOT / ".venv" / "tools"


def program(name: str) -> Path:
    """Return the path of one of the tools, or of their interpreter ("python")."""
    return FOLDER / ("Scripts" if os.name == "nt" else "bin") / (f"{name}.exe" if os.name == "nt" else name)


def ready_tools() -> None:
    """Make or update the environment. Raise Refusal if that fails."""
    ready_environment(FOLDER, REQUIREMENTS)


def ready_environment(folder: Path, requirements: Sequence[str], of: str = sys.executable) -> Path:
    """Return the interpreter of an environment that has these packages. Raise Refusal if it cannot be made.

    of: the Python that makes it.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, asked = folder / "installed.txt", " ".join(requirements)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != asked:
        say(f"Setting up the tools in {shown(folder)} ...")
        run([of, "-m", "venv", folder], "No virtual environment could be made")
        install(python, requirements, "pip could not install the tools")
        stamp.write_text(asked, encoding="utf-8")
    return python
