# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of each numeric constant of core: half and twice its value, on the cases of `bench --same`, JSON lines.

A line has the number of cases that changed, and for each measure its median change over them and the largest one, as
shares of the measure before: distances from the examples (local, complete), the largest acceleration (jerk), sliding
feet (skate) and processor time. Cases that a value makes fail are counted as refused.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import genmm_addon
from genmm_addon.core.library import save_library

from ..same.__main__ import small_library
from .inventory import Constant, constants_in

FACTORS = (0.5, 2.0)
LEAST = {"local": 0.01, "complete": 0.01, "jerk": 0.1, "skate": 0.02, "time": 0.05}
"""Smallest value of each measure to which changes are related; below it, changes are not visible."""
MEASURING = ("evaluation.*",)
"""Constants of the measures themselves, which change no result."""

Measured = dict[str, dict[str, Any]]


def effects(constants: list[Constant], library: Path, processes: int) -> Iterator[dict[str, Any]]:
    """Yield the effect of half and of twice the value of each constant."""
    plain = _results(library, constants[0])
    changed = [(constant, factor) for constant in constants for factor in FACTORS if _scaled(constant, factor)]
    with ThreadPoolExecutor(processes) as pool:
        results = pool.map(lambda one: _results(library, _scaled(*one) or one[0]), changed)
        for (constant, factor), measured in zip(changed, results, strict=True):
            row = {"constant": f"{constant.module}.{constant.name}", "value": constant.value, "factor": factor}
            yield row | _changes(plain, measured)


def _scaled(constant: Constant, factor: float) -> Constant | None:
    """Return the constant with another value; None for a whole number that stays as it is."""
    value = constant.value * factor
    other = max(1, round(value)) if isinstance(constant.value, int) else value
    return None if other == constant.value else replace(constant, value=other)


def _results(library: Path, constant: Constant) -> Measured:
    """Return the cases measured with a constant's value, in a process; empty if that fails."""
    arguments = [str(library), json.dumps([constant.module, constant.name, constant.value])]
    command = [sys.executable, "-P", "-m", "bench.start", "bench.constants.results", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else {}


def _changes(plain: Measured, measured: Measured) -> dict[str, Any]:
    """Return the number of changed and refused cases, and the median and the largest change of each measure."""
    if not measured:
        return {"fails": True}
    changed = [name for name in plain if measured.get(name, {}).get("digest") != plain[name]["digest"]]
    row: dict[str, Any] = {"changed": len(changed), "of": len(plain)}
    row["refused"] = sum(len(measured.get(name, plain[name])) < len(plain[name]) for name in plain)
    for measure, least in LEAST.items():
        of = plain if measure == "time" else changed
        pairs = [(plain[name].get(measure), measured.get(name, {}).get(measure)) for name in of]
        known = [(float(old), float(new)) for old, new in pairs if old is not None and new is not None]
        shares = [(new - old) / max(old, least) for old, new in known]
        if shares:
            row[measure] = round(float(np.median(shares)), 3)
            row[f"{measure}_most"] = round(shares[int(np.argmax(np.abs(shares)))], 3)
    return row


def main(arguments: list[str]) -> int:
    """Print the effect of each constant."""
    parser = argparse.ArgumentParser(prog="build.py bench --constants", description=__doc__)
    parser.add_argument("pattern", help="which constants, as in 'planning.*' or '*.SHORTEST_SHARE'")
    parser.add_argument("--motions", type=Path, help="folder whose library is measured instead of the sample's motions")
    options = parser.parse_args(arguments)
    core = Path(genmm_addon.core.__file__).parent
    constants = [
        constant
        for constant in constants_in(core)
        if fnmatch(f"{constant.module}.{constant.name}", options.pattern)
        and not any(fnmatch(constant.module, measuring) for measuring in MEASURING)
    ]
    if not constants:
        parser.error(f"no constant of core is named {options.pattern}")
    genmm_addon.register()
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with TemporaryDirectory() as scratch:
        library = Path(scratch) / "library.npz"
        save_library(library, small_library(options.motions))
        for row in effects(constants, library, os.cpu_count() or 1):
            print(json.dumps(row), file=lines, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
