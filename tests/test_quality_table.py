# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of `build.py bench --quality`: the values that miss their bounds, and their marks; the tables as CSV."""

import csv
import io
import json
from pathlib import Path

import pytest

from bench.measures.quality_table import COLUMNS, Row, header, missed, table_row
from bench.measures.tables import TABLES, headings, main, write_columns, write_table

DATA = Path(__file__).resolve().parents[1] / "docs" / "data"

GOOD: Row = {
    "clip": "A_Walk",
    "example_frames": 90,
    "skate_ratio": 1.0,
    "skate": 3.0,
    "skate_example": 3.0,
    "sliding": 0.02,
    "acceleration": 1.0,
    "acceleration_largest": 1.0,
    "speed": 1.0,
    "speed_largest": 1.0,
    "root_speed_largest": 1.0,
    "coverage": 1.0,
    "coverage_least": 1.0,
    "completeness": 0.1,
    "global": 0.1,
    "local": 0.1,
    "gap": 1.0,
    "distinct": 40,
    "once": 0.5,
    "diversity": 0.8,
    "cuts": 2.0,
    "verbatim": 0.5,
    "same": 0.1,
    "knee": 1.0,
    "unplanted": 0.0,
    "lifts_twice": 3.0,
    "dragged": 1.0,
    "knee_pins": 1.1,
    "beside_pins": 0.9,
    "drift": 0.0,
    "seed_s": 0.05,
}


def test_a_row_that_reaches_everything_misses_nothing() -> None:
    assert missed(GOOD) == []


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("skate", 3.4),
        ("acceleration", 0.85),
        ("acceleration", 1.2),
        ("acceleration_largest", 1.4),
        ("speed", 0.85),
        ("coverage", 0.98),
        ("diversity", 0.6),
        ("cuts", 0.5),
        ("verbatim", 0.9),
        ("same", 0.6),
        ("knee", 1.3),
        ("unplanted", 0.04),
        ("dragged", 1.3),
        ("knee_pins", 1.3),
        ("beside_pins", 1.3),
        ("drift", 0.06),
    ],
)
def test_a_measure_out_of_its_bounds_is_missed_and_marked(measure: str, value: float) -> None:
    row: Row = {**GOOD, measure: value}
    assert missed(row) == [measure]
    assert table_row({**row, "missed": missed(row)}).count("!") == 1


def test_feet_that_hardly_slide_may_slide_more_than_the_examples() -> None:
    assert missed({**GOOD, "skate": 0.9, "skate_example": 0.01, "skate_ratio": 90.0}) == []


def test_measures_a_clip_lacks_are_not_reported_as_missed() -> None:
    without: Row = {**GOOD, "skate": None, "skate_ratio": None, "skate_example": None, "sliding": None, "drift": None}
    assert missed(without) == []
    assert table_row({**without, "missed": []}).count(" - |") == 4


def test_every_row_has_the_cells_of_the_header() -> None:
    lines = [*header().splitlines(), table_row({**GOOD, "missed": []})]
    assert {line.count("|") for line in lines} == {len(COLUMNS) + 2}
    assert len({len(line) for line in lines}) == 1


def written(name: str, *rows: Row) -> list[list[str]]:
    file = io.StringIO()
    write_table(TABLES[name], [json.dumps(row) for row in rows], file)
    return list(csv.reader(io.StringIO(file.getvalue())))


def test_a_table_of_the_documentation_has_the_values_and_the_marks_of_the_printed_one() -> None:
    row: Row = {**GOOD, "speed": 0.85, "drift": None}
    row["missed"] = missed(row)
    printed = [value.strip() for value in table_row(row).strip("|").split("|")]
    titles, values = written("quality", row)
    assert [value or "-" for value in values] == printed
    assert dict(zip(titles, values, strict=True))["speed"] == "0.85!"


def test_a_table_leaves_out_the_lines_of_other_measures() -> None:
    step: Row = {"style": "old", "seed": 61, "skate": 0.414, "acceleration_frames": 1.27}
    assert written("live_styles", {"clips": "all", "skate": 1.0}, step)[1:] == [["old", "61", "0.41", "1.27", "", ""]]
    walk: Row = {"clip": "A_Walk", "hand_foot": None, "left_right": None}
    assert written("gait", walk) == [headings(TABLES["gait"])]


@pytest.mark.parametrize("name", TABLES)
def test_a_file_of_the_documentation_has_the_columns_of_its_table(name: str) -> None:
    titles, *rows = csv.reader((DATA / f"{name}.csv").read_text(encoding="utf-8").splitlines())
    assert titles == headings(TABLES[name])
    assert len(set(titles)) == len(titles)
    assert rows and {len(row) for row in rows} == {len(titles)}


WRITTEN_BY_HAND = ("columns", "beside_paper", "feet_worst", "matching", "pin_sets")


def test_every_file_of_the_documentation_is_a_table() -> None:
    assert {path.stem for path in DATA.iterdir()} == {*WRITTEN_BY_HAND, *TABLES}


def test_the_documentation_has_the_meaning_and_the_bound_of_each_column() -> None:
    file = io.StringIO()
    write_columns(file)
    assert (DATA / "columns.csv").read_text(encoding="utf-8") == file.getvalue()
    assert all(column.about and bool(column.bound) == (column.reached is not None) for column in COLUMNS)


def test_a_table_that_does_not_exist_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["other"]) == 2
    assert "quality" in capsys.readouterr().err
