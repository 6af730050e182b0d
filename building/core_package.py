# SPDX-License-Identifier: GPL-3.0-or-later
"""The core as a package of its own, `genmm`: its wheel, tried in environments that hold nothing but NumPy."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from .blender_modules import QUIETLY, ROOT, find_python, install, run, say, shown
from .tools import ready_environment

COMBINATIONS = (
    ((3, 11), "numpy==1.26.4"),
    ((3, 12), "numpy==2.0.2"),
    ((3, 13), "numpy==2.4.6"),
)
"""Pythons, each with a NumPy for which it has wheels: the oldest and the newest of both, and those between."""
README = ROOT / "core" / "README.md"


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the core in a folder and return it. Raise Refusal if that fails."""
    with tempfile.TemporaryDirectory() as scratch:
        words: list[str | Path] = [sys.executable, "-m", "pip", "wheel", *QUIETLY, "--no-deps", "-w", scratch, ROOT]
        run(words, "pip could not build the package")
        built = next(Path(scratch).glob("*.whl"))
        folder.mkdir(parents=True, exist_ok=True)
        return built.replace(folder / built.name)


def try_wheel(wheel: Path, python: str, numpy: str, folder: Path) -> int:
    """Install a wheel beside this NumPy in an environment and run the code of its page there; return the status."""
    inside = ready_environment(folder, [numpy], python)
    install(inside, [wheel], "pip could not install the package", "--no-deps", "--force-reinstall")
    with tempfile.TemporaryDirectory() as scratch:
        # -I leaves out the current folder and the user's packages, so that only the environment's own are found.
        command = [inside, "-I", ROOT / "building" / "core_trial.py", README]
        return subprocess.run([str(part) for part in command], cwd=scratch, check=False).returncode


def core(options: argparse.Namespace) -> int:
    """Build the wheel, and try it in each combination whose Python is here; return the first status that is not 0."""
    wheel = build_wheel(ROOT / "dist")
    print(f"{shown(wheel)}: {wheel.stat().st_size:,} bytes", flush=True)
    statuses = []
    for wanted, numpy in COMBINATIONS:
        python = find_python(wanted)
        version = ".".join(map(str, wanted))
        if python is None:
            say(f"Not tried with {numpy}: no Python {version} is here.")
        else:
            statuses.append(try_wheel(wheel, python, numpy, ROOT / ".venv" / f"core-{version}"))
    return next(filter(None, statuses), 0)
