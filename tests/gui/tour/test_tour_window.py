# SPDX-License-Identifier: GPL-3.0-or-later
"""The changelog's table of the presses that ten tasks take, against those of a real mouse in a real window."""

import pytest
from driving import ROOT, Facts, drive

TITLE = "| task | before | now |"


def rows() -> dict[str, tuple[int, int]]:
    """Return the presses before and now of each task, and of all ten, from the table."""
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition(TITLE)[2].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {task: (int(before), int(now)) for task, before, now in cells}


@pytest.fixture(scope="module")
def tour() -> Facts:
    return drive("tour/drive_tour.py")


@pytest.fixture(scope="module")
def tour_of_rigs() -> Facts:
    return drive("tour/drive_tour_rigs.py")


@pytest.mark.parametrize("task", [task for task in rows() if task != "all ten"])
def test_a_task_takes_the_presses_that_the_changelog_says(tour: Facts, task: str) -> None:
    presses, done = tour["GenMM Sample"][task]
    assert done
    assert presses == rows()[task][1]


@pytest.mark.parametrize("character", ["Mixamo", "Rigify"])
def test_tasks_take_the_same_presses_on_other_rigs(tour_of_rigs: Facts, character: str) -> None:
    told = tour_of_rigs[character]
    assert told == {task: [rows()[task][1], True] for task in told}


def test_all_ten_take_a_third_fewer_presses_than_before() -> None:
    table = rows()
    before, now = table.pop("all ten")
    assert len(table) == 10
    assert (before, now) == tuple(sum(column) for column in zip(*table.values(), strict=True))
    assert 3 * now <= 2 * before
