# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures as a Markdown table, and the bounds that each must meet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Value = float | int | str | bool | list[str] | None
Row = dict[str, Value]

LEAST_SKATE = 1.0
"""Speed, in cm/s, with which a foot may always slide."""


@dataclass(frozen=True)
class Column:
    """A measure: its key in a row, its heading, decimals, a factor, and a function that tells if its bound is met."""

    key: str
    heading: str
    decimals: int
    factor: float = 1.0
    reached: Callable[[float, Row], bool] | None = None


def _between(low: float, high: float) -> Callable[[float, Row], bool]:
    return lambda value, row: low <= value <= high


def _skates_little(value: float, row: Row) -> bool:
    of_example = row["skate_example"]
    assert isinstance(of_example, float)
    return value <= max(1.1 * of_example, LEAST_SKATE)


COLUMNS = (
    Column("example_frames", "frames", 0),
    Column("skate_ratio", "skate x", 2),
    Column("skate", "cm/s", 1, reached=_skates_little),
    Column("sliding", "slides %", 1, 100),
    Column("acceleration", "acc", 2, reached=_between(0.9, 1.15)),
    Column("acceleration_largest", "acc largest", 2, reached=_between(0, 1.3)),
    Column("speed", "speed", 2, reached=_between(0.9, 1.1)),
    Column("speed_largest", "speed largest", 2, reached=_between(0, 1.2)),
    Column("root_speed_largest", "root", 2, reached=_between(0, 1.2)),
    Column("coverage", "cover %", 1, 100, reached=_between(0.99, 1)),
    Column("coverage_least", "least", 0, 100),
    Column("completeness", "complete", 3),
    Column("global", "global", 3),
    Column("local", "local", 3),
    Column("gap", "gap", 2),
    Column("distinct", "places", 0),
    Column("once", "once %", 0, 100),
    Column("diversity", "diverse", 2, reached=_between(0.7, 10)),
    Column("cuts", "cuts", 1, reached=_between(1, 1000)),
    Column("verbatim", "verbatim %", 0, 100, reached=_between(0, 0.8)),
    Column("same", "same %", 0, 100, reached=_between(0, 0.5)),
    Column("knee", "knee", 2, reached=_between(0, 1.2)),
    Column("unplanted", "air +%", 1, 100, reached=_between(-1, 0.03)),
    Column("lifts_twice", "twice", 1),
    Column("dragged", "drag", 2, reached=_between(0, 1.2)),
    Column("knee_pins", "pins: knee", 2, reached=_between(0, 1.2)),
    Column("beside_pins", "pins: skate", 2, reached=_between(0, 1.2)),
    Column("drift", "drift %", 1, 100, reached=_between(0, 0.05)),
    Column("seed_s", "ms", 0, 1000),
)
NAME_WIDTH = 33


def missed(row: Row) -> list[str]:
    """Return the keys of the measures that miss their bounds.

    A measure that a clip does not have cannot miss.
    """
    found = []
    for column in COLUMNS:
        value = row[column.key]
        if column.reached is not None and value is not None:
            assert isinstance(value, float)
            if not column.reached(value, row):
                found.append(column.key)
    return found


def header() -> str:
    """Return the two lines above the rows."""
    titles = " | ".join(column.heading.rjust(_width(column)) for column in COLUMNS)
    rules = "|".join("-" * (_width(column) + 1) + ":" for column in COLUMNS)
    return f"| {'clip'.ljust(NAME_WIDTH)} | {titles} |\n|{'-' * (NAME_WIDTH + 2)}|{rules}|"


def table_row(row: Row) -> str:
    """Return a row's line; an exclamation mark follows values that miss their bounds."""
    cells = " | ".join((cell(column, row) or "-").rjust(_width(column)) for column in COLUMNS)
    return f"| {str(row['clip']).ljust(NAME_WIDTH)} | {cells} |"


def _width(column: Column) -> int:
    return max(len(column.heading), 6)


def cell(column: Column, row: Mapping[str, Any]) -> str:
    """Return a value as text, empty if the row has none; an exclamation mark follows one that misses its bound."""
    value = row.get(column.key)
    if value is None:
        return ""
    return f"{value * column.factor:.{column.decimals}f}{'!' if column.key in row.get('missed', ()) else ''}"
