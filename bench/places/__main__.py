# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of places in the world on the clips of a folder, those that settings were chosen on and those kept aside.

JSON lines: a line for each trial, and one for each table and set of clips with medians and the worst.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from genmm_addon.core import InputError
from genmm_addon.core.clips import ClipLibrary, TagPattern
from genmm_addon.core.infill import FillingLibrary, prepare_filling
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from ..motions.clip_lists import CHOSEN_ON, KEPT_ASIDE
from .common import Example, example_of
from .grounds import ground_rows, pin_rows
from .hands import hand_rows
from .ways import natural_rows, trajectory_rows, waypoint_rows

TABLES = ("ground", "pins", "hands", "waypoints", "trajectories", "natural")
WALKING = ("walk", "run", "dash")
"""Actions that go somewhere: hands alone are measured on others as well."""


def rows_of(
    table: str, example: Example, library: ClipLibrary, ready: FillingLibrary, number: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table for one clip."""
    tags = [clip.tags for clip in library.clips]
    others = np.arange(len(tags)) != number
    if table == "trajectories":
        yield from trajectory_rows(example, ready, others)
    elif table == "natural":
        yield from natural_rows(example, ready, others & np.array([one == tags[number] for one in tags]))
    else:
        of_clip = {"ground": ground_rows, "pins": pin_rows, "hands": hand_rows, "waypoints": waypoint_rows}
        yield from of_clip[table](example)


def summary_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the median, the 90th percentile and the worst of each measure."""
    names = [name for name, value in rows[0].items() if isinstance(value, float)]
    return {
        name: {
            "median": round(float(np.median([row[name] for row in rows])), 4),
            "p90": round(float(np.percentile([row[name] for row in rows], 90)), 4),
            "worst": round(float(np.max([row[name] for row in rows])), 4),
        }
        for name in names
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --places", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="{}_{action}_{style}_{}")
    parser.add_argument("--clips", nargs="+", choices=TABLES, default=TABLES, help="these tables alone")
    parser.add_argument("--list", choices=("all", "chosen", "aside"), default="all")
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        library = build(files_in(options.folder), Plan((TagPattern(options.pattern),))).library
        ready = prepare_filling([library.motion(number) for number in range(len(library.clips))])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    numbers = {clip.name: number for number, clip in enumerate(library.clips)}
    sets = {"chosen": CHOSEN_ON, "aside": KEPT_ASIDE}
    for table in options.clips:
        for which, names in sets.items():
            if options.list not in ("all", which):
                continue
            rows: list[dict[str, Any]] = []
            for name in (name for name in names if name in numbers):
                if table != "hands" and not any(f"_{action}_" in name for action in WALKING):
                    continue
                number = numbers[name]
                example = example_of(name, ready.motions[number])
                try:
                    for row in rows_of(table, example, library, ready, number):
                        rows.append(row)
                        line = {"table": table, "clips": which, "clip": name, **_rounded(row)}
                        print(json.dumps(line), file=results, flush=True)
                except InputError as error:
                    print(json.dumps({"table": table, "clip": name, "refused": str(error)}), file=results, flush=True)
            for stretch in sorted({str(row.get("stretch", "")) for row in rows}):
                own = [row for row in rows if row.get("stretch", "") == stretch]
                met = [row for row in own if row.get("met", True)]
                if met:
                    of = {"table": table, "clips": which, **({"stretch": stretch} if stretch else {})}
                    line = {**of, "count": len(own), "met": len(met), **summary_of(met)}
                    print(json.dumps(line), file=results, flush=True)
    return 0


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
