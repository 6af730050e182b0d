# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of a file: each has one fault, at the place that it names, and the tests that run are the fastest ones."""

import ast
import sys

import pytest

from bench.mutants.mutating import mutant, number_of_mutants

TEXT = '''"""A module."""

@cache
def pick(values: list[int] | None, most: int = 3) -> list[int]:
    """Return some."""
    if not values and most >= 2:
        return [1.5 * most]
    return values
'''


def test_each_mutant_has_one_fault_within_its_function() -> None:
    mutants = [mutant(TEXT, number) for number in range(number_of_mutants(TEXT))]
    changes = {
        "3 -> 4", "not values and most >= 2 -> not values or most >= 2", "not values -> +bool(values)",
        "most >= 2 -> most > 2", "2 -> 3", "return [1.5 * most] -> return None", "1.5 * most -> 1.5 / most",
        "1.5 -> 2.5", "return values -> return None",
    }  # fmt: skip
    assert {each.change for each in mutants} == changes and len(mutants) == len(changes)
    assert {each.function for each in mutants} == {3}, "with the decorator's line, where Python counts it"
    assert len({each.text for each in mutants} | {ast.unparse(ast.parse(TEXT))}) == len(mutants) + 1


@pytest.mark.skipif(sys.platform == "win32", reason="mutants are tried in forked processes")
def test_the_fastest_tests_of_the_package_are_tried_first_and_one_at_least() -> None:
    from bench.mutants.__main__ import chosen

    own, other = "tests/core/feet/test_feet.py::test", "tests/core/live/test_live.py::test"
    assert chosen([(0.5, other), (1.0, own), (90.0, own)], "core/feet/locks.py") == [own, other]
    assert chosen([(0.5, other), (1.0, own), (1.5, own)], "core/feet/locks.py") == [own, own, other]
    assert chosen([(90.0, other), (91.0, other)], "core/feet/locks.py") == [other]
