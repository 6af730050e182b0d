# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the documentation (docs/data), made from the JSON lines of a measurement.

    python build.py bench --quality --motions DIR --json > rows.jsonl
    python -m bench.measures.tables quality < rows.jsonl > docs/data/quality.csv

    python build.py bench --library DIR --shards 40 | grep '^{' > rows.jsonl
    python -m bench.measures.tables libraries < rows.jsonl > docs/data/libraries.csv

A table can be written again from saved lines, without measuring again. `columns`, the meanings of the columns of
--quality, needs none:

    python -m bench.measures.tables columns > docs/data/columns.csv
"""

import csv
import json
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from .quality_table import COLUMNS, Column, cell

Row = dict[str, Any]
Table = tuple[tuple[str, ...], tuple[Column, ...]]
"""The keys that name a row, which are headings too, and the measured columns."""

_BY_KEY = {column.key: column for column in COLUMNS}
_DISTANCES = ("gap", "local", "global", "completeness", "distinct")

TABLES: dict[str, Table] = {
    "quality": (("clip",), COLUMNS),
    "distances": (("clip",), (*(_BY_KEY[key] for key in _DISTANCES), Column("local_long", "local long", 3))),
    "paper": (
        ("clip",),
        (
            Column("completeness_of_paper", "complete x", 2),
            Column("global_of_paper", "global x", 2),
            Column("local_of_paper", "local x", 2),
        ),
    ),
    "gait": (
        ("clip",),
        (
            Column("hand_foot_example", "hands: example", 2),
            Column("hand_foot", "hands", 2),
            Column("left_right_example", "feet: example", 2),
            Column("left_right", "feet", 2),
        ),
    ),
    "mirrored": (
        ("clip",),
        (
            _BY_KEY["distinct"],
            Column("both_distinct", "places both", 0),
            Column("gap", "gap", 1),
            Column("both_gap", "gap both", 1),
            _BY_KEY["diversity"],
            Column("both_diversity", "diverse both", 2),
        ),
    ),
    "control": (
        ("clip", "control"),
        (
            Column("of_plain", "cost", 2),
            Column("speed_largest", "speed", 2),
            Column("seam", "seam", 2),
            Column("path_off", "off %", 1, 100),
        ),
    ),
    "followed": (
        ("clip", "control"),
        (
            Column("correlation", "correlation", 2),
            Column("hit", "beats hit", 2),
            Column("hit_of_half", "of every second", 2),
            Column("hit_shifted", "between beats", 2),
            Column("precision", "precision", 2),
            Column("alignment", "alignment", 2),
            Column("alignment_of_free", "without music", 2),
            Column("accents_of_own", "accents of own", 2),
            Column("local_of_free", "local of free", 2),
            Column("skate_of_own", "skate x", 2),
            Column("knee_of_own", "knee", 2),
        ),
    ),
    "libraries": (
        ("case", "frames"),
        (
            Column("search_again_processor_s", "search, s", 2),
            Column("generate_processor_s", "first 300 frames, s", 1),
            Column("generate_again_processor_s", "then 300 frames, s", 2),
            Column("anonymous", "memory, MB", 0),
        ),
    ),
    "live_styles": (
        ("style", "seed"),
        (
            Column("skate", "skate", 2),
            Column("acceleration_frames", "acc", 2),
            Column("acceleration_99", "acc 99th", 2),
            Column("acceleration_largest", "acc largest", 2),
        ),
    ),
}


def headings(table: Table) -> list[str]:
    """Return the headings of a table."""
    names, columns = table
    return [*names, *(column.heading for column in columns)]


def write_table(table: Table, lines: Iterable[str], file: TextIO) -> None:
    """Write the rows among JSON lines that have a table's names and any of its values as CSV."""
    names, columns = table
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(headings(table))
    for line in lines:
        row: Row = json.loads(line)
        if all(name in row for name in names) and any(row.get(column.key) is not None for column in columns):
            writer.writerow([*(row[name] for name in names), *(cell(column, row) for column in columns)])


def write_columns(file: TextIO) -> None:
    """Write the meaning and the bound of each column of --quality as CSV."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("column", "meaning", "bound"))
    writer.writerows((column.heading, column.about, column.bound) for column in COLUMNS)


def main(arguments: list[str]) -> int:
    if arguments == ["columns"]:
        write_columns(sys.stdout)
        return 0
    if len(arguments) != 1 or arguments[0] not in TABLES:
        print(
            f"Name one table: columns, {', '.join(TABLES)}. JSON lines are read from standard input.", file=sys.stderr
        )
        return 2
    write_table(TABLES[arguments[0]], sys.stdin, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
