# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeated undo and redo in a real window: the same file each time, and no growing memory in 35 cycles."""

import pytest
from driving import Facts, drive

LAST = 20
"""Number of cycles at the end, when Blender's undo steps are full."""


@pytest.fixture(scope="module")
def cycles() -> Facts:
    return drive("generate/drive_undo.py")


def test_undo_and_redo_lead_to_the_same_file_each_time(cycles: Facts) -> None:
    assert len(cycles["undone"]) == len(cycles["redone"]) == 5
    assert all(cycles["undone"]) and all(cycles["redone"])


def test_no_data_block_is_left_over(cycles: Facts) -> None:
    before, after = cycles["blocks"]
    assert before == after


def test_the_memory_does_not_grow(cycles: Facts) -> None:
    megabytes = cycles["megabytes"]
    assert len(megabytes) == 35
    assert (megabytes[-1] - megabytes[-1 - LAST]) / LAST < 1.0
