# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a Python module: its releases, and virtual environments for them in `.venv/blender-X.Y`.

It also runs on older and newer Pythons than those that Blender needs, to say which one to use.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEST_TOOLS = (
    "pytest==9.2.0",
    "pytest-xdist==3.8.0",
    "pytest-rerunfailures==16.7",
    "hypothesis==6.170.15",
    "openjd-cli==0.8.0",
    "pillow==13.0.0",
)
QUIETLY = ("--quiet", "--disable-pip-version-check")
SYSTEM_PACKAGES = (
    "libx11-6 libxi6 libxrender1 libxfixes3 libxkbcommon0 libsm6 libice6 libxxf86vm1 libgl1 libegl1 libgl1-mesa-dri"
)


class Refusal(Exception):
    """A request that cannot be met; the message is one sentence with the reason and the remedy."""


@dataclass(frozen=True)
class Release:
    """A Blender release that exists as a Python module, and the packages to install for it."""

    version: str
    python: tuple[int, int]
    requirements: tuple[str, ...]

    @property
    def numpy(self) -> str:
        """Return the release's NumPy, as a requirement."""
        return next(name for name in self.requirements if name.startswith("numpy"))

    @property
    def folder(self) -> Path:
        return ROOT / ".venv" / f"blender-{self.version}"

    @property
    def interpreter(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


# NumPy as in these Blenders, or the nearest with wheels for Python; in order of preference.
RELEASES = {
    release.version: release
    for release in (
        Release("5.0", (3, 11), ("bpy==5.0.1", "numpy==1.26.4", *TEST_TOOLS)),
        Release("5.2", (3, 13), ("bpy==5.2.3", "numpy==2.4.6", *TEST_TOOLS)),
        Release("4.5", (3, 11), ("bpy==4.5.15", "numpy==1.26.4", *TEST_TOOLS)),
        Release("4.2", (3, 11), ("bpy==4.2.23", "numpy==1.26.4", *TEST_TOOLS)),
    )
}


def find_python(wanted: tuple[int, int]) -> str | None:
    """Return a Python of this version that can make virtual environments: this one, on PATH, or from pyenv."""
    name = f"{wanted[0]}.{wanted[1]}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    installed = sorted(pyenv.glob(f"versions/{name}.*/bin/python"), reverse=True)
    candidates = [sys.executable, shutil.which(f"python{name}"), *map(str, installed)]
    probe = f"import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != {wanted})"
    for candidate in filter(None, candidates):
        if subprocess.run([candidate, "-c", probe], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def default_release() -> Release:
    """Return the release for this Python, otherwise the first that is set up, or the first whose Python is found."""
    served = [release for release in RELEASES.values() if release.python == sys.version_info[:2]]
    served += [release for release in RELEASES.values() if release.interpreter.exists()]
    if served:
        return served[0]
    for release in RELEASES.values():
        if find_python(release.python):
            return release
    raise Refusal(
        f"Blender's module needs Python 3.11 or 3.13 with its venv module and this is {sys.version.split()[0]};"
        " install one of them and run `python3.11 build.py ...`."
    )


def ready(release: Release) -> str:
    """Return the interpreter of the release's virtual environment, after making or updating it if needed."""
    stamp = release.folder / "installed.txt"
    wanted = "\n".join(release.requirements)
    if not (release.interpreter.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        python = find_python(release.python)
        if python is None:
            raise Refusal(
                f"Blender {release.version} as a module needs Python {release.python[0]}.{release.python[1]}"
                " with its venv module; install that Python, then run this again."
            )
        say(f"Setting up Blender {release.version} in {shown(release.folder)} (about 1 GB, once) ...")
        run([python, "-m", "venv", release.folder], "No virtual environment could be made")
        # Python compiles the modules that are used, and keeps them; pip would compile all of Blender's scripts.
        failure = f"pip could not install {release.requirements[0]}"
        install(release.interpreter, release.requirements, failure, "--no-compile")
        check_import(release)
        stamp.write_text(wanted, encoding="utf-8")
    return str(release.interpreter)


def check_import(release: Release) -> None:
    """Raise Refusal, with the system packages that help, if the module cannot be imported."""
    command = [str(release.interpreter), "-c", "import bpy"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode == 0:
        return
    lacking = re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object", outcome.stderr)
    if lacking:
        raise Refusal(
            f"Blender {release.version} needs the system library {lacking[1]};"
            f" on Debian and Ubuntu run `apt-get install {SYSTEM_PACKAGES}`."
        )
    last = (outcome.stderr.strip().splitlines() or [f"it ended with status {outcome.returncode}"])[-1]
    raise Refusal(f"Blender {release.version} was installed but cannot be imported: {last}")


def keeping_bytecode() -> dict[str, str]:
    """Return this process's environment with Python's bytecode kept, which saves 0.4 s at each start of Blender."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: list[str | Path], failure: str) -> None:
    """Run a command with its output on stderr (stdout is for results). Raise Refusal if it fails."""
    status = subprocess.run([str(part) for part in command], stdout=sys.stderr, check=False).returncode
    if status:
        raise Refusal(f"{failure}: see the lines above (status {status}).")


def install(python: Path, packages: Sequence[str | Path], failure: str, *options: str) -> None:
    """Install packages in the environment of a Python. Raise Refusal if that fails."""
    run([python, "-m", "pip", "install", *QUIETLY, *options, *packages], failure)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def shown(path: Path) -> str:
    """Return a path relative to the current folder, if that is shorter."""
    here = str(Path.cwd()) + os.sep
    return str(path)[len(here) :] if str(path).startswith(here) else str(path)
