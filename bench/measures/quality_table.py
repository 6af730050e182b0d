# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures as a Markdown table, their meanings, and the bounds that each must meet.

`x` means a multiple of the example's own value. `docs/data/columns.csv` has the same texts for readers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Value = float | int | str | bool | list[str] | None
Row = dict[str, Value]

LEAST_SKATE = 1.0
"""Speed, in cm/s, with which a foot may always slide."""


@dataclass(frozen=True)
class Column:
    """A measure: its key in a row, its heading, decimals, a factor, and a function that tells if its bound is met.

    about, bound: its meaning, and that bound, as text.
    """

    key: str
    heading: str
    decimals: int
    factor: float = 1.0
    reached: Callable[[float, Row], bool] | None = None
    about: str = ""
    bound: str = ""


def _between(low: float, high: float) -> Callable[[float, Row], bool]:
    return lambda value, row: low <= value <= high


def _skates_little(value: float, row: Row) -> bool:
    of_example = row["skate_example"]
    assert isinstance(of_example, float)
    return value <= max(1.1 * of_example, LEAST_SKATE)


COLUMNS = (
    Column("example_frames", "frames", 0, about="frames of the example, at 30 a second"),
    Column("skate_ratio", "skate x", 2, about="skate relative to the example's, x"),
    Column(
        "skate",
        "cm/s",
        1,
        reached=_skates_little,
        about="horizontal speed of toes at a body height of 170 cm, weighted by max(0, 2 - 2^(h / 2.5 cm)), at most 1; "
        "h is the height above the toe's 2nd percentile in the example (MANN: Zhang et al. 2018)",
        bound="1.1 x, or 1 cm/s",
    ),
    Column(
        "sliding",
        "slides %",
        1,
        100,
        about="share of the frames with a toe less than 5 cm above its ground in which it moves 2.5 cm or more (Guo et "
        "al. 2022)",
    ),
    Column(
        "acceleration",
        "acc",
        2,
        reached=_between(0.9, 1.15),
        about="mean acceleration of the joints, x",
        bound="0.9 to 1.15",
    ),
    Column(
        "acceleration_largest",
        "acc largest",
        2,
        reached=_between(0, 1.3),
        about="largest acceleration of the joints, x",
        bound="1.3",
    ),
    Column("speed", "speed", 2, reached=_between(0.9, 1.1), about="mean speed of the joints, x", bound="0.9 to 1.1"),
    Column(
        "speed_largest",
        "speed largest",
        2,
        reached=_between(0, 1.2),
        about="largest speed of the joints over all seeds, x",
        bound="1.2",
    ),
    Column(
        "root_speed_largest",
        "root",
        2,
        reached=_between(0, 1.2),
        about="largest speed of the root along the ground over all seeds, x",
        bound="1.2",
    ),
    Column(
        "coverage",
        "cover %",
        1,
        100,
        reached=_between(0.99, 1),
        about="share of the example's 30-frame windows with a neighbor in the result no farther than the result's worst"
        " window is from the example (GANimator: Li et al. 2022, equations 9 to 11)",
        bound="99",
    ),
    Column("coverage_least", "least", 0, 100, about="the same, least over the seeds"),
    Column(
        "completeness",
        "complete",
        3,
        about="mean distance of the example's 30-frame windows to their nearest in the result",
    ),
    Column(
        "global",
        "global",
        3,
        about="mean distance of the result to segments of the example, at least 30 frames each, laid out by dynamic "
        "programming (GANimator, equation 13)",
    ),
    Column(
        "local",
        "local",
        3,
        about="mean distance of the result's 15-frame windows to their nearest in the example (GANimator, equation 14)",
    ),
    Column(
        "gap",
        "gap",
        2,
        about="90th percentile, over the transitions of all seeds, of the squared distance between the frame that would"
        " follow and the one that does",
    ),
    Column(
        "distinct", "places", 0, about="distinct transitions of all seeds: none within 5 frames of another at both ends"
    ),
    Column("once", "once %", 0, 100, about="share of these that a single seed has"),
    Column(
        "diversity",
        "diverse",
        2,
        reached=_between(0.7, 10),
        about="deviation over the seeds of the entries of local rotation matrices, relative to the example's deviation "
        "in time (GenMM: Li et al. 2023, 4.1)",
        bound="0.7",
    ),
    Column("cuts", "cuts", 1, reached=_between(1, 1000), about="transitions in 150 frames", bound="1"),
    Column(
        "verbatim",
        "verbatim %",
        0,
        100,
        reached=_between(0, 0.8),
        about="longest stretch of any seed that follows the example frame by frame, as a share of the example",
        bound="80",
    ),
    Column(
        "same",
        "same %",
        0,
        100,
        reached=_between(0, 0.5),
        about="share of frames that the two most similar seeds take from the same frame of the example",
        bound="50",
    ),
    Column(
        "knee", "knee", 2, reached=_between(0, 1.2), about="largest acceleration of a knee in any seed, x", bound="1.2"
    ),
    Column(
        "unplanted",
        "air +%",
        1,
        100,
        reached=_between(-1, 0.03),
        about="share of frames without a planted foot, less the example's",
        bound="3",
    ),
    Column("lifts_twice", "twice", 1, about="feet that lift again within 0.8 s, per minute"),
    Column(
        "dragged",
        "drag",
        2,
        reached=_between(0, 1.2),
        about="longest drift of a foot along the ground in one stance of any seed, x (and of 2 % of the size at least)",
        bound="1.2",
    ),
    Column(
        "knee_pins",
        "pins: knee",
        2,
        reached=_between(0, 1.2),
        about="largest acceleration of a knee in 300 frames through three poses of another result, with their places, "
        "in up to 4 seeds, x",
        bound="1.2",
    ),
    Column(
        "beside_pins",
        "pins: skate",
        2,
        reached=_between(0, 1.2),
        about="skate of the feet within 1 s of these poses, x (and of 1 cm/s at least)",
        bound="1.2",
    ),
    Column(
        "drift",
        "drift %",
        1,
        100,
        reached=_between(0, 0.05),
        about="for examples that stay in place: how much farther apart the root's places are, relative to the size",
        bound="5",
    ),
    Column("seed_s", "ms", 0, 1000, about="one result, the preparation shared"),
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
