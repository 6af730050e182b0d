# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of places in the world on a folder's clips: those on which settings were chosen, and those kept aside.

The output is JSON lines: a line for each trial, and one with medians and the worst for each table and set of clips.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from genmm_addon.core import InputError
from genmm_addon.core.library import ClipLibrary, IndexedMotions, TagPattern, index_motions
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from ..motions.clip_lists import CHOSEN_ON, KEPT_ASIDE
from .common import Example, example_of
from .grounds import ground_rows, pin_rows
from .hands import hand_rows
from .ways import natural_rows, trajectory_rows, waypoint_rows

TABLES = ("ground", "pins", "hands", "waypoints", "trajectories", "natural")
WALKING = ("walk", "run", "dash")
"""Actions that travel; the other actions are measured with hands and made natural only."""
OF_ALL = ("hands", "natural")
SETS = {"chosen": CHOSEN_ON, "aside": KEPT_ASIDE}
"""Names of the clips on which settings were chosen, and of those kept aside."""


def rows_of(
    table: str, example: Example, library: ClipLibrary, ready: IndexedMotions, number: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table for one clip."""
    others = np.arange(len(library.clips)) != number
    if table == "trajectories":
        yield from trajectory_rows(example, ready, others)
    elif table == "natural":
        yield from natural_rows(example, ready, others)
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


def lines_of(
    table: str, which: str, names: Sequence[str], library: ClipLibrary, ready: IndexedMotions
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a table for a set of clips: those of its clips, then one for each kind of stretch."""
    numbers = {clip.name: number for number, clip in enumerate(library.clips)}
    rows: list[dict[str, Any]] = []
    for name in names:
        if name not in numbers or (table not in OF_ALL and not any(f"_{action}_" in name for action in WALKING)):
            continue
        example = example_of(name, ready.motions[numbers[name]])
        try:
            for row in rows_of(table, example, library, ready, numbers[name]):
                rows.append(row)
                yield {"table": table, "clips": which, "clip": name, **_rounded(row)}
        except InputError as error:
            yield {"table": table, "clip": name, "refused": str(error)}
    for stretch in sorted({str(row.get("stretch", "")) for row in rows}):
        own = [row for row in rows if row.get("stretch", "") == stretch]
        if met := [row for row in own if row.get("met", True)]:
            kind = {"stretch": stretch} if stretch else {}
            yield {"table": table, "clips": which, **kind, "count": len(own), "met": len(met), **summary_of(met)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --places", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="{}_{action}_{style}_{}")
    parser.add_argument("--clips", nargs="+", choices=TABLES, default=TABLES, help="these tables alone")
    parser.add_argument("--list", choices=("all", *SETS), default="all")
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        library = build(files_in(options.folder), Plan((TagPattern(options.pattern),))).library
        ready = index_motions([library.motion(number) for number in range(len(library.clips))])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    for table in options.clips:
        for which, names in SETS.items():
            if options.list in ("all", which):
                for line in lines_of(table, which, names, library, ready):
                    print(json.dumps(line), file=results, flush=True)
    return 0


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
