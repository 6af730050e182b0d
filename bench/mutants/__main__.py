# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a random sample of small faults into a copy of the package, one after another, and count those that tests notice.

First write down which functions each test calls, then try the mutants, with the same interpreter (`.venv/tools` for
core, that of a Blender for the add-on):

    GENMM_REACHED=reached.jsonl python -m pytest -p bench.mutants.reached tests/core
    python -m bench.mutants core 300 --reached reached.jsonl --output mutants.jsonl

For each mutant the tests that call its function run until one fails: SECONDS of them, those of its package first and
the faster ones first of these. The output has one JSON line a mutant; those that it already has are not tried again. It
runs on POSIX systems only.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

import hypothesis  # noqa: F401  # loaded once for all mutants, as numpy and pytest are
import numpy as np  # noqa: F401
import pytest

from .mutating import Mutant, mutant, number_of_mutants

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 6.0
"""Seconds of processor of the tests that are tried on a mutant, by their own times."""
MOST_TESTS = 60
"""Number of tests that are tried on a mutant."""
LIMIT = 60
"""Seconds of processor until a mutant counts as noticed, since it makes a test run without end."""
MEMORY = 8 << 30
"""Bytes of memory that a test of a mutant may use."""


def files_of(part: str) -> list[Path]:
    """Return the files of "core", of "addon", or of a file or folder of theirs, relative to the project."""
    folder = ROOT / ("genmm_addon" if part == "addon" else part)
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    return [path.relative_to(ROOT) for path in files if not path.is_relative_to(ROOT / "genmm_addon" / "core")]


def sample(files: list[Path], count: int, seed: int) -> list[tuple[Path, Mutant]]:
    """Return at most so many mutants of the files, drawn by seed from all of them."""
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}
    every = [(path, number) for path in files for number in range(number_of_mutants(texts[path]))]
    drawn = random.Random(seed).sample(every, min(count, len(every)))
    return [(path, mutant(texts[path], number)) for path, number in drawn]


def tests_by_function(reached: Path) -> dict[tuple[str, int], list[tuple[float, str]]]:
    """Return the tests of each function, by its file in the package and first line; line 0 means the whole file."""
    tests: dict[tuple[str, int], set[tuple[float, str]]] = {}
    for line in reached.read_text(encoding="utf-8").splitlines():
        name, own, children, functions = json.loads(line)
        for file, first in functions:
            for place in (first, 0):
                tests.setdefault((file, place), set()).add((own + children, name))
    return {function: sorted(named) for function, named in tests.items()}


def chosen(tests: list[tuple[float, str]], file: str) -> list[str]:
    """Return the tests to try on a mutant of a file, at most SECONDS and MOST_TESTS of them, but one at least."""
    package = {*Path(file).parts[:-1]} - {"core"}
    names: list[str] = []
    left = SECONDS
    for seconds, name in sorted(tests, key=lambda test: (package.isdisjoint(Path(test[1].split("::")[0]).parts), test)):
        if not names or (seconds <= left and len(names) < MOST_TESTS):
            names.append(name)
            left -= seconds
    return names


def is_noticed(copy: Path, tests: list[str]) -> str:
    """Return what the tests say of the package in a copy of the project: "caught", "endless" or "survived"."""
    process = os.fork()
    if process == 0:
        for kind, most in ((resource.RLIMIT_CPU, LIMIT), (resource.RLIMIT_AS, MEMORY)):
            resource.setrlimit(kind, (most, most))
        os.chdir(copy)
        sys.path[:] = [str(copy), *(name for name in sys.path if Path(name).resolve() != ROOT)]
        sys.dont_write_bytecode = True
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            os._exit(int(pytest.main([*tests, "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"])))
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return "endless" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "caught"
    return {0: "survived", 4: "no tests", 5: "no tests"}.get(os.waitstatus_to_exitcode(status), "caught")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("part", help='"core", "addon", or a file or folder of theirs')
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reached", type=Path, required=True, help="the list that bench.mutants.reached wrote")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(words)
    copy = ROOT / "build" / "mutants"
    shutil.rmtree(copy, ignore_errors=True)
    left_out = shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy / "project", symlinks=True, ignore=left_out)
    (copy / "shared").symlink_to((ROOT.parent / "shared").resolve())
    tests, outcomes = tests_by_function(options.reached), Counter[str]()
    known = options.output.read_text(encoding="utf-8").splitlines() if options.output.exists() else []
    tried = {(entry["file"], entry["line"], entry["change"]): entry["outcome"] for entry in map(json.loads, known)}
    for path, fault in sample(files_of(options.part), options.count, options.seed):
        file = path.as_posix().removeprefix("genmm_addon/")
        of_it = tests.get((file, fault.function), [])
        outcome = tried.get((file, fault.line, fault.change))
        if outcome is None:
            place = copy / "project" / path
            place.write_text(fault.text, encoding="utf-8")
            outcome = is_noticed(copy / "project", chosen(of_it, file)) if of_it else "not reached"
            shutil.copy2(ROOT / path, place)
            entry = {"file": file, "line": fault.line, "change": fault.change, "outcome": outcome}
            with options.output.open("a", encoding="utf-8") as output:
                output.write(json.dumps(entry) + "\n")
        outcomes[outcome] += 1
    print(", ".join(f"{outcome}: {number}" for outcome, number in sorted(outcomes.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
