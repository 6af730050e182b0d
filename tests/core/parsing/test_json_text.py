# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON from any source is read within bounds, by its annotation, or refused with Malformed."""

import os
from pathlib import Path
from typing import Any

import pytest

from genmm_addon.core import InputError
from genmm_addon.core.storage import Malformed, json_text, parse_json, parse_json_file, read_value, stored

HOSTILE = [
    "", "{", "[" * 100_000, '{"a":' * 50_000, "NaN", "[Infinity]", "-1e999", "9" * 5000, "9" * 20,
    "-9223372036854775809", "\ufeff\ufeff[]", "[1,]", "{'a': 1}", '"\x00"',
]  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("encoded", [False, True])
def test_a_text_that_is_not_json_with_finite_numbers_is_refused(text: str, encoded: bool) -> None:
    with pytest.raises(Malformed, match=r"The recipe (is not readable as JSON|has a number that is too large)"):
        parse_json(text.encode() if encoded else text, "recipe", 2**20)


def test_undecodable_bytes_are_rejected() -> None:
    with pytest.raises(Malformed):
        parse_json(b'"\xff"')


def test_a_text_longer_than_its_limit_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Malformed, match="longer than 10 characters"):
        parse_json("[" * 11, longest=10)
    monkeypatch.setattr(json_text, "MOST_VALUES", 10)
    with pytest.raises(Malformed, match="more than 10 values"):
        parse_json(f"[{'[],' * 10}]")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names on this system")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Malformed, match="not a file"):
        parse_json_file(tmp_path / "pipe")


def test_at_most_the_allowed_length_of_a_file_is_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match="longer"):
        parse_json_file(tmp_path / "sparse")


RANGES = tuple[tuple[float, float], ...]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (RANGES, [[1, 2.5]], ((1.0, 2.5),)),
        (dict[str, tuple[float, ...]], {"a": [1]}, {"a": (1.0,)}),
        (int | None, None, None),
        (tuple[Any, ...], [{"a": []}], ({"a": []},)),
    ],
)
def test_a_value_is_read_as_its_annotation_says(kind: Any, value: Any, expected: Any) -> None:
    assert read_value(kind, value, "entry") == expected


@pytest.mark.parametrize(
    "value", [1, None, [[1]], [[1, 2, 3]], [["1", "2"]], [[True, 2]], {"a": 1}, [[1e13, 1]], [None]]
)
def test_a_value_of_another_form_is_refused_by_name(value: Any) -> None:
    with pytest.raises(Malformed, match="entry"):
        read_value(RANGES, value, "entry")


@pytest.mark.parametrize("text", [None, 3, b"[]", {}, *HOSTILE, "null", "3", '"text"', "[[1]]", "[[[1, 2]]]"])
def test_unreadable_custom_property_is_ignored(text: object) -> None:
    assert stored({"ranges": text}, "ranges", RANGES) is None
