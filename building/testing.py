# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of pytest for `build.py test`: in several processes, in one, quick, or for changed files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .blender_modules import ROOT, Refusal, Release

WITHOUT_NUMPY = (
    "tests/test_build.py",
    "tests/test_dependencies.py",
    "tests/test_documents.py",
    "tests/test_feature_pages.py",
    "tests/test_mutants.py",
    "tests/test_pictures.py",
    "tests/test_release.py",
    "tests/test_site.py",
    "tests/test_spelling.py",
)
"""Tests of texts, files and the build, which no release of Blender or NumPy changes."""
WITHOUT_BLENDER = ("tests/core", *WITHOUT_NUMPY)
"""Tests that do not import Blender."""
BETWEEN = (
    "tests/addon/animation",
    "tests/addon/character",
    "tests/addon/files",
    "tests/addon/interface",
    "tests/addon/state",
    "tests/addon/command_line/test_command_generate.py",
    "tests/addon/command_line/test_command_times.py",
    "tests/addon/generation/test_same.py",
    "tests/addon/trust/test_refusals.py",
)
"""Tests for releases between the oldest and the newest: of all that these releases do in different ways (actions,
bones, importers, exporters, saved properties, panels), and a call of every operator."""
AGAIN = "not processes and not slow"
"""Marks of the tests that run in another release than the oldest."""
ONLY_BLENDER = f"{AGAIN} and not arrays"
"""Marks of those that depend on Blender."""
ONLY_CRASHES = ("--reruns=1", "--only-rerun=a failure is never run again", "-rfER")
"""Options that repeat a test if Blender itself crashed in it; the end lists repeated and failed tests."""
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
"""Variables for processes that share the cores, since NumPy's threads, which spin while waiting, would slow others."""


def names_tests(arguments: Sequence[str]) -> bool:
    """Return whether pytest's arguments select tests, so that not the whole suite runs."""
    return any((ROOT / word.split("::")[0]).exists() for word in arguments) or "-k" in arguments


def in_processes(count: int) -> list[str]:
    """Return pytest's arguments for several processes, each a separate Blender that may crash without the others."""
    return [f"--numprocesses={count}", "--dist=worksteal", f"--max-worker-restart={4 * count}", *ONLY_CRASHES]


def whole_suite(release: Release, releases: Sequence[Release]) -> list[str]:
    """Return pytest's arguments for a release's share of the whole suite, if it runs in all of these releases.

    The oldest release runs all tests, and alone those marked `slow`; the newest those that depend on Blender, and those
    that depend on NumPy if it has another one; each release between them, whose Blender has nothing that neither of the
    two has, runs BETWEEN. Only the oldest release runs more than the first case of a test, except of those marked
    `every_case`.
    """
    oldest, newest = (extreme(releases, key=_number) for extreme in (min, max))
    cores = os.cpu_count() or 1
    if release is oldest:
        # Tests of processes, which it runs alone, wait for those that they start.
        return in_processes(cores + 1)
    arguments = [*in_processes(cores), "--first-cases"]
    if release is not newest:
        return [*arguments, "-m", ONLY_BLENDER, *BETWEEN]
    if release.numpy == oldest.numpy:
        return [*arguments, "-m", ONLY_BLENDER, *(f"--ignore={name}" for name in WITHOUT_BLENDER)]
    return [*arguments, "-m", AGAIN, *(f"--ignore={name}" for name in WITHOUT_NUMPY)]


def _number(release: Release) -> tuple[int, ...]:
    return tuple(int(part) for part in release.version.split("."))


def quick() -> list[str]:
    """Return pytest's arguments for fast tests that do not need Blender."""
    return [*in_processes(os.cpu_count() or 1), "-m", "not slow", *WITHOUT_BLENDER]


def changed_files() -> list[str]:
    """Return the files that differ from the main branch's, including new ones. Raise Refusal without a repository."""
    try:
        base = _git("merge-base", "HEAD", "main")[0]
        return sorted({*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")})
    except (OSError, subprocess.CalledProcessError, IndexError):
        raise Refusal("--changed needs Git and a branch called main to compare with.") from None


def tests_of(changed: Sequence[str]) -> list[str]:
    """Return the tests, files or folders, that belong to changed files, and the house rules.

    A test belongs to itself, to a module of its name (test_pyramid.py to pyramid.py) and to every module whose name it
    imports. Files that all tests use (conftest.py, build.py) select all tests.
    """
    suite = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if "gui" not in path.parts)
    if any(Path(name).name in ("conftest.py", "pyproject.toml") for name in changed):
        return ["tests"]
    names = {Path(name).stem for name in changed if name.endswith(".py")} - {"__init__"}
    touched = {name.removeprefix("test_") for name in names}
    selected = {"tests/test_dependencies.py", "tests/test_spelling.py"}
    for path in suite:
        text = path.read_text(encoding="utf-8")
        if path.stem.removeprefix("test_") in touched or any(_imports(text, name) for name in names):
            selected.add(path.relative_to(ROOT).as_posix())
    return sorted(selected)


def _imports(text: str, name: str) -> bool:
    """Return whether a module's text imports a module of this name."""
    lines = (line for line in text.splitlines() if line.startswith(("from ", "import ")))
    return any(name in line.replace(".", " ").replace(",", " ").split() for line in lines)


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()
