# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of `build.py bench --quality`: the values that miss their bounds, and their marks."""

import pytest

from bench.measures.quality_table import COLUMNS, Row, header, missed, table_row

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


def test_what_a_clip_does_not_have_is_not_missed() -> None:
    without: Row = {**GOOD, "skate": None, "skate_ratio": None, "skate_example": None, "sliding": None, "drift": None}
    assert missed(without) == []
    assert table_row({**without, "missed": []}).count(" - |") == 4


def test_every_row_has_the_cells_of_the_header() -> None:
    lines = [*header().splitlines(), table_row({**GOOD, "missed": []})]
    assert {line.count("|") for line in lines} == {len(COLUMNS) + 2}
    assert len({len(line) for line in lines}) == 1
